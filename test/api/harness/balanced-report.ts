import { reportFromNamespace } from "./report-from-namespace.ts";

export const FAULTS = ["killed", "frozen", "cut off"] as const;
export type Fault = (typeof FAULTS)[number];

export interface BalancedOptions {
  /** Rounds of one fault each. */
  readonly rounds: number;
  readonly seed: number;
  /**
   * Milliseconds after which every reader must see an acknowledged write. With 0 every stale answer counts as wrong:
   * the negative control, which must find some.
   */
  readonly bound: number;
}

/** A server that lags by 10 s is not ready; HAProxy notices after two checks of at most 2 s each, 2 s apart. */
export const BOUND = 16_000;

export interface BalancedReport {
  readonly faults: Record<Fault, number>;
  reads: number;
  acknowledged: number;
  /** Reads that lack a write acknowledged before they were sent, and the maximum time between the two. */
  stale: number;
  stalest: number;
  /** Responses that no server may send, each with the reason. */
  readonly wrong: string[];
  /** Acknowledged writes that one of the two servers lacks at the end. */
  readonly lost: string[];
  /** Responses that report the service as unavailable, such as 503, and their numbers. */
  readonly otherStatuses: Record<string, number>;
}

/** Runs in a network namespace of its own: needs what `whyNoPartitions` requires, and HAProxy. */
export function runBalanced(options: BalancedOptions): BalancedReport {
  return reportFromNamespace("./balanced.ts", options);
}

/** How an unavailable service may respond. The connections of a killed server end without a response. */
const HONEST = /^(read|write) (502|503|504|without an answer)$/;

export function holdsBalanced({ wrong, lost, otherStatuses, reads, acknowledged }: BalancedReport): boolean {
  const isHonest = Object.keys(otherStatuses).every((name) => HONEST.test(name));
  return wrong.length + lost.length === 0 && isHonest && reads > 0 && acknowledged > 0;
}
