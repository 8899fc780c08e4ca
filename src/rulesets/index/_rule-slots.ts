import type { Family, Prefix } from "../../address/address.ts";
import { finished } from "../../turns/finished.ts";
import { ActiveSlots } from "./_active-slots.ts";
import { copying, grown, inPieces } from "./_column.ts";
import { NameTable } from "./_name-table.ts";
import { SlotMoment } from "./_slot-moment.ts";
import type { Rule } from "../rule.ts";
import type { PackedNames } from "../rule-names.ts";

/** The expiry, in the columns, of a rule that has none. */
export const PERMANENT = Number.POSITIVE_INFINITY;

/** The expiry, in the columns, of a slot without a rule: before every time, so that it is never active. */
export const NO_RULE_HERE = Number.NEGATIVE_INFINITY;

const FIRST_CAPACITY = 16;
/** How much larger each column's capacity is than the one before it, as a share of the rules: see `RuleSlots`. */
const STAGGER = 1 / 128;

/** Rules between two pauses: a few hundred microseconds. */
const VISITED_AT_ONCE = 1 << 14;

/** Called with a prefix; words that the family does not have are 0. */
export type VisitPrefix = (length: number, w0: number, w1: number, w2: number, w3: number) => void;

/** Writes the times of the slots from `from` to before `to` into a column. */
export type WriteTimes = (column: Float64Array, from: number, to: number) => void;

/** The columns of a file, whose rules take the slots from 1 on, in order. */
export interface FileColumns {
  readonly count: number;
  /** From slot 0 on, whose elements are unused; the file's own, never written to. */
  readonly lengths: Uint8Array;
  readonly expiresAt: Float64Array;
  // Each of these is called on first use, and throws its errors then.
  /** From slot 0 on, whose key means nothing; the slots' own. In steps of a few milliseconds. */
  keys(): Generator<undefined, Uint32Array, undefined>;
  created(): WriteTimes;
  updated(): WriteTimes;
  /** Read at the first call; further calls return the same object. */
  names(): PackedNames;
}

/*
 *     slot             0     1     2     3   ...   end - 1 | end ... capacity
 *     keys           none   10.0   ->0   192.0             |   not used yet
 *     lengths                 8     .     24               |
 *     expiresAt, createdAt, updatedAt: milliseconds since 1970, PERMANENT for "never"
 *                                   ^ freed = 2: its key's first word names the slot freed before it, 0 for none
 *
 * Invariants: each slot from 1 to end - 1 either holds a rule or is on the list of freed ones, exactly once; a key's
 * bits after its length are 0 (`take` clears them), so equal prefixes have equal keys; `end` does not exceed the
 * capacity of any column. So a `!` follows each read at a slot that the tree refers to: such a slot is below `end`.
 * Freed slots are reused, last first; no column ever moves an entry, because records of the tree refer to slots.
 *
 * A cleared slot has the expiry NO_RULE_HERE: no time is before it, so its rule is never active. It is freed at once,
 * or when no frozen table refers to it any more (`FamilyRules`); until then its key stays.
 *
 * Columns have different capacities, and grow by the same factor, because copying all columns of a million rules at
 * once takes about 40 ms. Each column is full about 8,000 rules after the one before it, and is copied in 2 to 8 ms.
 *
 * A Float64 holds milliseconds exactly up to 2^53, and Infinity compares greater than every time: `now < expiresAt`
 * asks whether a rule is active without a case for those that never expire.
 */
/*
 * Rules from a file (`RuleSlots.of`) cost little until they are needed:
 *
 *     lengths, expiresAt              are those of the file, until the first write copies them
 *     keys, times and names           are made of the file's at their first use, one by one
 */
/**
 * The rules of one family in columns. A rule's index in them, its slot, stays the same while the rule exists; slot 0
 * means none. A rule takes 29 bytes (IPv4) or 41 (IPv6), and 4 to 12 for its name: see `NameTable`.
 */
export class RuleSlots {
  readonly family: Family;
  /** Words of a key: 1 or 4. */
  readonly words: 1 | 4;
  lengths: Uint8Array;
  expiresAt: Float64Array;
  /** The first slot that no rule has used yet. */
  end = 1;
  freed = 0;
  /** Values for columns that do not exist yet. */
  #capacity: number;
  #keys: Uint32Array | undefined;
  #createdAt: Float64Array | undefined;
  #updatedAt: Float64Array | undefined;
  #names: NameTable | undefined;
  /** The source of the columns that do not exist yet. */
  #file: FileColumns | undefined;
  /** `lengths` and `expiresAt` are those of the file. */
  #isBorrowed = false;
  #moments: readonly SlotMoment[] = [];
  #active: ActiveSlots | undefined;

