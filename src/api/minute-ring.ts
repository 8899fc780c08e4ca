const MINUTE = 60_000;
/** Minutes that are kept. */
const KEPT = 60;
/** Of times: four to each doubling of microseconds, so that none is wider than a quarter of what is in it. */
const BUCKETS = 124;
const LONGEST = 2 ** 31 - 1;

/** What happened in a minute. */
export interface MinuteOfUse {
  /** Milliseconds since 1970 at which it began. */
  readonly at: number;
  readonly requests: number;
  /** Requests that were answered by 500 or above. */
  readonly errors: number;
  readonly lookups: number;
  /** Milliseconds within which half of the requests, and 99 of 100, were answered; up to a quarter off. Null without requests. */
  readonly p50: number | null;
  readonly p99: number | null;
}

/** The requests and lookups of the last hour, minute by minute, in 32 KB. Counting one is O(1), some nanoseconds. */
export class MinuteRing {
  readonly #requests = new Uint32Array(KEPT);
  readonly #errors = new Uint32Array(KEPT);
  readonly #lookups = new Float64Array(KEPT);
  readonly #times = new Uint32Array(KEPT * BUCKETS);
  /** Lookups that have no minute yet. */
  #waiting = 0;
  /** The newest minute since 1970 that is in it. */
  #newest = 0;

  /** Counts a request that was answered within so many milliseconds. Times are milliseconds since 1970. */
  addRequest(now: number, status: number, milliseconds: number): void {
    const place = this.#placeOf(now);
    if (place < 0) return;
    this.#requests[place]!++;
    if (status >= 500) this.#errors[place]!++;
    this.#times[place * BUCKETS + bucketOf(milliseconds * 1000)]!++;
    this.#takeWaiting(place);
  }

  /** Counts lookups in the minute of the next request that is counted, which is mostly the one that they belong to: to ask the clock would take longer than to count. */
  addLookups(lookups: number): void {
    this.#waiting += lookups;
  }

  /** The last hour up to the minute of `now`, the oldest first. */
  read(now: number): MinuteOfUse[] {
    // A clock that was set back by more than is kept: what is here is of no minute that there has been.
    if (this.#placeOf(now) < 0) this.#startOver(Math.floor(now / MINUTE));
    this.#takeWaiting(this.#placeOf(now));
    return Array.from({ length: KEPT }, (_, i) => this.#minute(this.#newest - KEPT + 1 + i));
  }

  #takeWaiting(place: number): void {
    this.#lookups[place]! += this.#waiting;
    this.#waiting = 0;
  }

  #minute(minute: number): MinuteOfUse {
    const place = minute % KEPT;
    const times = this.#times.subarray(place * BUCKETS, (place + 1) * BUCKETS);
    const requests = this.#requests[place]!;
    const quantile = (share: number): number | null => (requests === 0 ? null : quantileOf(times, Math.ceil(share * requests)) / 1000);
    return { at: minute * MINUTE, requests, errors: this.#errors[place]!, lookups: this.#lookups[place]!, p50: quantile(0.5), p99: quantile(0.99) };
  }

  /** Where the minute of a time is counted; -1 for one that is kept no longer. */
  #placeOf(now: number): number {
    const minute = Math.floor(now / MINUTE);
    if (minute > this.#newest) this.#advance(minute);
    return minute > this.#newest - KEPT ? minute % KEPT : -1;
  }

  #startOver(minute: number): void {
    this.#newest = minute - KEPT;
    this.#advance(minute);
  }

  #advance(minute: number): void {
    for (let next = Math.max(this.#newest, minute - KEPT) + 1; next <= minute; next++) {
      const place = next % KEPT;
      this.#requests[place] = 0;
      this.#errors[place] = 0;
      this.#lookups[place] = 0;
      this.#times.fill(0, place * BUCKETS, (place + 1) * BUCKETS);
    }
    this.#newest = minute;
  }
}

/** Below 4 each microsecond has a bucket; from there on the two bits behind the leading one choose among the four of its doubling. */
function bucketOf(microseconds: number): number {
  const value = Math.min(microseconds, LONGEST) | 0;
  if (value < 4) return value;
  const octave = 31 - Math.clz32(value);
  return octave * 4 - 4 + ((value >>> (octave - 2)) & 3);
}

/** Microseconds at the rank, which is from 1 on, as if what is in a bucket lay evenly in it. */
function quantileOf(times: Uint32Array, rank: number): number {
  let before = 0;
  for (const [bucket, count] of times.entries()) {
    if (before + count < rank) {
      before += count;
      continue;
    }
    const octave = (bucket + 4) >> 2;
    const [from, width] = bucket < 4 ? [bucket, 1] : [(4 + (bucket & 3)) * 2 ** (octave - 2), 2 ** (octave - 2)];
    return from + (width * (rank - before)) / count;
  }
  return 0;
}
