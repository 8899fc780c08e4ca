import type { Family, Prefix } from "../address/address.ts";

const FIRST_CAPACITY = 64;

/** Many prefixes in the order in which they came, 18 bytes each instead of an object. */
export class PrefixColumns {
  #words = new Uint32Array(4 * FIRST_CAPACITY);
  /** Family and length. */
  #kinds = new Uint8Array(2 * FIRST_CAPACITY);
  #count = 0;

  push({ family, w0, w1, w2, w3, length }: Prefix): void {
    if (2 * this.#count === this.#kinds.length) this.#grow();
    const at = 4 * this.#count;
    this.#words[at] = w0;
    this.#words[at + 1] = w1;
    this.#words[at + 2] = w2;
    this.#words[at + 3] = w3;
    this.#kinds[2 * this.#count] = family;
    this.#kinds[2 * this.#count++ + 1] = length;
  }

  *[Symbol.iterator](): Generator<Prefix> {
    for (let index = 0; index < this.#count; index++) {
      const at = 4 * index;
      yield {
        family: this.#kinds[2 * index] as Family,
        w0: this.#words[at]!,
        w1: this.#words[at + 1]!,
        w2: this.#words[at + 2]!,
        w3: this.#words[at + 3]!,
        length: this.#kinds[2 * index + 1]!,
      };
    }
  }

  #grow(): void {
    const [words, kinds] = [new Uint32Array(2 * this.#words.length), new Uint8Array(2 * this.#kinds.length)];
    words.set(this.#words);
    kinds.set(this.#kinds);
    this.#words = words;
    this.#kinds = kinds;
  }
}
