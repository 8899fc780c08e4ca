import type { Family } from "../address/address.ts";
import { compareWords, wordsOf } from "./_boundaries.ts";

/**
 * Ends of addresses of one family, as the boundaries at which they change. The addresses from a boundary up to, but
 * without, the next one have the end at its index; 0, as before the first boundary: they have none.
 *
 *     addresses     0   1   2   3   4   5   6   7
 *     ends          0   9   9   5   0   8   8   8      boundaries 1, 3, 4, 5 with the ends 9, 5, 0, 8
 *
 * Boundaries ascend, and neighbours have different ends, so equal ends have equal arrays.
 */
export interface Steps {
  readonly family: Family;
  /** A boundary is one word for IPv4 and four for IPv6, the most significant first. */
  readonly words: Uint32Array;
  readonly ends: Float64Array;
}

const FIRST_CAPACITY = 64;

/** Writes ends in the order of addresses. */
export class StepWriter {
  readonly #family: Family;
  readonly #width: number;
  #words: Uint32Array;
  #ends = new Float64Array(FIRST_CAPACITY);
  #count = 0;

  constructor(family: Family) {
    this.#family = family;
    this.#width = wordsOf(family);
    this.#words = new Uint32Array(FIRST_CAPACITY * this.#width);
  }

  /** From the address at `words[at]` on, which is not before that of the last call, addresses have this end. */
  write(words: Uint32Array, at: number, end: number): void {
    const width = this.#width;
    const last = this.#count - 1;
    if (last < 0 || compareWords(this.#words, last * width, words, at, width) !== 0) this.#push(words, at);
    this.#ends[this.#count - 1] = end;
    // A boundary at which nothing changes is none.
    if (end === (this.#count > 1 ? this.#ends[this.#count - 2] : 0)) this.#count--;
  }

  steps(): Steps {
    return {
      family: this.#family,
      words: this.#words.slice(0, this.#count * this.#width),
      ends: this.#ends.slice(0, this.#count),
    };
  }

  #push(words: Uint32Array, at: number): void {
    if (this.#count === this.#ends.length) this.#grow();
    for (let word = 0; word < this.#width; word++) this.#words[this.#count * this.#width + word] = words[at + word]!;
    this.#count++;
  }

  #grow(): void {
    const [words, ends] = [new Uint32Array(2 * this.#words.length), new Float64Array(2 * this.#ends.length)];
    words.set(this.#words);
    ends.set(this.#ends);
    this.#words = words;
    this.#ends = ends;
  }
}
