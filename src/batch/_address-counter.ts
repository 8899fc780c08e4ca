import type { AddressCounts } from "./messages.ts";

const FIRST_SLOTS = 1024;
/** Another one in each process, so that nobody can write a log whose addresses all share a slot. */
const SEED = Math.trunc(Math.random() * 2 ** 32);

/** Counts lines by address, exactly: 16 to 32 bytes for each different IPv4 address, 32 to 64 for each IPv6 address. */
export class AddressCounter {
  readonly #four = new WordCounter(1);
  readonly #six = new WordCounter(4);
  readonly #most: number;

  /** `most` different addresses are accepted. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Whether there are more different addresses than are accepted. */
  get isFull(): boolean {
    return this.#four.size + this.#six.size > this.#most;
  }

  /** Adds `lines` to the address whose words are `words[at, ...)`. */
  add(family: 4 | 6, words: Uint32Array, at: number, lines = 1): void {
    (family === 4 ? this.#four : this.#six).add(words, at, lines);
  }

  addAll({ words4, counts4, words6, counts6 }: AddressCounts): void {
    for (let index = 0; index < counts4.length; index++) this.#four.add(words4, index, counts4[index]!);
    for (let index = 0; index < counts6.length; index++) this.#six.add(words6, 4 * index, counts6[index]!);
  }

  counts(): AddressCounts {
    const four = this.#four.entries();
    const six = this.#six.entries();
    return { words4: four.words, counts4: four.counts, words6: six.words, counts6: six.counts };
  }
}

/** A hash table of keys of one or four words, open addressing, at most three quarters full. A slot without lines is free. */
class WordCounter {
  size = 0;
  readonly #width: number;
  #words: Uint32Array;
  #counts = new Float64Array(FIRST_SLOTS);

  constructor(width: number) {
    this.#width = width;
    this.#words = new Uint32Array(width * FIRST_SLOTS);
  }

  add(from: Uint32Array, at: number, lines: number): void {
    const slot = this.#slotOf(from, at);
    if (this.#counts[slot] === 0) {
      for (let word = 0; word < this.#width; word++) this.#words[slot * this.#width + word] = from[at + word]!;
      this.size++;
    }
    this.#counts[slot]! += lines;
    if (4 * this.size > 3 * this.#counts.length) this.#grow();
  }

  #slotOf(from: Uint32Array, at: number): number {
    const words = this.#words;
    const mask = this.#counts.length - 1;
    let slot = hash(from, at, this.#width) & mask;
    for (; this.#counts[slot] !== 0; slot = (slot + 1) & mask) {
      if (words[slot * this.#width] !== from[at]) continue;
      if (this.#width === 1 || isSame(words, slot * 4, from, at)) break;
    }
    return slot;
  }

  #grow(): void {
    const { words, counts } = this.entries();
    this.#counts = new Float64Array(2 * this.#counts.length);
    this.#words = new Uint32Array(this.#width * this.#counts.length);
    for (let index = 0; index < counts.length; index++) {
      const slot = this.#slotOf(words, index * this.#width);
      for (let word = 0; word < this.#width; word++) this.#words[slot * this.#width + word] = words[index * this.#width + word]!;
      this.#counts[slot] = counts[index]!;
    }
  }

  entries(): { words: Uint32Array; counts: Float64Array } {
    const width = this.#width;
    const words = new Uint32Array(width * this.size);
    const counts = new Float64Array(this.size);
    let to = 0;
    for (let slot = 0; slot < this.#counts.length; slot++) {
      if (this.#counts[slot] === 0) continue;
      for (let word = 0; word < width; word++) words[to * width + word] = this.#words[slot * width + word]!;
      counts[to++] = this.#counts[slot]!;
    }
    return { words, counts };
  }
}

function isSame(words: Uint32Array, at: number, others: Uint32Array, other: number): boolean {
  return words[at + 1] === others[other + 1] && words[at + 2] === others[other + 2] && words[at + 3] === others[other + 3];
}

/** Every bit of the words reaches the low bits: addresses of one network must not share a slot. */
function hash(words: Uint32Array, at: number, width: number): number {
  let mixed = SEED;
  for (let word = 0; word < width; word++) mixed = Math.imul(mixed ^ words[at + word]!, 0x9e37_79b1) ^ (mixed >>> 15);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85eb_ca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
