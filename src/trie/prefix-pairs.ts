import type { Family } from "../address/address.ts";
import { sortedIndexes, sortedWords } from "../sets/radix-sort.ts";
import { finished } from "../turns/finished.ts";
import type { PrefixSource, PrefixVisitor } from "./prefix-source.ts";

/**
 * Pairs of a prefix and a value in the order in which they come, sorted when they are asked for. For lists of millions:
 * unlike in a trie, nothing can be looked up or removed, so adding is a store to the end. Bytes for each pair:
 *
 *     address   4 (IPv4) or 16 (IPv6)
 *     length    0 while all lengths are the same, else 1
 *     value     0 while all values are the same, else 4
 *     room      half as much again, to grow
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

  /** Itself for the last time: each family's pairs are forgotten, and their memory freed, once they were visited. */
  drain(): PrefixSource {
    return {
      sizeOf: (family) => this.sizeOf(family),
      forEach: (family, visit) => {
        this.forEach(family, visit);
        this.#families[family].forget();
      },
    };
  }
}

type Column = Uint8Array<ArrayBuffer> | Int32Array<ArrayBuffer> | Uint32Array<ArrayBuffer>;

/** Pairs of one family in columns, which are brought into order when it is first asked for. */
class FamilyPairs {
  readonly #stride: 1 | 4;
  #words: Uint32Array<ArrayBuffer>;
  readonly #lengths = new PairColumn((length) => new Uint8Array(length));
  readonly #values = new PairColumn((length) => new Int32Array(length));
  #isSorted = true;
  /** Different prefixes, once they are in order. */
  #size = 0;
  count = 0;

  constructor(stride: 1 | 4) {
    this.#stride = stride;
    this.#words = new Uint32Array(64 * stride);
  }

