import type { PackedNames } from "../rule-names.ts";
import { grown } from "./_column.ts";

const FIRST_CAPACITY = 64;
/** Names are kept in blocks; those that are full never move. */
const BLOCK = 1 << 20;
/** The first bytes of a block; it doubles, as most lists have few names. */
const FIRST_BYTES = 1 << 10;
/** Distinct names that are remembered so that rules can share them. */
const MAX_SHARED = 4096;

const encoder = new TextEncoder();

/** Collects names of up to a few thousand characters as bytes, and packs them in any order. */
export class NamePool {
  readonly #shared = new Map<string, number>();
  readonly #blocks: Uint8Array[] = [];
  /** Bytes used of the last block. */
  #used = 0;
  #count = 1;
  /** By number, from 1: where the name begins, over all blocks, its bytes, and its UTF-16 code units. */
  #starts = new Uint32Array(FIRST_CAPACITY);
  #bytes = new Uint16Array(FIRST_CAPACITY);
  #units = new Uint16Array(FIRST_CAPACITY);

  /** The number of the name, 0 for none. */
  add(name: string | null): number {
    if (name === null) return 0;
    const known = this.#shared.get(name);
    if (known !== undefined) return known;
    const number = this.#append(name);
    if (this.#shared.size < MAX_SHARED) this.#shared.set(name, number);
    return number;
  }

  /** Whether two numbers stand for the same name. */
  isSame(one: number, other: number): boolean {
    if (one === other || one === 0 || other === 0) return one === other;
    const bytes = this.#bytes[one]!;
    if (bytes !== this.#bytes[other]!) return false;
    const [a, b] = [this.#starts[one]!, this.#starts[other]!];
    for (let at = 0; at < bytes; at++) if (this.#byteAt(a + at) !== this.#byteAt(b + at)) return false;
    return true;
  }

  /** A name does not cross the end of its block. */
  #byteAt(start: number): number {
    return this.#blocks[Math.floor(start / BLOCK)]![start % BLOCK]!;
  }

  /** The names with these numbers, packed; each distinct name once. */
  pack(numbers: Uint32Array): PackedNames {
    const indexes = new Map<number, number>();
    const packed = new Uint32Array(numbers.length);
    let size = 0;
    for (let at = 0; at < numbers.length; at++) {
      const number = numbers[at]!;
      if (number === 0) continue;
      let index = indexes.get(number);
      if (index === undefined) {
        indexes.set(number, (index = indexes.size + 1));
        size += this.#bytes[number]!;
      }
      packed[at] = index;
    }
    return { ...this.#copied(indexes, size), numbers: packed };
  }

  #copied(indexes: ReadonlyMap<number, number>, size: number): Pick<PackedNames, "text" | "ends"> {
    const text = new Uint8Array(size);
    const ends = new Uint32Array(indexes.size);
    let at = 0;
    let end = 0;
    let index = 0;
    for (const number of indexes.keys()) {
      const start = this.#starts[number]!;
      const block = this.#blocks[Math.floor(start / BLOCK)]!;
      for (let from = start % BLOCK, last = from + this.#bytes[number]!; from < last; from++) text[at++] = block[from]!;
      ends[index++] = end += this.#units[number]!;
    }
    return { text, ends };
  }

  #append(name: string): number {
    // A UTF-16 code unit takes up to 3 bytes (a surrogate pair 4, so 2 each), so the encoder always has room. A name is
    // never split: what is left of a block is at most 3 * (longest name) bytes. Numbers and offsets fit 32 bits while
    // all blocks together have at most 4 GiB.
    //     starts[n]   | block: starts[n] / 2^20 | offset in it: starts[n] % 2^20 |
    if (this.#blocks.length === 0 || this.#used + 3 * name.length > BLOCK) {
      this.#blocks.push(new Uint8Array(FIRST_BYTES));
      this.#used = 0;
    }
    const room = this.#used + 3 * name.length;
    let block = this.#blocks.at(-1)!;
    if (room > block.length) {
      block = grown(block, new Uint8Array(Math.min(BLOCK, Math.max(room, 2 * block.length))));
      this.#blocks[this.#blocks.length - 1] = block;
    }
    const number = this.#count++;
    if (number === this.#starts.length) this.#grow(2 * number);
    const { written } = encoder.encodeInto(name, block.subarray(this.#used));
    this.#starts[number] = (this.#blocks.length - 1) * BLOCK + this.#used;
    this.#bytes[number] = written;
    this.#units[number] = name.length;
    this.#used += written;
    return number;
  }

  #grow(capacity: number): void {
    this.#starts = grown(this.#starts, new Uint32Array(capacity));
    this.#bytes = grown(this.#bytes, new Uint16Array(capacity));
    this.#units = grown(this.#units, new Uint16Array(capacity));
  }
}
