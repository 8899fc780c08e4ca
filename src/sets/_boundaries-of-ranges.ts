import type { Address, Family } from "../address/address.ts";
import { maskWord } from "../address/prefix.ts";
import { type Boundaries, compareWords, STEP, wordsOf } from "./_boundaries.ts";
import { sortedKeys } from "./radix-sort.ts";

/**
 * Allocating an array is the most expensive part of making an empty set, and the guards of writes make many empty sets.
 */
const NO_WORDS = new Uint32Array(0);
const MIN_WORDS = 64;

/** Ranges of addresses of one family, in any order, overlapping or not, that become a set. */
export class RangeCollector {
  readonly family: Family;
  /**
   * The words of the first and last address of each range, one range after the other. Not allocated before the first
   * range.
   */
  #words = NO_WORDS;
  #length = 0;

  constructor(family: Family) {
    this.family = family;
  }

  /** Both ends belong to the range. */
  add(first: Address, last: Address): void {
    const needed = this.#length + 2 * wordsOf(this.family);
    if (needed > this.#words.length) this.#grow();
    this.#length = this.#put(this.#put(this.#length, first), last);
  }

  /** Adds a prefix of IPv6 without host bits by its words. */
  addWords(words: Uint32Array, length: number): void {
    const at = this.#length;
    if (at + 8 > this.#words.length) this.#grow();
    const own = this.#words;
    for (let word = 0; word < 4; word++) {
      own[at + word] = words[word]!;
      own[at + 4 + word] = words[word]! | ~maskWord(0xffffffff, length - 32 * word);
    }
    this.#length = at + 8;
  }

  /** The addresses of all ranges. O(n) if they arrive in order, otherwise the time of a radix sort. */
  *boundaries(): Generator<undefined, Boundaries, undefined> {
    if (this.#length === 0) return { family: this.family, words: NO_WORDS };
    const width = wordsOf(this.family);
    const count = this.#length / (2 * width);
    const order = yield* sortedKeys({ words: this.#words, width, stride: 2 * width, count }); // by first addresses
    const made = { words: new Uint32Array(this.#length), length: 0, end: new Uint32Array(width) };
    let isOpen = true;
    for (let at = 0; at < count && isOpen; at += STEP) {
      isOpen = addRanges(this.#words, order.subarray(at, at + STEP), made);
      yield;
    }
    const length = isOpen ? copy(made.end, 0, made.words, made.length, width) : made.length;
    return { family: this.family, words: made.words.slice(0, length) };
  }

  #put(at: number, address: Address): number {
    const words = this.#words;
    words[at] = address.w0;
    if (this.family === 4) return at + 1;
    words[at + 1] = address.w1;
    words[at + 2] = address.w2;
    words[at + 3] = address.w3;
    return at + 4;
  }

  #grow(): void {
    const larger = new Uint32Array(Math.max(MIN_WORDS, 2 * this.#words.length));
    larger.set(this.#words);
    this.#words = larger;
  }
}

/**
 * The boundaries of the ranges so far are those before `length`, of which the last is where a part begins that ends
 * before `end`; a part that reaches the end of the space is the last.
 */
interface Made {
  readonly words: Uint32Array;
  length: number;
  readonly end: Uint32Array;
}

/**
 * Adds ranges in the order of their first addresses. Returns false, and adds no more, if a part reaches the end of the
 * space.
 *
 *     part so far     |-----------|               `end` is the address after it
 *     first > end                     |-----|     a gap: the part ends, and another begins
 *     first <= end             |---------|        overlaps or touches it: the part grows if last >= end
 */
function addRanges(words: Uint32Array, order: Uint32Array, made: Made): boolean {
  const { words: result, end } = made;
  const width = end.length;
  let { length } = made;
  let isOpen = true;
  for (let at = 0; at < order.length && isOpen; at++) {
    const first = order[at]! * 2 * width;
    if (length === 0 || compareWords(words, first, end, 0, width) > 0) {
      if (length > 0) length = copy(end, 0, result, length, width);
      length = copy(words, first, result, length, width);
      isOpen = follow(words, first + width, end);
    } else if (compareWords(words, first + width, end, 0, width) >= 0) isOpen = follow(words, first + width, end);
  }
  made.length = length;
  return isOpen;
}

/** Copies one boundary and returns the length including it. */
function copy(from: Uint32Array, at: number, to: Uint32Array, length: number, width: number): number {
  for (let word = 0; word < width; word++) to[length + word] = from[at + word]!;
  return length + width;
}

/**
 * Sets `end` to the address after the one at `last`; false if that is the last of the address space: 1 is added to the
 * lowest word, and only a word of all ones carries into the one above it, so a carry out of the highest means all ones.
 */
function follow(words: Uint32Array, last: number, end: Uint32Array): boolean {
  for (let word = end.length - 1, carry = 1; word >= 0; word--) {
    end[word] = words[last + word]! + carry;
    // The sum is stored modulo 2^32: 0 is the only value that a carry leaves.
    if (carry === 1 && end[word] !== 0) carry = 0;
    if (word === 0) return carry === 0;
  }
  return false;
}