  add(w0: number, w1: number, w2: number, w3: number, length: number, value: number): void {
    const at = this.count * this.#stride;
    if (at + this.#stride > this.#words.length) this.#words = grown(this.#words);
    this.#words[at] = w0;
    if (this.#stride === 4) {
      this.#words[at + 1] = w1;
      this.#words[at + 2] = w2;
      this.#words[at + 3] = w3;
    }
    this.#lengths.set(this.count, length);
    this.#values.set(this.count, value);
    this.count++;
    this.#isSorted = false;
  }

  size(): number {
    this.#sort();
    return this.#size;
  }

  forEach(visit: PrefixVisitor): void {
    this.#sort();
    for (let pair = 0, end = 0; pair < this.count; pair = end) {
      const first = this.#values.at(pair);
      // Of several values of a prefix each counts once.
      let more: Set<number> | null = null;
      for (end = pair + 1; end < this.count && this.#compare(pair, end) === 0; end++) {
        const value = this.#values.at(end);
        if (value !== first) (more ??= new Set([first])).add(value);
      }
      const values = more === null ? null : [...more].sort((a, b) => a - b);
      const value = values?.[0] ?? first;
      const length = this.#lengths.at(pair);
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

  /** Forgets the pairs, but not how many different prefixes they had. */
  forget(): void {
    this.#words.buffer.transfer(0);
    this.#words = new Uint32Array(0);
    this.#lengths.forget();
    this.#values.forget();
    this.count = 0;
  }

  #sort(): void {
    if (this.#isSorted) return;
    if (!this.#isInOrder()) {
      if (this.#stride === 1) this.#sortWords();
      else this.#sortGroups();
    }
    this.#size = 0;
    for (let pair = 0; pair < this.count; pair++) if (pair === 0 || this.#compare(pair - 1, pair) !== 0) this.#size++;
    this.#isSorted = true;
  }

  /** Many lists are. */
  #isInOrder(): boolean {
    for (let pair = 1; pair < this.count; pair++) if (this.#compare(pair - 1, pair) > 0) return false;
    return true;
  }

  /**
   * Addresses of one word are sorted themselves: in a list with one value, nothing has to follow them. By length first,
   * then by word: the second sort is stable, so pairs with the same word keep the order of their lengths, and those of
   * one prefix the order in which they came.
   */
  #sortWords(): void {
    const { count } = this;
    if (this.#lengths.isConstant && this.#values.isConstant) {
      this.#words = sortedWords(this.#words.subarray(0, count));
      return;
    }
    const order = this.#orderByLength();
    const words = new Uint32Array(count);
    for (let at = 0; at < count; at++) words[at] = this.#words[order[at]!]!;
    this.#words = sortedWords(words, order);
    this.#lengths.reorder(order);
    this.#values.reorder(order);
  }

  /** The pairs' numbers by length, equal ones in the order in which they came. */
  #orderByLength(): Uint32Array {
    const offsets = new Uint32Array(34); // lengths are 0 to 32
    for (let pair = 0; pair < this.count; pair++) offsets[this.#lengths.at(pair) + 1]!++;
    for (let length = 1; length < offsets.length; length++) offsets[length]! += offsets[length - 1]!;
    // offsets[l] is where the next pair of length l goes: after all shorter ones, and those of its length before it.
    const order = new Uint32Array(this.count);
    for (let pair = 0; pair < this.count; pair++) order[offsets[this.#lengths.at(pair)]!++] = pair;
    return order;
  }

  /** Addresses of four words stay where they are until the order of their numbers is known. */
  #sortGroups(): void {
    const order = this.#order();
    // One column after the other: the old one of each is free before the next is made.
    const words = new Uint32Array(this.count * 4);
    for (let pair = 0; pair < this.count; pair++)
      for (let word = 0; word < 4; word++) words[pair * 4 + word] = this.#words[order[pair]! * 4 + word]!;
    this.#words = words;
    this.#lengths.reorder(order);
    this.#values.reorder(order);
  }

  /**
   * The pairs' numbers in order: a stable sort by each digit, from the least significant one on, leaves them ordered by
   * all digits together. The length is the least significant: it decides between prefixes of one address.
   */
  #order(): Uint32Array {
    const [words, lengths] = [this.#words, this.#lengths]; // read in the inmost loops
    const digits = [(pair: number) => lengths.at(pair)];
    for (let word = 3; word >= 0; word--) {
      digits.push((pair) => words[pair * 4 + word]! & 0xffff);
      digits.push((pair) => words[pair * 4 + word]! >>> 16);
    }
    return finished(sortedIndexes(this.count, digits, (a, b) => this.#compare(a, b)));
  }

  /** By address, then by length. */
  #compare(a: number, b: number): number {
    for (let word = 0; word < this.#stride; word++) {
      const difference = this.#words[a * this.#stride + word]! - this.#words[b * this.#stride + word]!;
      if (difference !== 0) return difference;
    }
    return this.#lengths.at(a) - this.#lengths.at(b);
  }
}

/** A number for each pair, which takes no memory as long as all are the same. */
class PairColumn<Numbers extends Column> {
  readonly #allocate: (length: number) => Numbers;
  #first = 0;
  /** Null as long as all are `#first`; after that, it has the number of every pair so far. */
  #numbers: Numbers | null = null;

  constructor(allocate: (length: number) => Numbers) {
    this.#allocate = allocate;
  }

  get isConstant(): boolean {
    return this.#numbers === null;
  }

  at(pair: number): number {
    return this.#numbers === null ? this.#first : this.#numbers[pair]!;
  }

  /** Of pair 0 first, then of each that follows. */
  set(pair: number, number: number): void {
    if (pair === 0) this.#first = number;
    if (this.#numbers === null) {
      if (number === this.#first) return;
      this.#numbers = this.#allocate(Math.max(64, pair + (pair >>> 1)));
      this.#numbers.fill(this.#first, 0, pair);
    }
    if (pair === this.#numbers.length) this.#numbers = grown(this.#numbers);
    this.#numbers[pair] = number;
  }

  forget(): void {
    this.#numbers?.buffer.transfer(0);
    this.#numbers = null;
  }

  reorder(order: Uint32Array): void {
    if (this.#numbers === null) return;
    const numbers = this.#allocate(order.length);
    for (let pair = 0; pair < order.length; pair++) numbers[pair] = this.#numbers[order[pair]!]!;
    this.#numbers = numbers;
  }
}

/** Half as much again: what is copied is O(1) per pair, amortised, and little is left over. */
function grown<Numbers extends Column>(numbers: Numbers): Numbers {
  const length = Math.max(64, numbers.length + (numbers.length >>> 1));
  // `transfer` frees the old memory at once, which otherwise waits for a collection.
  const buffer = numbers.buffer.transfer(length * numbers.BYTES_PER_ELEMENT);
  return new (numbers.constructor as new (buffer: ArrayBuffer) => Numbers)(buffer);
}
