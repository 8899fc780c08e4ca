import type { Family, Prefix } from "../address/address.ts";
import { NamePool } from "./index/_name-pool.ts";
import { type DigitOf, sortedIndexes } from "../sets/radix-sort.ts";
import { grown } from "./index/_column.ts";
import { prefixIn, type RuleColumns } from "./rule-columns.ts";
import type { PackedNames } from "./rule-names.ts";
import type { DesiredRule } from "./plan-replacement.ts";

const FIRST_CAPACITY = 64;
/** Rules in a part: few enough that processing one takes a few milliseconds. */
export const RULES_PER_PART = 8192;

/** A part of a list: rules of one family in the order of prefixes. The times of creation and update are 0. */
export interface ListedColumns extends RuleColumns {
  readonly names: PackedNames;
  /** The number of each rule in the list. */
  readonly lines: Uint32Array;
}

/**
 * Called for a rule whose prefix an earlier rule has, with the numbers of it and of the first of them in the list;
 * `isSame`: both have the same name and expiry.
 */
export type OnRepeated = (prefix: Prefix, line: number, earlier: number, isSame: boolean) => void;

/**
 * Collects rules in any order, in columns: about 25 bytes a rule (IPv4) and its name, without an object for each. Then
 * returns them in the order of prefixes, each prefix once, in parts.
 */
export class RuleList {
  readonly #names = new NamePool();
  readonly #families = { 4: new FamilyList(4), 6: new FamilyList(6) } as const;

  get count(): number {
    return this.#families[4].count + this.#families[6].count;
  }

  /** `line`: the rule's number in the list, larger than those before it. */
  add({ prefix, name, expiresAt }: DesiredRule, line: number): void {
    this.#families[prefix.family].add(prefix, this.#names.add(name), expiresAt ?? Number.POSITIVE_INFINITY, line);
  }

