import { bySteps, type Traffic } from "../../store/records/traffic.ts";
import type { Store } from "../../store/store.ts";
import type { Metrics } from "./metrics.ts";

const [MINUTE, QUARTER, HOUR] = [60_000, 900_000, 3_600_000];

/** The available time spans: `steps` of `step` milliseconds each, made of the records that are `kept`. */
export const WINDOWS = {
  hour: { step: MINUTE, kept: MINUTE, steps: 60 },
  day: { step: QUARTER, kept: QUARTER, steps: 96 },
  week: { step: HOUR, kept: HOUR, steps: 168 },
  month: { step: 4 * HOUR, kept: HOUR, steps: 180 },
} as const;
export type Window = keyof typeof WINDOWS;

const NOTHING = { requests: 0, refused: 0, failed: 0, lookups: 0, times: [] };
/** If something is recorded while it is read, it is read again. */
const MAX_TRIES = 3;

/** The traffic of all servers together up to now: every step of the window, oldest first. */
export async function trafficHistory(
  { store, metrics }: { readonly store: Store; readonly metrics: Metrics },
  window: Window,
  now: number,
): Promise<Traffic[]> {
  const { step, kept, steps } = WINDOWS[window];
  const last = now - (now % step);
  const first = last - (steps - 1) * step;
  const known = await readAll(store, metrics, kept, first, now);
  const found = new Map(bySteps(known, step).map((each) => [each.at, each]));
  return Array.from(
    { length: steps },
    (_, at) => found.get(first + at * step) ?? { at: first + at * step, ...NOTHING },
  );
}

/** What the store has, and what this server has yet to record. */
async function readAll(
  store: Store,
  { traffic }: Metrics,
  step: number,
  from: number,
  now: number,
): Promise<Traffic[]> {
  for (let tries = 1; ; tries++) {
    const { round } = traffic;
    const recorded = await store.read("traffic", step, from);
    if ((round === null || round !== traffic.round) && tries < MAX_TRIES) continue;
    return [...recorded, ...traffic.pending(now).filter(({ at }) => at >= from)];
  }
}
