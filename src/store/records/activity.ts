import type { BlockedUnit } from "./blocked.ts";

/** Statuses from this one on are errors. */
export const FIRST_ERROR = 400;

/** What an organisation changed, what its deployments were asked for and what they blocked, of late. */
export interface Activity {
  /** Changes as the audit log shows them, in the last day, by the beginning of the hour; of the newest 10,000. */
  readonly changes: readonly { readonly at: number; readonly count: number }[];
  /** Reported as blocked in the last day, by the beginning of the hour. */
  readonly blocked: readonly { readonly at: number; readonly unit: BlockedUnit; readonly amount: number }[];
  /** Requests for lists of deployments, by day (UTC), in the last 31 days. */
  readonly days: readonly { readonly day: number; readonly pulls: number }[];
  /** Requests for lists in the last day that got an error, by deployment and status; of the newest 100 of each. */
  readonly errors: readonly PullErrors[];
}

export interface PullErrors {
  readonly deploymentId: string;
  readonly status: number;
  readonly count: number;
  /** The last one. */
  readonly at: number;
}
