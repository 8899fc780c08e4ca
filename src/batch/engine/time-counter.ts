import { lineTime } from "../lines/line-time.ts";

/** Milliseconds of what lines are counted by. */
export const TIME_UNITS = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;
/** By what lines are counted. */
export type TimeUnit = keyof typeof TIME_UNITS;

/** The lines of a minute, hour or day. */
export interface TimeCount {
  /** Its beginning, in milliseconds since 1970; NaN: lines without a time. */
  readonly from: number;
  lines: number;
  /** Lines with an address, and with a match. */
  addresses: number;
  matched: number;
}

/** Counts the lines of a part of an input by their own times. */
export class TimeCounter {
  readonly #unit: number;
  readonly #latest: number;
  readonly #counts = new Map<number, TimeCount>();
  /** Most lines have the same time as the line before them. */
  #last: TimeCount | undefined;

  /** `unit`: in milliseconds; `latest`: as for `lineTime`. */
  constructor(unit: number, latest: number) {
    this.#unit = unit;
    this.#latest = latest;
  }

  /** The count to which the line `bytes[start, end)` belongs, which is one more. */
  countOf(bytes: Uint8Array, start: number, end: number): TimeCount {
    const from = Math.floor(lineTime(bytes, start, end, this.#latest) / this.#unit) * this.#unit;
    let count = this.#last;
    if (count === undefined || !Object.is(count.from, from)) {
      count = this.#counts.get(from);
      if (count === undefined) this.#counts.set(from, (count = { from, lines: 0, addresses: 0, matched: 0 }));
      this.#last = count;
    }
    count.lines++;
    return count;
  }

  /** All counts, in no order. */
  counts(): TimeCount[] {
    return [...this.#counts.values()];
  }
}
