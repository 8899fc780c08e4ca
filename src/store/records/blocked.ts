/** The units: bouncers report packets and bytes; edge components and bouncers of web servers report requests. */
export const BLOCKED_UNITS = ["packet", "byte", "request"] as const;
export type BlockedUnit = (typeof BLOCKED_UNITS)[number];

/** What was blocked because of one source of a deployment. */
export interface BlockedCount {
  /** The name used in decisions, such as `ruleset/ID`; "other": a source that the deployment does not have. */
  readonly source: string;
  /** The prefix of the rule; "" if the program does not report it. */
  readonly prefix: string;
  readonly unit: BlockedUnit;
  readonly amount: number;
}

/** A program's report of what it has blocked. */
export interface BlockedReport {
  readonly deploymentId: string;
  readonly at: number;
  readonly counts: readonly BlockedCount[];
}

/** What was blocked in the last 31 days. */
export interface BlockedSummary {
  /** The largest first, at most 200. */
  readonly counts: readonly BlockedCount[];
  /** In chronological order; `at`: the beginning of the hour. */
  readonly hours: readonly { readonly at: number; readonly unit: BlockedUnit; readonly amount: number }[];
}
