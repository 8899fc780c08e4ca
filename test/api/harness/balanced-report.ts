import { reportFromNamespace } from "./report-from-namespace.ts";

export const FAULTS = ["killed", "frozen", "cut off"] as const;
export type Fault = (typeof FAULTS)[number];

export interface BalancedOptions {
  /** Each with one fault. */
  readonly rounds: number;
  readonly seed: number;
  /**
   * Milliseconds after which a write that was acknowledged has to be there for everyone. With 0 every stale answer counts
   * as wrong: the negative control, which must find some.
   */
  readonly bound: number;
}

/** A server that lags by 10 s is not ready; HAProxy notices after two checks of at most 2 s each, 2 s apart. */
export const BOUND = 16_000;

export interface BalancedReport {
  readonly faults: Record<Fault, number>;
  reads: number;
  acknowledged: number;
  /** Reads without a write that had been acknowledged before they were sent, and the maximum time before. */
  stale: number;
  stalest: number;
  /** Responses that no server may send, each with its reason. */
  readonly wrong: string[];
  /** Acknowledged writes that one of the two lacks in the end. */
  readonly lost: string[];
  /** Answers that say that the service is unavailable, such as 503, and how many. */
  readonly otherStatuses: Record<string, number>;
}

/** Runs in a network namespace of its own: needs what `whyNoPartitions` requires, and HAProxy. */
export function runBalanced(options: BalancedOptions): BalancedReport {
  return reportFromNamespace("./balanced.ts", options);
}

/** How an unavailable service may answer. The connections of a server that is killed end without an answer. */
const HONEST = /^(read|write) (502|503|504|without an answer)$/;

export function holdsBalanced({ wrong, lost, otherStatuses, reads, acknowledged }: BalancedReport): boolean {
  const isHonest = Object.keys(otherStatuses).every((name) => HONEST.test(name));
  return wrong.length + lost.length === 0 && isHonest && reads > 0 && acknowledged > 0;
}
