/** What is counted: by bouncers packets and bytes, requests by edge components and bouncers of web servers. */
export const BLOCKED_UNITS = ["packet", "byte", "request"] as const;
export type BlockedUnit = (typeof BLOCKED_UNITS)[number];

/** What was blocked because of one source of a deployment. */
export interface BlockedCount {
  /** As decisions name it, such as `ruleset/ID`; "other": one that the deployment does not have. */
  readonly source: string;
  /** The prefix of the rule; "" where the program does not report it. */
  readonly prefix: string;
  readonly unit: BlockedUnit;
  readonly amount: number;
}

/** A program reports what it has blocked. */
export interface BlockedReport {
  readonly deploymentId: string;
  readonly at: number;
  readonly counts: readonly BlockedCount[];
}

/** What was blocked in the last 31 days. */
export interface BlockedSummary {
  /** The most first, at most 200. */
  readonly counts: readonly BlockedCount[];
  /** In the order of time; `at`: the hour's beginning. */
  readonly hours: readonly { readonly at: number; readonly unit: BlockedUnit; readonly amount: number }[];
}
