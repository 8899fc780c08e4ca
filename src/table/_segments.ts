import { addressBits, type Family } from "../address/address.ts";
import type { PrefixSource } from "../trie/prefix-source.ts";
import type { MatchInterner } from "./_match-interner.ts";

/**
 * The address space of a family cut into segments of equal longest-prefix match, in order: segment i begins at
 * `starts[i * wordsPerKey ...]`, ends before the next one, and has the match `matches[i]`. Segment 0 begins at 0.
 *
 *     prefixes        a: [--------------------)
 *                        b: [-----)   c: [----)
 *     segments     0 | a | b     | a    | c   | 0
 *
 * Neighbours have different matches. n prefixes make at most 2n + 1 segments: each opens one and, where it ends, lets
 * another continue.
 */
export interface Segments {
  readonly family: Family;
  readonly wordsPerKey: 1 | 4;
  readonly starts: Uint32Array<ArrayBuffer>;
  readonly matches: Int32Array<ArrayBuffer>;
  readonly count: number;
}

/** Frees the memory of segments that are in an index now: up to 16 bytes a prefix, which would wait for a collection. */
export function freeSegments({ starts, matches }: Segments): void {
  starts.buffer.transfer(0);
  matches.buffer.transfer(0);
}

/** Sets the bits of `key[at ...]` from `length` on: the last address of a prefix. */
function fillHostBits(key: Uint32Array, at: number, words: number, length: number): void {
  for (let word = 0; word < words; word++) {
    // `inside` bits of the length lie in this word: none of the word is host bits from 32 on, all of it below 1, and
    // between, -1 >>> inside has the bits from `inside` on.
    const inside = length - word * 32;
    if (inside < 32) key[at + word]! |= inside <= 0 ? -1 : -1 >>> inside;
  }
}

/**
 * Adds one to `key[at ...]`; false when it was the last address of the family. A word that becomes 0 has overflowed and
 * carries one into the word before it.
 */
function increment(key: Uint32Array, at: number, words: number): boolean {
  for (let word = words - 1; word >= 0; word--) {
    key[at + word]!++;
    if (key[at + word] !== 0) return true;
  }
  return false;
}

function compareKeys(a: Uint32Array, aAt: number, b: Uint32Array, bAt: number, words: number): number {
  for (let word = 0; word < words; word++) {
    // Compared, not subtracted: a difference of unsigned words does not fit 32 bits.
    const left = a[aAt + word]!;
    const right = b[bAt + word]!;
    if (left !== right) return left < right ? -1 : 1;
  }
  return 0;
}

/**
 * Sweeps the prefixes in order with a stack of the open ones (those that contain the current address, nested). A prefix
 * opens a segment at its first address; where it ends, its parent's segment continues.
 *
 * Prefixes are nested or disjoint, and come by address with the less specific first. So those that contain the current
 * one are exactly the open ones that do not end before it, and lengths ascend in the stack: it never holds more than
 * one per length, 33 or 129, and that is all that `#lastOf` and `#matchOf` have to hold. `#starts` and `#matches` have
 * 2 * prefixes + 1 segments. No index passes those bounds, which is what the `!` assert.
 */
export class Sweep {
  readonly #words: 1 | 4;
  readonly #bits: number;
  readonly #starts: Uint32Array<ArrayBuffer>;
  readonly #matches: Int32Array<ArrayBuffer>;
  #count = 0;
  // The stack: per open prefix its last address and its match. Depth 0 is "no prefix": the whole space, match 0.
  readonly #lastOf: Uint32Array;
  readonly #matchOf: Int32Array;
  #depth = 0;
  readonly #key: Uint32Array;

  constructor(family: Family, prefixes: number) {
    this.#bits = addressBits(family);
    this.#words = family === 4 ? 1 : 4;
    this.#starts = new Uint32Array((2 * prefixes + 1) * this.#words);
    this.#matches = new Int32Array(2 * prefixes + 1);
    this.#lastOf = new Uint32Array((this.#bits + 2) * this.#words);
    this.#matchOf = new Int32Array(this.#bits + 2);
    this.#key = new Uint32Array(4);
    this.#emit(this.#key, 0, 0);
  }

  /** Closes what ended before the prefix and returns the match of the nearest one that covers it. */
  closeBefore(w0: number, w1: number, w2: number, w3: number): number {
    const key = this.#key;
    key[0] = w0;
    key[1] = w1;
    key[2] = w2;
    key[3] = w3;
    while (this.#depth > 0 && compareKeys(this.#lastOf, this.#depth * this.#words, key, 0, this.#words) < 0)
      this.#close();
    return this.#matchOf[this.#depth]!;
  }

  /** Opens the prefix whose first address `closeBefore` was given. */
  open(length: number, match: number): void {
    this.#emit(this.#key, 0, match);
    this.#depth++;
    const at = this.#depth * this.#words;
    for (let word = 0; word < this.#words; word++) this.#lastOf[at + word] = this.#key[word]!;
    fillHostBits(this.#lastOf, at, this.#words, length);
    this.#matchOf[this.#depth] = match;
  }

  finish(family: Family): Segments {
    while (this.#depth > 0) this.#close();
    return { family, wordsPerKey: this.#words, starts: this.#starts, matches: this.#matches, count: this.#count };
  }

  #close(): void {
    const at = this.#depth * this.#words;
    this.#depth--;
    if (increment(this.#lastOf, at, this.#words)) this.#emit(this.#lastOf, at, this.#matchOf[this.#depth]!);
  }

  #emit(start: Uint32Array, at: number, match: number): void {
    const words = this.#words;
    // A segment that would be empty is replaced: a more specific prefix begins where it does.
    if (this.#count > 0 && compareKeys(this.#starts, (this.#count - 1) * words, start, at, words) === 0) this.#count--;
    if (this.#count > 0 && this.#matches[this.#count - 1] === match) return;
    for (let word = 0; word < words; word++) this.#starts[this.#count * words + word] = start[at + word]!;
    this.#matches[this.#count++] = match;
  }
}

/** The segments of one family of a trie or another source, its matches interned. O(n). */
export function segmentsOf(trie: PrefixSource, family: Family, interner: MatchInterner): Segments {
  const sweep = new Sweep(family, trie.sizeOf(family));
  trie.forEach(family, (w0, w1, w2, w3, length, value, more) => {
    const parent = sweep.closeBefore(w0, w1, w2, w3);
    const valueWord = more === null ? value : interner.listWord(more);
    sweep.open(length, interner.intern(valueWord, length, parent));
  });
  return sweep.finish(family);
}
