import type { Family, Prefix } from "../address/address.ts";
import { copying, grown } from "./_column.ts";
import { NameTable } from "./_name-table.ts";
import type { Rule } from "./rule.ts";

/** The expiry, in the columns, of a rule that has none. */
export const PERMANENT = Number.POSITIVE_INFINITY;

/** The expiry, in the columns, of a slot without a rule: before every time, so that it is never active. */
export const NO_RULE_HERE = Number.NEGATIVE_INFINITY;

const FIRST_CAPACITY = 16;
/** What each column has more room than the one before it, as a share of the rules: see `RuleSlots`. */
const STAGGER = 1 / 128;
/*
 *     slot             0     1     2     3   ...   end - 1 | end ... capacity
 *     keys           none   10.0   ->0   192.0             |   not used yet
 *     lengths                 8     .     24               |
 *     expiresAt, createdAt, updatedAt: milliseconds since 1970, PERMANENT for "never"
 *                                   ^ freed = 2: its key's first word names the slot freed before it, 0 for none
 *
 * What always holds: each slot from 1 to end - 1 holds a rule or is on the list of freed ones, once; a key's bits after
 * its length are 0 (`take` clears them), so that equal prefixes have equal keys; `end` does not exceed the capacity of
 * any column. So a `!` follows each read at a slot that the tree names: such a slot is below `end`.
 * Freed slots are taken again, last first; no column ever moves an entry, as records of the tree name slots.
 *
 * A slot that was cleared has the expiry NO_RULE_HERE: no time is before it, so its rule is never active. It is freed at
 * once, or once no frozen table names it any more (`FamilyRules`); until then its key stays.
 *
 * Columns have different capacities, and grow by the same factor: to copy all columns of a million rules at once takes
 * some 40 ms. Each is full some 8,000 rules after the one before it, and is copied in 2 to 8 ms.
 *
 * A Float64 holds milliseconds exactly up to 2^53, and Infinity compares greater than every time: `now < expiresAt`
 * asks whether a rule is active without a case for those that never expire.
 */
/**
 * The rules of one family in columns. A rule's place in them, its slot, stays the same while the rule exists; slot 0 is
 * none. A rule takes 29 bytes (IPv4) or 41 (IPv6), and 4 to 12 for its name: see `NameTable`.
 */
export class RuleSlots {
  readonly family: Family;
  /** Of a key: 1 or 4. */
  readonly words: 1 | 4;
  /** Of a freed slot, in its first word, the slot freed before it. */
  keys: Uint32Array;
  lengths: Uint8Array;
  expiresAt: Float64Array;
  createdAt: Float64Array;
  updatedAt: Float64Array;
  names: NameTable;
  /** The first slot that no rule has used yet. */
  end = 1;
  freed = 0;

  constructor(family: Family, capacity = FIRST_CAPACITY) {
    this.family = family;
    this.words = family === 4 ? 1 : 4;
    const staggered = (step: number): number => Math.floor(capacity * (1 + step * STAGGER));
    this.keys = new Uint32Array(staggered(1) * this.words);
    this.lengths = new Uint8Array(staggered(2));
    this.expiresAt = new Float64Array(staggered(3));
    this.createdAt = new Float64Array(staggered(4));
    this.updatedAt = new Float64Array(staggered(5));
    this.names = new NameTable(staggered(6));
  }

  *copying(): Generator<undefined, RuleSlots, undefined> {
    const { end } = this;
    const copy = new RuleSlots(this.family, 0);
    copy.keys = yield* copying(this.keys, end * this.words);
    copy.lengths = yield* copying(this.lengths, end);
    copy.expiresAt = yield* copying(this.expiresAt, end);
    copy.createdAt = yield* copying(this.createdAt, end);
    copy.updatedAt = yield* copying(this.updatedAt, end);
    copy.names = yield* this.names.copying(end);
    copy.end = end;
    copy.freed = this.freed;
    return copy;
  }

  get byteLength(): number {
    const columns = [this.keys, this.lengths, this.expiresAt, this.createdAt, this.updatedAt];
    return columns.reduce((sum, column) => sum + column.byteLength, this.names.byteLength);
  }

  /** The slot of a new rule, with its key; the rest is for `write`. */
  take(prefix: Prefix): number {
    const slot = this.freed === 0 ? this.end++ : this.freed;
    if (slot === this.freed) this.freed = this.keys[slot * this.words]!;
    else this.#makeRoom(slot);
    const { length } = prefix;
    const key = slot * this.words;
    this.lengths[slot] = length;
    this.keys[key] = prefix.w0 & maskOf(length);
    if (this.words === 4) {
      this.keys[key + 1] = prefix.w1 & maskOf(length - 32);
      this.keys[key + 2] = prefix.w2 & maskOf(length - 64);
      this.keys[key + 3] = prefix.w3 & maskOf(length - 96);
    }
    return slot;
  }

  /** Whether there is a rule in the slot. */
  isTaken(slot: number): boolean {
    return slot > 0 && slot < this.end && this.expiresAt[slot] !== NO_RULE_HERE;
  }

