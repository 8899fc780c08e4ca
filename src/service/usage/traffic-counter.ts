import { sumOf, type Traffic } from "../../store/records/traffic.ts";
import { TIME_CLASSES, timeClassOf } from "./time-classes.ts";

const MINUTE = 60_000;
/**
 * Minutes that wait to be recorded while the database fails; the oldest are dropped first. A minute takes a kilobyte.
 */
const MAX_MINUTES = 1440;

interface Minute {
  readonly at: number;
  requests: number;
  refused: number;
  failed: number;
  lookups: number;
  readonly times: Uint32Array;
}

/** Counts requests and lookups by minute until they are recorded. Counting one is O(1), some nanoseconds. */
export class TrafficCounter {
  /** Minutes that have not been passed to the store, by time. */
  #minutes = new Map<number, Minute>();
  /** Minutes passed to the store, which has not confirmed them yet. */
  #recording: readonly Traffic[] = [];
  /** Minutes that the store rejected. */
  #returned: readonly Traffic[] = [];
  #newest: Minute | undefined;
  #waitingLookups = 0;
  #round = 0;

  /** Counts a request that took this many milliseconds. `now` is in milliseconds since 1970. */
  addRequest(now: number, status: number, milliseconds: number): void {
    const minute = this.#minuteOf(now);
    minute.requests++;
    if (status >= 500) minute.failed++;
    else if (status >= 400) minute.refused++;
    minute.times[timeClassOf(milliseconds)]!++;
    minute.lookups += this.#waitingLookups;
    this.#waitingLookups = 0;
  }

  /**
   * Counts lookups in the minute of the next counted request, which is usually the one they belong to: reading the
   * clock would take longer than counting.
   */
  addLookups(lookups: number): void {
    this.#waitingLookups += lookups;
  }

  /**
   * Changes whenever something is recorded, and is null meanwhile: what was read from the store in between may lack
   * minutes that are no longer here, or contain them twice.
   */
  get round(): number | null {
    return this.#recording.length > 0 ? null : this.#round;
  }

  /** What has not been recorded, oldest first. */
  pending(now: number): Traffic[] {
    if (this.#waitingLookups > 0) this.#minuteOf(now).lookups += this.#waitingLookups;
    this.#waitingLookups = 0;
    return [...this.#returned, ...[...this.#minutes.values()].map(trafficOf)].sort((a, b) => a.at - b.at);
  }

  /** Records what is pending, each request once: what is rejected is pending again. Never rejects. */
  async record(now: number, write: (minutes: readonly Traffic[]) => Promise<void>): Promise<void> {
    const pending = this.pending(now).slice(-MAX_MINUTES);
    if (pending.length === 0 || this.#recording.length > 0) return;
    [this.#recording, this.#returned, this.#minutes, this.#newest] = [pending, [], new Map(), undefined];
    try {
      await write(pending);
    } catch {
      // The store's outage is logged elsewhere.
      this.#returned = mergedByMinute(pending);
    }
    this.#recording = [];
    this.#round++;
  }

  #minuteOf(now: number): Minute {
    const at = now - (now % MINUTE);
    if (this.#newest?.at === at) return this.#newest;
    let minute = this.#minutes.get(at);
    if (minute === undefined)
      this.#minutes.set(
        at,
        (minute = { at, requests: 0, refused: 0, failed: 0, lookups: 0, times: new Uint32Array(TIME_CLASSES) }),
      );
    return (this.#newest = minute);
  }
}

function trafficOf({ times, ...counts }: Minute): Traffic {
  return { ...counts, times: [...times.entries()].filter(([, answers]) => answers > 0) };
}

function mergedByMinute(traffic: readonly Traffic[]): Traffic[] {
  return [...Map.groupBy(traffic, ({ at }) => at)].map(([at, parts]) => sumOf(at, parts));
}
