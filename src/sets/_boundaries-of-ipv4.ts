import type { Boundaries } from "./_boundaries.ts";
import { sortedWords } from "./radix-sort.ts";

/** Ranges of IPv4 addresses, in any order, overlapping or not, that become a set: without objects, in one go. */
export class Ipv4Collector {
  #firsts = new Uint32Array(64);
  #lasts = new Uint32Array(64);
  #length = 0;
  #isAscending = true;

  /** Both ends belong to the range. */
  add(first: number, last: number): void {
    const at = this.#length;
    if (at === this.#firsts.length) this.#grow();
    if (at > 0 && first < this.#firsts[at - 1]!) this.#isAscending = false;
    this.#firsts[at] = first;
    this.#lasts[at] = last;
    this.#length = at + 1;
  }

  /** The addresses of all ranges, once: the collector is empty afterwards. O(ranges), the words sorted in three passes. */
  boundaries(): Boundaries {
    const lasts = this.#lasts.subarray(0, this.#length);
    let firsts = this.#firsts.subarray(0, this.#length);
    if (!this.#isAscending) firsts = sortedWords(firsts, lasts);
    const words = boundariesOf(firsts, lasts);
    [this.#firsts, this.#lasts] = [new Uint32Array(64), new Uint32Array(64)];
    this.#length = 0;
    this.#isAscending = true;
    return { family: 4, words };
  }

  #grow(): void {
    this.#firsts = doubled(this.#firsts);
    this.#lasts = doubled(this.#lasts);
  }
}

function doubled(words: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  return new Uint32Array(words.buffer.transfer(2 * words.byteLength));
}

/** Of ranges in the order of their first addresses, as the general form in `_boundaries-of-ranges.ts`. */
function boundariesOf(firsts: Uint32Array, lasts: Uint32Array): Uint32Array {
  const words = new Uint32Array(2 * firsts.length);
  let length = 0;
  // Invariant: the ranges so far give the boundaries before `length`, of which the last is where a part begins that
  // ends before `end`. As numbers, 2^32 is the end of the space, and no boundary.
  let end = -1;
  for (let at = 0; at < firsts.length; at++) {
    const first = firsts[at]!;
    const after = lasts[at]! + 1;
    if (first > end) {
      if (end >= 0) words[length++] = end;
      words[length++] = first;
      end = after;
    } else if (after > end) end = after;
  }
  if (end >= 0 && end < 2 ** 32) words[length++] = end;
  return words.slice(0, length);
}