  constructor(family: Family, capacity = FIRST_CAPACITY) {
    this.family = family;
    this.words = family === 4 ? 1 : 4;
    this.#capacity = capacity;
    this.lengths = new Uint8Array(staggered(capacity, 2));
    this.expiresAt = new Float64Array(staggered(capacity, 3));
  }

  /** The slots of the rules of a file. O(1). */
  static of(family: Family, file: FileColumns): RuleSlots {
    const slots = new RuleSlots(family, 0);
    slots.#capacity = Math.max(FIRST_CAPACITY, file.count + 1);
    slots.lengths = file.lengths;
    slots.expiresAt = file.expiresAt;
    slots.#file = file;
    slots.#isBorrowed = true;
    slots.end = file.count + 1;
    return slots;
  }

  /** Which rules are active. O(1), or O(slots / 512) after the columns have grown. */
  get active(): ActiveSlots {
    if (this.#active?.expiresAt !== this.expiresAt) this.#active = new ActiveSlots(this.expiresAt);
    return this.#active!;
  }

  /** The keys by slot. The first word of a freed slot's key is the slot that was freed before it. */
  get keys(): Uint32Array {
    return (this.#keys ??=
      this.#file === undefined
        ? new Uint32Array(staggered(this.#capacity, 1) * this.words)
        : finished(this.#file.keys()));
  }

  get createdAt(): Float64Array {
    return (this.#createdAt ??= finished(this.#timesIn(4, this.#file?.created())));
  }

  get updatedAt(): Float64Array {
    return (this.#updatedAt ??= finished(this.#timesIn(5, this.#file?.updated())));
  }

  get names(): NameTable {
    return (this.#names ??= finished(this.#makingNames()));
  }

  /**
   * Makes the columns that are otherwise made on first use, in short steps. A column that is used meanwhile is made by
   * that use, and is kept.
   */
  *unpacking(): Generator<undefined, void, undefined> {
    const file = this.#file;
    if (file === undefined) return;
    yield* this.#unpackingKeys();
    if (this.#createdAt === undefined) {
      const times = yield* this.#timesIn(4, file.created());
      this.#createdAt ??= times;
    }
    if (this.#updatedAt === undefined) {
      const times = yield* this.#timesIn(5, file.updated());
      this.#updatedAt ??= times;
    }
    if (this.#names === undefined) {
      const names = yield* this.#makingNames();
      this.#names ??= names;
    }
    if (this.#isBorrowed) yield* this.#owning();
    this.#file = undefined;
  }

  *#unpackingKeys(): Generator<undefined, void, undefined> {
    if (this.#file === undefined || this.#keys !== undefined) return;
    const keys = yield* this.#file.keys();
    this.#keys ??= keys;
  }

  *copying(): Generator<undefined, RuleSlots, undefined> {
    const { end } = this;
    const copy = new RuleSlots(this.family, 0);
    copy.#keys = yield* copying(this.keys, end * this.words);
    copy.lengths = yield* copying(this.lengths, end);
    copy.expiresAt = yield* copying(this.expiresAt, end);
    copy.#createdAt = yield* copying(this.createdAt, end);
    copy.#updatedAt = yield* copying(this.updatedAt, end);
    copy.#names = yield* this.names.copying(end);
    copy.end = end;
    copy.freed = this.freed;
    return copy;
  }

  /**
   * The expiries from slot 1 on, as they are now: later writes do not affect them. O(1) for the expiries of a file,
   * otherwise O(n).
   */
  expiriesNow(): Float64Array {
    return this.#isBorrowed ? this.expiresAt.subarray(1, this.end) : this.expiresAt.slice(1, this.end);
  }

  /** The slots as they are now: until `end` is called, later writes do not affect it. O(1), and O(1) for each write. */
  moment(): SlotMoment {
    const moment = new SlotMoment(this, () => (this.#moments = this.#moments.filter((other) => other !== moment)));
    this.#moments = [...this.#moments, moment];
    return moment;
  }

  get byteLength(): number {
    const own = this.#isBorrowed ? [] : [this.lengths, this.expiresAt];
    const columns = [...own, this.#keys, this.#createdAt, this.#updatedAt, this.#names, this.#active];
    return columns.reduce((sum, column) => sum + (column?.byteLength ?? 0), 0);
  }

  /** Takes a slot for a new rule and writes its key; `write` writes the rest. */
  take(prefix: Prefix): number {
    const slot = this.freed === 0 ? this.end++ : this.freed;
    this.#beforeWrite(slot);
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

  /** Writes everything of a rule except its key. */
  write(slot: number, rule: Rule): void {
    this.#beforeWrite(slot);
    this.#expire(slot, rule.expiresAt ?? PERMANENT);
    this.createdAt[slot] = rule.createdAt;
    this.updatedAt[slot] = rule.updatedAt;
    this.names.set(slot, rule.name);
  }

  /** Removes the rule from its slot, which keeps its key and is not reused before `free`. */
  clear(slot: number): void {
    this.#beforeWrite(slot);
    this.names.set(slot, null);
    this.#expire(slot, NO_RULE_HERE);
  }

  /** Makes a cleared slot available again. */
  free(slot: number): void {
    this.#beforeWrite(slot);
    this.keys[slot * this.words] = this.freed;
    this.freed = slot;
  }

  /** The order of a rule's prefix and another, as by `comparePrefixes`. */
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

  /**
   * Calls `visit` with the words and the length of each prefix whose rule is active at `now`, in no order, and returns
   * when the first of them expires; Infinity: never. In short steps, between which nothing must change.
   */
  *visitingActive(now: number, visit: VisitPrefix): Generator<undefined, number, undefined> {
    yield* this.#unpackingKeys();
    let until = PERMANENT;
    for (let slot = 1; slot < this.end; slot += VISITED_AT_ONCE) {
      until = Math.min(until, this.#visitActive(slot, now, visit));
      yield;
    }
    return until;
  }

  #visitActive(start: number, now: number, visit: VisitPrefix): number {
    const { expiresAt, lengths, keys, words } = this;
    const end = Math.min(start + VISITED_AT_ONCE, this.end);
    let until = PERMANENT;
    for (let slot = start; slot < end; slot++) {
      const expiry = expiresAt[slot]!;
      // The expiry of a slot without a rule is before every time.
      if (now >= expiry) continue;
      if (expiry < until) until = expiry;
      if (words === 1) visit(lengths[slot]!, keys[slot]!, 0, 0, 0);
      else visit(lengths[slot]!, keys[4 * slot]!, keys[4 * slot + 1]!, keys[4 * slot + 2]!, keys[4 * slot + 3]!);
    }
    return until;
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

  #expire(slot: number, at: number): void {
    this.expiresAt[slot] = at;
    this.#active?.changed(slot);
  }

  /** Keeps the old content for the moments in progress. */
  #beforeWrite(slot: number): void {
    if (this.#isBorrowed) finished(this.#owning());
    for (const moment of this.#moments) moment.keep(slot);
  }

  /** Copies the file's columns, so that they can be written to. */
  *#owning(): Generator<undefined, void, undefined> {
    const [lengthsBefore, expiresBefore] = [this.lengths, this.expiresAt];
    const room = [2, 3].map((column) => staggered(this.#capacity, column)) as [number, number];
    const lengths = yield* copying(lengthsBefore, lengthsBefore.length, Math.max(lengthsBefore.length, room[0]));
    const expiresAt = yield* copying(expiresBefore, expiresBefore.length, Math.max(expiresBefore.length, room[1]));
    if (!this.#isBorrowed) return;
    this.#isBorrowed = false;
    this.lengths = lengths;
    this.expiresAt = expiresAt;
  }

  /** The times of the rules of the file; without a file no rule has been added, and there are none. */
  *#timesIn(step: number, write: WriteTimes | undefined): Generator<undefined, Float64Array, undefined> {
    const column = new Float64Array(staggered(this.#capacity, step));
    if (write !== undefined) yield* inPieces(1, this.#file!.count + 1, (from, to) => write(column, from, to));
    return column;
  }

  *#makingNames(): Generator<undefined, NameTable, undefined> {
    const names = new NameTable(staggered(this.#capacity, 6));
    if (this.#file !== undefined) yield* names.appending(this.#file.names());
    return names;
  }

  /** Each column that is full grows, by half: n rules are copied O(n) times in all. */
  #makeRoom(slot: number): void {
    const capacity = slot + (slot >>> 1) + 1;
    if (slot * this.words === this.keys.length) this.#keys = grown(this.keys, new Uint32Array(capacity * this.words));
    if (slot === this.lengths.length) this.lengths = grown(this.lengths, new Uint8Array(capacity));
    if (slot === this.expiresAt.length) this.expiresAt = grown(this.expiresAt, new Float64Array(capacity));
    if (slot === this.createdAt.length) this.#createdAt = grown(this.createdAt, new Float64Array(capacity));
    if (slot === this.updatedAt.length) this.#updatedAt = grown(this.updatedAt, new Float64Array(capacity));
    if (slot === this.names.capacity) this.names.grow(capacity);
  }
}

/** The capacity of the column with this number, where the first has `capacity`. */
function staggered(capacity: number, column: number): number {
  return Math.floor(capacity * (1 + column * STAGGER));
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
