import { type MatchId, NO_MATCH } from "./match-id.ts";
import type { TableSections } from "./sections.ts";

/** What is read of a table with expiries; a `PrefixTable` is one. */
interface ExpiringTable {
  readonly buffer: ArrayBufferLike;
  readonly sections: TableSections;
  readonly matchCount: number;
  parent(match: MatchId): MatchId;
}

/**
 * Of a table with expiries, the match that decides in place of each one at a moment (`activeMatch` of every match), so
 * that a batch skips what has expired by one more read per address. At a moment when 3 and 4 have expired:
 *
 *     match        0   1   2   3 (in 2)   4 (in 3)
 *     ids          0   1   2   2          2           a word each
 *     mask         all ones                           a word
 *     expired      0   0   0   1          1           a bit each
 *
 * A million matches are 4 MB of ids, which few caches hold, and 125 KB of bits: the kernel reads the bit of every match,
 * and where it is set the id `ids[match & mask]`. Where nothing decides in place of any expired match, as in a list of
 * addresses, the mask is 0: `ids[0]` is right for all of them, and stays in the first cache.
 *
 * Parents are older than their children, so one pass over the matches fills it in. It stays right until the next expiry
 * passes, and when time goes back, as far as to the last one that had passed: only then is it made anew.
 */
export class ActiveMatches {
  /** By match id, of the moment that `at` was last given. */
  readonly ids: Uint32Array;
  readonly #mask: Int32Array;
  readonly #expired: Uint8Array;
  readonly #table: ExpiringTable;
  readonly #expiresAt: Float64Array;
  /** The ids are right for `#from <= now < #until`. */
  #from = Infinity;
  #until = -Infinity;
  #hasExpired = false;

  /** Lies in `activeMatchBytes` bytes of `buffer` from `byteOffset` on, a multiple of 4. O(1). */
  constructor(
    table: ExpiringTable,
    buffer: ArrayBufferLike = new ArrayBuffer(activeMatchBytes(table.matchCount)),
    byteOffset: number = 0,
  ) {
    this.#table = table;
    this.ids = new Uint32Array(buffer, byteOffset, table.matchCount + 1);
    this.#mask = new Int32Array(buffer, byteOffset + this.ids.byteLength, 1);
    this.#expired = new Uint8Array(buffer, byteOffset + this.ids.byteLength + 4, (table.matchCount >>> 3) + 1);
    // The latest of its values' for each match; index 0 is none. After them come those of values in lists.
    this.#expiresAt = new Float64Array(table.buffer, table.sections.expiresAt.byteOffset, table.matchCount + 1);
  }

  /**
   * Brings `ids` to the moment `now`, in milliseconds since the Unix epoch, and returns them; null when nothing has
   * expired, so that every match stands for itself. O(1) while no expiry lies between this moment and the last one,
   * else O(matches).
   * @throws RangeError for a `now` that is no time
   * @throws TableError "bad-match" where the bytes are corrupted
   */
  at(now: number): Uint32Array | null {
    checkTime(now);
    if (!(this.#from <= now && now < this.#until)) this.#fill(now);
    return this.#hasExpired ? this.ids : null;
  }

  #fill(now: number): void {
    const { ids } = this;
    const times = this.#expiresAt;
    let from = -Infinity;
    let until = Infinity;
    let expired = 0;
    let mask = 0;
    this.#from = Infinity; // nothing is right if this throws
    ids[0] = NO_MATCH;
    this.#expired.fill(0);
    for (let match = 1; match < times.length; match++) {
      const time = times[match]!;
      if (now < time) {
        ids[match] = match;
        if (time < until) until = time;
      } else {
        const instead = ids[this.#table.parent(match as MatchId)]!;
        ids[match] = instead;
        if (instead !== NO_MATCH) mask = -1;
        this.#expired[match >>> 3]! |= 1 << (match & 7);
        if (time > from) from = time;
        expired++;
      }
    }
    this.#from = from;
    this.#until = until;
    this.#hasExpired = expired > 0;
    this.#mask[0] = mask;
  }
}

/** The bytes that the ids, the mask and the bits of this many matches take. */
export function activeMatchBytes(matchCount: number): number {
  return 4 * (matchCount + 2) + (matchCount >>> 3) + 1;
}

/** What has no expiry never expires, so no moment is at infinity; -Infinity is before all that expires. */
export function checkTime(now: number): void {
  if (typeof now === "number" && now < Infinity) return;
  throw new RangeError(`now is ${String(now)}; give a moment in milliseconds since the Unix epoch, as Date.now() does`);
}
