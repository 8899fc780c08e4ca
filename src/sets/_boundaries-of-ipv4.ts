import type { Boundaries } from "./_boundaries.ts";
import { fitted } from "./_fitted.ts";
import { sortingWords } from "./radix-sort.ts";

/** Ranges between two pauses: a few hundred microseconds. */
const STEP = 1 << 16;

/**
 * Collects ranges of IPv4 addresses, in any order, overlapping or not, that become a set, without an object for each.
 * Typically most rules come in order, with a few later ones between them. The later ones are kept apart, so that only
 * they have to be sorted.
 *
 *     added      1  4  90  5  7  2  8
 *     in order   1  4      5  7     8      each is not before the one before it
 *     apart           90        2          90 when 5 came, which fits after 4; 2, which fits nowhere
 */
export class Ipv4Collector {
  #inOrder = new Ranges();
  #apart = new Ranges();

  /** Both ends belong to the range. */
  add(first: number, last: number): void {
    const { firsts, length } = this.#inOrder;
    if (length === 0 || first >= firsts[length - 1]!) this.#inOrder.push(first, last);
    else this.#addApart(first, last);
  }

  #addApart(first: number, last: number): void {
    const { firsts, lasts, length } = this.#inOrder;
    const isLastTooLarge = length === 1 || first >= firsts[length - 2]!;
    if (isLastTooLarge) {
      this.#apart.push(firsts[length - 1]!, lasts[length - 1]!);
      firsts[length - 1] = first;
      lasts[length - 1] = last;
    } else this.#apart.push(first, last);
  }

  /**
   * The addresses of all ranges. To be called once: the collector is empty afterwards. O(ranges), words sorted in three
   * passes.
   */
  *boundaries(): Generator<undefined, Boundaries, undefined> {
    const apart = yield* this.#apart.sorting();
    const words = yield* boundariesOf(this.#inOrder, apart);
    [this.#inOrder, this.#apart] = [new Ranges(), new Ranges()];
    return { family: 4, words };
  }
}

/** First and last addresses of ranges, in columns that grow. */
class Ranges {
  firsts = new Uint32Array(64);
  lasts = new Uint32Array(64);
  length = 0;

  push(first: number, last: number): void {
    const at = this.length;
    if (at === this.firsts.length) this.#grow();
    this.firsts[at] = first;
    this.lasts[at] = last;
    this.length = at + 1;
  }

  /** Sorts the ranges by their first addresses. */
  *sorting(): Generator<undefined, this, undefined> {
    if (this.length === 0) return this;
    this.lasts = this.lasts.subarray(0, this.length);
    this.firsts = yield* sortingWords(this.firsts.subarray(0, this.length), this.lasts);
    return this;
  }

  #grow(): void {
    this.firsts = doubled(this.firsts);
    this.lasts = doubled(this.lasts);
  }
}

function doubled(words: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  return new Uint32Array(words.buffer.transfer(2 * words.byteLength));
}

/** How far both kinds of ranges have been converted to boundaries. */
interface Progress {
  at: number;
  atApart: number;
  /** The number of boundaries so far. The last one begins a part that ends before `end`. */
  length: number;
  /** The address after that part, as a number; 2^32, the end of the space, is not a boundary; -1: no part yet. */
  end: number;
}

/**
 * The boundaries of two lists of ranges, each in the order of first addresses, as by the general form in
 * `_boundaries-of-ranges.ts`.
 */
function* boundariesOf(ordered: Ranges, apart: Ranges): Generator<undefined, Uint32Array, undefined> {
  const count = ordered.length + apart.length;
  const words = new Uint32Array(2 * count);
  const progress: Progress = { at: 0, atApart: 0, length: 0, end: -1 };
  while (progress.at + progress.atApart < count) {
    mergeSome(ordered, apart, words, progress);
    yield;
  }
  const { end } = progress;
  if (end >= 0 && end < 2 ** 32) words[progress.length++] = end;
  return fitted(words, progress.length);
}

function mergeSome(ordered: Ranges, apart: Ranges, words: Uint32Array, progress: Progress): void {
  const { firsts, lasts, length: count } = ordered;
  let { at, atApart, length, end } = progress;
  // Greater than every first address: once no range apart is left, the ordered ones follow.
  let nextApart = apart.length > atApart ? apart.firsts[atApart]! : 2 ** 32;
  for (let steps = 0; steps < STEP; steps++) {
    let [first, after] = [2 ** 32, 0];
    if (at < count && firsts[at]! <= nextApart) {
      first = firsts[at]!;
      after = lasts[at++]! + 1;
    } else if (nextApart < 2 ** 32) {
      first = nextApart;
      after = apart.lasts[atApart++]! + 1;
      nextApart = atApart < apart.length ? apart.firsts[atApart]! : 2 ** 32;
    } else break;
    if (first > end) {
      if (end >= 0) words[length++] = end;
      words[length++] = first;
      end = after;
    } else if (after > end) end = after;
  }
  progress.at = at;
  progress.atApart = atApart;
  progress.length = length;
  progress.end = end;
}
