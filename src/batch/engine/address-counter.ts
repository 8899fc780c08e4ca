import type { AddressCounts } from "./address-counts.ts";
import { Ipv4Counter } from "./_ipv4-counter.ts";

const FIRST_SLOTS = 1024;

/** Addresses added between two interruptions: a millisecond or two. */
const STEP = 4096;

/**
 * Counts lines by address, exactly until `makeRoom` is called: 12 to 36 bytes per distinct IPv4 address, 32 to 64 per IPv6 address.
 */
export class AddressCounter {
  readonly #ipv4: Ipv4Counter;
  readonly #ipv6 = new Ipv6Counter();
  readonly #most: number;
  #missing = 0;

  /** Holds up to `most` distinct addresses. */
  constructor(most: number) {
    this.#most = most;
    this.#ipv4 = new Ipv4Counter(most);
  }

  /** Whether there are more distinct addresses than it can hold. */
  get isFull(): boolean {
    const ipv6 = this.#ipv6.size;
    return this.#ipv4.most + ipv6 > this.#most && this.#ipv4.size + ipv6 > this.#most;
  }

  /** Adds a line to the address with the words `words[at, ...)`. */
  add(family: 4 | 6, words: Uint32Array, at: number): void {
    if (family === 4) this.#ipv4.add(words, at, 1);
    else this.#ipv6.add(words, at, 1);
  }

  /** Adds a line to each of the first `count` addresses in `words`. */
  addAll(family: 4 | 6, words: Uint32Array, count: number): void {
    if (family === 4) this.#ipv4.add(words, 0, count);
    else for (let index = 0; index < count; index++) this.#ipv6.add(words, 4 * index, 1);
  }

  /**
   * Subtracts the median of all counts from each, and drops the addresses that have no lines left, at least half of
   * them (Misra and Gries). Whatever is added before and after, and by several counters that are then added up: the
   * count of an address, 0 if it was dropped, is too low by at most `missing`. Each call takes away more than `most /
   * 2` times as many lines as it adds to `missing`, so `missing` < 2 * lines / `most`.
   */
  makeRoom(): void {
    const lines = this.#medianLines();
    this.#ipv4.subtract(lines);
    this.#ipv6.subtract(lines);
    this.#missing += lines;
  }

  #medianLines(): number {
    const ipv4 = this.#ipv4.entries().counts;
    const all = new Float64Array(ipv4.length + this.#ipv6.size);
    all.set(ipv4);
    all.set(this.#ipv6.entries().counts, ipv4.length);
    return all.sort()[all.length >> 1]!;
  }

  /** Adds the counts of another counter. Can be interrupted after each step. */
  *adding({ words4, counts4, words6, counts6, missing }: AddressCounts): Generator<undefined, void, undefined> {
    this.#missing += missing;
    yield* this.#ipv4.adding(words4, counts4);
    for (let index = 0; index < counts6.length; index++) {
      this.#ipv6.add(words6, 4 * index, counts6[index]!);
      if (index % STEP === STEP - 1) yield;
    }
  }

  counts(): AddressCounts {
    const ipv4 = this.#ipv4.entries();
    const ipv6 = this.#ipv6.entries();
    return {
      words4: ipv4.words,
      counts4: ipv4.counts,
      words6: ipv6.words,
      counts6: ipv6.counts,
      missing: this.#missing,
    };
  }
}

/**
 * A seed for the hash of one table. With one of its own for each, no one can write a log whose addresses all share a
 * slot, and adding one table's addresses in the order of its slots does not fill another table from its start, where
 * each would have to pass all others.
 */
function makeSeed(): number {
  return Math.trunc(Math.random() * 2 ** 32);
}

/** A hash table of keys of four words, with open addressing, at most three quarters full. A slot without lines is free. */
class Ipv6Counter {
  size = 0;
  readonly #width = 4;
  readonly #seed = makeSeed();
  #words = new Uint32Array(4 * FIRST_SLOTS);
  #counts = new Float64Array(FIRST_SLOTS);

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
    let slot = hash(this.#seed, from, at, this.#width) & mask;
    for (; this.#counts[slot] !== 0; slot = (slot + 1) & mask) {
      if (words[slot * this.#width] !== from[at]) continue;
      if (isSame(words, slot * 4, from, at)) break;
    }
    return slot;
  }

  /** Subtracts this many lines from each key; keys that have no more than that are removed. */
  subtract(lines: number): void {
    const { words, counts } = this.entries();
    this.size = 0;
    this.#counts.fill(0);
    for (let index = 0; index < counts.length; index++) {
      if (counts[index]! > lines) this.add(words, index * this.#width, counts[index]! - lines);
    }
  }

  #grow(): void {
    const { words, counts } = this.entries();
    this.size = 0;
    this.#counts = new Float64Array(2 * this.#counts.length);
    this.#words = new Uint32Array(this.#width * this.#counts.length);
    for (let index = 0; index < counts.length; index++) this.add(words, index * this.#width, counts[index]!);
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
  return (
    words[at + 1] === others[other + 1] && words[at + 2] === others[other + 2] && words[at + 3] === others[other + 3]
  );
}

/** Every bit of the words affects the low bits: addresses of one network must not share a slot. */
function hash(seed: number, words: Uint32Array, at: number, width: number): number {
  let mixed = seed;
  for (let word = 0; word < width; word++) mixed = Math.imul(mixed ^ words[at + word]!, 0x9e37_79b1) ^ (mixed >>> 15);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85eb_ca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