  /** Writes all of a rule but its key. */
  write(slot: number, rule: Rule): void {
    this.expiresAt[slot] = rule.expiresAt ?? PERMANENT;
    this.createdAt[slot] = rule.createdAt;
    this.updatedAt[slot] = rule.updatedAt;
    this.names.set(slot, rule.name);
  }

  /** Takes the rule out of its slot, which keeps its key and is not taken again before `free`. */
  clear(slot: number): void {
    this.names.set(slot, null);
    this.expiresAt[slot] = NO_RULE_HERE;
  }

  /** Lets a slot that was cleared be taken again. */
  free(slot: number): void {
    this.keys[slot * this.words] = this.freed;
    this.freed = slot;
  }

  /** The order of a rule's prefix and another, as `comparePrefixes` has it. */
  compare(slot: number, { w0, w1, w2, w3, length }: Prefix): number {
    const { keys } = this;
    const key = slot * this.words;
    if (keys[key] !== w0 || this.words === 1) return keys[key]! - w0 || this.lengths[slot]! - length;
    return keys[key + 1]! - w1 || keys[key + 2]! - w2 || keys[key + 3]! - w3 || this.lengths[slot]! - length;
  }

  /** The order of two rules' prefixes. */
  compareSlots(one: number, other: number): number {
    const { keys, words, lengths } = this;
    for (let word = 0; word < words; word++) {
      const difference = keys[one * words + word]! - keys[other * words + word]!;
      if (difference !== 0) return difference;
    }
    return lengths[one]! - lengths[other]!;
  }

  /** Whether the rule's prefix covers the given one, or is it. */
  covers(slot: number, prefix: Prefix): boolean {
    const length = this.lengths[slot]!;
    return length <= prefix.length && this.sharedBits(slot, prefix) >= length;
  }

  /** How many leading bits a rule's key and an address have in common, host bits included: up to 32 or 128. */
  sharedBits(slot: number, { w0, w1, w2, w3 }: Prefix): number {
    const { keys } = this;
    const key = slot * this.words;
    // XOR leaves a 1 where two words differ: its leading zeros are what they share, 32 of them if they are equal.
    let difference = keys[key]! ^ w0;
    if (difference !== 0 || this.words === 1) return Math.clz32(difference);
    difference = keys[key + 1]! ^ w1;
    if (difference !== 0) return 32 + Math.clz32(difference);
    difference = keys[key + 2]! ^ w2;
    if (difference !== 0) return 64 + Math.clz32(difference);
    return 96 + Math.clz32(keys[key + 3]! ^ w3);
  }

  /**
   * A bit of a rule's key, 0 being the first. A shift takes its count modulo 32, and ~position is 31 - position there.
   */
  keyBit(slot: number, position: number): number {
    return (this.keys[slot * this.words + (position >>> 5)]! >>> ~position) & 1;
  }

  prefixAt(slot: number): Prefix {
    const { family, keys } = this;
    const length = this.lengths[slot]!;
    const key = slot * this.words;
    if (family === 4) return { family, w0: keys[key]!, w1: 0, w2: 0, w3: 0, length };
    return { family, w0: keys[key]!, w1: keys[key + 1]!, w2: keys[key + 2]!, w3: keys[key + 3]!, length };
  }

  ruleAt(slot: number): Rule {
    const expiresAt = this.expiresAt[slot]!;
    return {
      prefix: this.prefixAt(slot),
      name: this.names.get(slot),
      expiresAt: expiresAt === PERMANENT ? null : expiresAt,
      createdAt: this.createdAt[slot]!,
      updatedAt: this.updatedAt[slot]!,
    };
  }

  /** Each column that is full grows, by half: n rules are copied O(n) times in all. */
  #makeRoom(slot: number): void {
    const capacity = slot + (slot >>> 1) + 1;
    if (slot * this.words === this.keys.length) this.keys = grown(this.keys, new Uint32Array(capacity * this.words));
    if (slot === this.lengths.length) this.lengths = grown(this.lengths, new Uint8Array(capacity));
    if (slot === this.expiresAt.length) this.expiresAt = grown(this.expiresAt, new Float64Array(capacity));
    if (slot === this.createdAt.length) this.createdAt = grown(this.createdAt, new Float64Array(capacity));
    if (slot === this.updatedAt.length) this.updatedAt = grown(this.updatedAt, new Float64Array(capacity));
    if (slot === this.names.capacity) this.names.grow(capacity);
  }
}

/** A bit of an address, 0 being the first. */
export function bitOf(prefix: Prefix, position: number): number {
  const word = position < 64 ? (position < 32 ? prefix.w0 : prefix.w1) : position < 96 ? prefix.w2 : prefix.w3;
  return (word >>> ~position) & 1;
}

/** The word whose leading `bits` bits are set: none below 1, all from 32 on. */
export function maskOf(bits: number): number {
  if (bits <= 0) return 0;
  return bits >= 32 ? -1 : ~(-1 >>> bits);
}