  /**
   * In interruptible steps. O(n), or O(n log n) if only a few differ. Of rules with the same prefix one stays: the first
   * of the list, or the one that expires last (of those the first), so that no address is covered for a shorter time.
   */
  *inOrder(
    onRepeated: OnRepeated,
    stays: "first" | "longest" = "first",
  ): Generator<undefined, ListedColumns[], undefined> {
    const parts: ListedColumns[] = [];
    for (const family of [4, 6] as const) {
      const list = this.#families[family];
      const order = yield* list.distinctInOrder(onRepeated, this.#names, stays);
      for (let at = 0; at < order.length; at += RULES_PER_PART) {
        parts.push(list.partOf(order.subarray(at, at + RULES_PER_PART), this.#names));
        yield;
      }
    }
    return parts;
  }
}

/**
 * The rules of one family, in the order in which they came, in columns: rule i has the words from i * stride on, and
 * element i of every other column. All columns have the same capacity, which doubles when they are full: n rules are
 * copied fewer than 2n times.
 */
class FamilyList {
  readonly family: Family;
  readonly #stride: 1 | 4;
  count = 0;
  #words: Uint32Array;
  #lengths = new Uint8Array(FIRST_CAPACITY);
  #names = new Uint32Array(FIRST_CAPACITY);
  #expiresAt = new Float64Array(FIRST_CAPACITY);
  #lines = new Uint32Array(FIRST_CAPACITY);

  constructor(family: Family) {
    this.family = family;
    this.#stride = family === 4 ? 1 : 4;
    this.#words = new Uint32Array(FIRST_CAPACITY * this.#stride);
  }

  add({ w0, w1, w2, w3, length }: Prefix, name: number, expiresAt: number, line: number): void {
    const at = this.count++;
    if (at === this.#lengths.length) this.#grow(2 * at);
    const word = at * this.#stride;
    this.#words[word] = w0;
    if (this.#stride === 4) {
      this.#words[word + 1] = w1;
      this.#words[word + 2] = w2;
      this.#words[word + 3] = w3;
    }
    this.#lengths[at] = length;
    this.#names[at] = name;
    this.#expiresAt[at] = expiresAt;
    this.#lines[at] = line;
  }

  /** The indexes of the rules in the order of prefixes, without those that repeat one. */
  *distinctInOrder(
    onRepeated: OnRepeated,
    pool: NamePool,
    stays: "first" | "longest",
  ): Generator<undefined, Uint32Array, undefined> {
    const compare = (a: number, b: number): number => this.#compare(a, b);
    const order = yield* sortedIndexes(this.count, this.#digits(), compare);
    // In order, equal prefixes are neighbours, and sorting is stable: the first of them is the earliest of the list, and
    // stays unless a later one is wanted. `kept` is never past `at`, so the array is filtered in place.
    let kept = 0;
    for (let at = 0; at < order.length; at++) {
      const index = order[at]!;
      const first = kept === 0 ? -1 : order[kept - 1]!;
      if (first >= 0 && compare(first, index) === 0) {
        const isSame =
          this.#expiresAt[first] === this.#expiresAt[index] && pool.isSame(this.#names[first]!, this.#names[index]!);
        onRepeated(this.#prefixAt(index), this.#lines[index]!, this.#lines[first]!, isSame);
        if (stays === "longest" && this.#expiresAt[index]! > this.#expiresAt[first]!) order[kept - 1] = index;
      } else order[kept++] = index;
      if (at % RULES_PER_PART === 0) yield;
    }
    return order.subarray(0, kept);
  }

  partOf(indexes: Uint32Array, pool: NamePool): ListedColumns {
    const count = indexes.length;
    const stride = this.#stride;
    const words = new Uint32Array(count * stride);
    const [lengths, names, lines] = [new Uint8Array(count), new Uint32Array(count), new Uint32Array(count)];
    const [expiresAt, createdAt, updatedAt] = [
      new Float64Array(count),
      new Float64Array(count),
      new Float64Array(count),
    ];
    for (let at = 0; at < count; at++) {
      const index = indexes[at]!;
      for (let word = 0; word < stride; word++) words[at * stride + word] = this.#words[index * stride + word]!;
      lengths[at] = this.#lengths[index]!;
      names[at] = this.#names[index]!;
      expiresAt[at] = this.#expiresAt[index]!;
      lines[at] = this.#lines[index]!;
    }
    return { family: this.family, words, lengths, names: pool.pack(names), expiresAt, createdAt, updatedAt, lines };
  }

  #prefixAt(index: number): Prefix {
    return prefixIn({ family: this.family, words: this.#words, lengths: this.#lengths }, index);
  }

  #compare(a: number, b: number): number {
    const words = this.#words;
    const stride = this.#stride;
    for (let word = 0; word < stride; word++) {
      const difference = words[a * stride + word]! - words[b * stride + word]!;
      if (difference !== 0) return difference;
    }
    return this.#lengths[a]! - this.#lengths[b]!;
  }

  #digits(): DigitOf[] {
    // For a radix sort, least significant digit first: the length, then the words from the last to the first, each as
    // its lower and its upper 16 bits. Stable passes in this order sort by (w0, w1, w2, w3, length), as #compare does.
    //     IPv6: length | w3 low | w3 high | w2 low | w2 high | w1 low | w1 high | w0 low | w0 high
    const stride = this.#stride;
    const [words, lengths] = [this.#words, this.#lengths];
    const digits: DigitOf[] = [(index) => lengths[index]!];
    for (let word = stride - 1; word >= 0; word--)
      digits.push(
        (index) => words[index * stride + word]! & 0xffff,
        (index) => words[index * stride + word]! >>> 16,
      );
    return digits;
  }

  #grow(capacity: number): void {
    this.#words = grown(this.#words, new Uint32Array(capacity * this.#stride));
    this.#lengths = grown(this.#lengths, new Uint8Array(capacity));
    this.#names = grown(this.#names, new Uint32Array(capacity));
    this.#expiresAt = grown(this.#expiresAt, new Float64Array(capacity));
    this.#lines = grown(this.#lines, new Uint32Array(capacity));
  }
}
