/**
 * The lengths of the steps in which traffic is kept, in milliseconds, and how long each is kept: the older, the
 * coarser.
 */
export const TRAFFIC_STEPS = [
  { step: 60_000, keptFor: 2 * 3_600_000 },
  { step: 900_000, keptFor: 2 * 86_400_000 },
  { step: 3_600_000, keptFor: 31 * 86_400_000 },
] as const;

/** The requests in a step of time, and their responses. */
export interface Traffic {
  /** When the step began, in milliseconds since 1970. */
  readonly at: number;
  readonly requests: number;
  /** Requests with a response from 400 to 499. */
  readonly refused: number;
  /** Requests with a response of 500 and above. */
  readonly failed: number;
  readonly lookups: number;
  /**
   * The number of responses in each class of response times, by its index. Classes without responses are
   * left out.
   */
  readonly times: Times;
}

export type Times = readonly (readonly [timeClass: number, answers: number])[];

/** The sum of several parts, as one step. */
export function sumOf(at: number, parts: readonly Traffic[]): Traffic {
  const total = (member: "requests" | "refused" | "failed" | "lookups"): number =>
    parts.reduce((sum, part) => sum + part[member], 0);
  return {
    at,
    requests: total("requests"),
    refused: total("refused"),
    failed: total("failed"),
    lookups: total("lookups"),
    times: sumOfTimes(parts.map(({ times }) => times)),
  };
}

export function sumOfTimes(all: readonly Times[]): Times {
  const sums = new Map<number, number>();
  for (const [timeClass, answers] of all.flat()) sums.set(timeClass, (sums.get(timeClass) ?? 0) + answers);
  return [...sums].sort(([a], [b]) => a - b);
}

/** Traffic in longer steps, oldest first. */
export function bySteps(traffic: readonly Traffic[], step: number): Traffic[] {
  const groups = Map.groupBy(traffic, ({ at }) => at - (at % step));
  return [...groups].sort(([a], [b]) => a - b).map(([at, parts]) => sumOf(at, parts));
}
