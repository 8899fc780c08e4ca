import type { Engine } from "./sql/_engine.ts";
import { exchangeLimitCounts } from "./sql/_limit-counts.ts";
import { recordTraffic } from "./sql/_traffic.ts";
import { recordUsage } from "./sql/_usage.ts";

/**
 * What servers count, each for itself, and add up in the database by name. No change is made of it: no server is notified, and
 * nothing is in the audit log. For increments of seconds, not for every request. To add one, add its line here.
 */
export const COUNTERS = {
  /** Adds the requests to those recorded for the key, area and month. */
  usage: recordUsage,

  /**
   * Adds the traffic of these minutes to what other servers have recorded of them, and to the longer steps in which
   * older traffic is kept.
   */
  traffic: recordTraffic,

  /**
   * Writes what a server has counted against limits, if anything, and gives what the others have written since it last
   * asked: each message once, also where one is written again because the answer was lost.
   */
  limits: exchangeLimitCounts,
} satisfies Record<string, (engine: Engine, ...increments: never[]) => Promise<unknown>>;

type Counters = typeof COUNTERS;

export type CounterName = keyof Counters;

/** What is added to a counter. */
export type Increments<Name extends CounterName> =
  Parameters<Counters[Name]> extends [Engine, ...infer Increment] ? Increment : never;

/** What adding to a counter gives. */
export type Recorded<Name extends CounterName> = Awaited<ReturnType<Counters[Name]>>;

export function record<Name extends CounterName>(
  engine: Engine,
  name: Name,
  increments: Increments<Name>,
): Promise<Recorded<Name>> {
  // The compiler cannot follow that a name and its increments belong together.
  const add = COUNTERS[name] as unknown as (engine: Engine, ...increments: Increments<Name>) => Promise<Recorded<Name>>;
  return add(engine, ...increments);
}
