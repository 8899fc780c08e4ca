import type { Family } from "../address/address.ts";
import { sortedIndexes } from "../sets/radix-sort.ts";
import type { PrefixSource, PrefixVisitor } from "./prefix-source.ts";

/**
 * Pairs of a prefix and a value in the order in which they come, sorted when they are asked for; in 9 bytes a pair (IPv4)
 * or 21 (IPv6), and half as many to grow. For lists of millions: unlike in a trie, nothing can be looked up or removed,
 * so adding is a store to the end.
 */
export class PrefixPairs implements PrefixSource {
  readonly #families = { 4: new FamilyPairs(1), 6: new FamilyPairs(4) };

  /** The number of pairs, the same ones counted each time they came. */
  get count(): number {
    return this.#families[4].count + this.#families[6].count;
  }

  /** The prefix must have no host bits. O(1), amortised. */
  add(family: Family, w0: number, w1: number, w2: number, w3: number, length: number, value: number): void {
    this.#families[family].add(w0, w1, w2, w3, length, value);
  }

  /** As that of `PrefixTrie`; O(n) after pairs were added. */
  sizeOf(family: Family): number {
    return this.#families[family].size();
  }

  /** As that of `PrefixTrie`; O(n). */
  forEach(family: Family, visit: PrefixVisitor): void {
    this.#families[family].forEach(visit);
  }
}

/** Pairs of one family in columns, which are brought into order when it is first asked for. */
class FamilyPairs {
  readonly #stride: 1 | 4;
  #words: Uint32Array;
  #lengths: Uint8Array;
  #values: Int32Array;
  #isSorted = true;
  /** Different prefixes, once they are in order. */
  #size = 0;
  count = 0;

  constructor(stride: 1 | 4) {
    this.#stride = stride;
    this.#words = new Uint32Array(64 * stride);
    this.#lengths = new Uint8Array(64);
    this.#values = new Int32Array(64);
  }

  add(w0: number, w1: number, w2: number, w3: number, length: number, value: number): void {
    if (this.count === this.#lengths.length) this.#grow();
    const at = this.count++ * this.#stride;
    this.#words[at] = w0;
    if (this.#stride === 4) {
      this.#words[at + 1] = w1;
      this.#words[at + 2] = w2;
      this.#words[at + 3] = w3;
    }
    this.#lengths[this.count - 1] = length;
    this.#values[this.count - 1] = value;
    this.#isSorted = false;
  }

  /** Half as much again: what is copied is O(1) per pair, amortised, and little is left over. */
  #grow(): void {
    const capacity = this.count + (this.count >>> 1);
    const [words, lengths, values] = [this.#words, this.#lengths, this.#values];
    (this.#words = new Uint32Array(capacity * this.#stride)).set(words);
    (this.#lengths = new Uint8Array(capacity)).set(lengths);
    (this.#values = new Int32Array(capacity)).set(values);
  }

  size(): number {
    this.#sort();
    return this.#size;
  }

  forEach(visit: PrefixVisitor): void {
    this.#sort();
    for (let pair = 0, end = 0; pair < this.count; pair = end) {
      const first = this.#values[pair]!;
      // Of several values of a prefix each counts once.
      let more: Set<number> | null = null;
      for (end = pair + 1; end < this.count && this.#compare(pair, end) === 0; end++) {
        const value = this.#values[end]!;
        if (value !== first) (more ??= new Set([first])).add(value);
      }
      const values = more === null ? null : [...more].sort((a, b) => a - b);
      const value = values?.[0] ?? first;
      const length = this.#lengths[pair]!;
      const at = pair * this.#stride;
      if (this.#stride === 1) visit(this.#words[at]!, 0, 0, 0, length, value, values);
      else
        visit(
          this.#words[at]!,
          this.#words[at + 1]!,
          this.#words[at + 2]!,
          this.#words[at + 3]!,
          length,
          value,
          values,
        );
    }
  }

  #sort(): void {
    if (this.#isSorted) return;
    const order = this.#order();
    // One column after the other: the old one of each is free before the next is made.
    const { count } = this;
    const stride = this.#stride;
    const words = new Uint32Array(count * stride);
    for (let pair = 0; pair < count; pair++)
      for (let word = 0; word < stride; word++)
        words[pair * stride + word] = this.#words[order[pair]! * stride + word]!;
    this.#words = words;
    const lengths = new Uint8Array(count);
    for (let pair = 0; pair < count; pair++) lengths[pair] = this.#lengths[order[pair]!]!;
    this.#lengths = lengths;
    const values = new Int32Array(count);
    for (let pair = 0; pair < count; pair++) values[pair] = this.#values[order[pair]!]!;
    this.#values = values;
    this.#size = 0;
    for (let pair = 0; pair < count; pair++) if (pair === 0 || this.#compare(pair - 1, pair) !== 0) this.#size++;
    this.#isSorted = true;
  }

  /** The pairs' numbers in order; from the least significant digit of 16 bits on. */
  #order(): Uint32Array {
    const [words, lengths, stride] = [this.#words, this.#lengths, this.#stride]; // read in the inmost loops
    const digits = [(pair: number) => lengths[pair]!];
    for (let word = stride - 1; word >= 0; word--) {
      digits.push((pair) => words[pair * stride + word]! & 0xffff);
      digits.push((pair) => words[pair * stride + word]! >>> 16);
    }
    const work = sortedIndexes(this.count, digits, (a, b) => this.#compare(a, b));
    for (;;) {
      const { done, value } = work.next();
      if (done === true) return value;
    }
  }

  /** By address, then by length. */
  #compare(a: number, b: number): number {
    for (let word = 0; word < this.#stride; word++) {
      const difference = this.#words[a * this.#stride + word]! - this.#words[b * this.#stride + word]!;
      if (difference !== 0) return difference;
    }
    return this.#lengths[a]! - this.#lengths[b]!;
  }
}
