import { addressBits, type Family, type Prefix } from "../address/address.ts";
import { ExpiryHeap } from "./_expiry-heap.ts";
import { maskOf, PERMANENT, RuleSlots } from "./_rule-slots.ts";
import { RuleTree } from "./_rule-tree.ts";
import type { Rule } from "./rule.ts";
import type { RuleColumns } from "./rule-columns.ts";

/** Moving one rule costs some 4 µs, counting one anew 0.12: past this share of the rules the moves are given up. */
const MOST_MOVED = 1 / 32;
const LEAST_MOVES = 64;
/** Rules that are looked at between two interruptions of a load. */
const STEP = 1 << 14;

/**
 * The rules of one family: their slots, the tree over them, and two heaps, of the rules that expire after `slots.settledAt` and of
 * those that have expired by then. Time is moved by `settle` only, forwards or back, rule by rule.
 */
export class FamilyRules {
  readonly slots: RuleSlots;
  readonly tree: RuleTree;
  private readonly pending: ExpiryHeap;
  private readonly expired: ExpiryHeap;

  /** Loads rules, in steps that take as long as a chunk of some thousand does. @throws RangeError for columns of different lengths, rules out of order, and what is no rule */
  static *loading(family: Family, chunks: readonly RuleColumns[]): Generator<undefined, FamilyRules, undefined> {
    const count = chunks.reduce((sum, { lengths }) => sum + lengths.length, 0);
    const rules = new FamilyRules(family, Math.max(16, count + 1));
    if (count > 0) yield* rules.#load(chunks, count);
    return rules;
  }

  constructor(family: Family, capacity = 16, of?: FamilyRules) {
    this.slots = of?.slots.copy() ?? new RuleSlots(family, capacity);
    this.tree = of?.tree.copy(this.slots) ?? new RuleTree(this.slots);
    this.pending = of?.pending.copy(this.slots) ?? new ExpiryHeap(this.slots, "earliest");
    this.expired = of?.expired.copy(this.slots) ?? new ExpiryHeap(this.slots, "latest");
  }

  copy(): FamilyRules {
    return new FamilyRules(this.slots.family, 0, this);
  }

  get byteLength(): number {
    return this.slots.byteLength + this.tree.cells.byteLength + this.pending.heap.byteLength + this.expired.heap.byteLength;
  }

  set(rule: Rule): void {
    const { slots, tree } = this;
    const found = tree.find(rule.prefix);
    if (found === 0) {
      const slot = slots.take(rule.prefix);
      slots.write(slot, rule);
      this.#addToHeap(slot);
      tree.insert(slot);
      return;
    }
    const wasExpired = slots.isExpired(found);
    this.#removeFromHeap(found);
    slots.write(found, rule);
    this.#addToHeap(found);
    if (slots.isExpired(found) !== wasExpired) tree.addExpired(found, wasExpired ? -1 : 1);
  }

  delete(prefix: Prefix): boolean {
    const slot = this.tree.find(prefix);
    if (slot === 0) return false;
    this.tree.remove(slot);
    this.#removeFromHeap(slot);
    this.slots.free(slot);
    return true;
  }

  /** Lets the counts stand at `now`: O(1) where no rule has expired since, or come back. */
  settle(now: number): void {
    const { slots, tree } = this;
    let moves = Math.max(LEAST_MOVES, Math.floor(tree.total * MOST_MOVED));
    const isForwards = this.pending.firstExpiry <= now;
    if (!isForwards && this.expired.firstExpiry <= now) {
      slots.settledAt = now;
      return;
    }
    const [from, to] = isForwards ? [this.pending, this.expired] : [this.expired, this.pending];
    slots.settledAt = now;
    while (isForwards ? from.firstExpiry <= now : from.firstExpiry > now) {
      if (moves-- === 0) return this.#settleAll();
      const slot = from.takeFirst();
      to.add(slot);
      tree.addExpired(slot, isForwards ? 1 : -1);
    }
  }

  /** The first expiry after the time that the counts stand at, Infinity if there is none. */
  get nextExpiry(): number {
    return this.pending.firstExpiry;
  }

  /** As moving every rule that has to, in O(n). */
  #settleAll(): void {
    const { slots } = this;
    const active: number[] = [];
    const expired: number[] = [];
    for (const { heap, size } of [this.pending, this.expired]) {
      for (let i = 0; i < size; i++) (slots.isExpired(heap[i]) ? expired : active).push(heap[i]);
    }
    this.pending.reset(Uint32Array.from(active));
    this.expired.reset(Uint32Array.from(expired));
    this.tree.recount();
  }

  #heapOf(slot: number): ExpiryHeap {
    return this.slots.isExpired(slot) ? this.expired : this.pending;
  }

  #addToHeap(slot: number): void {
    if (this.slots.expiresAt[slot] !== PERMANENT) this.#heapOf(slot).add(slot);
  }

  #removeFromHeap(slot: number): void {
    if (this.slots.expiresAt[slot] !== PERMANENT) this.#heapOf(slot).remove(slot);
  }

  *#load(chunks: readonly RuleColumns[], count: number): Generator<undefined, void, undefined> {
    const { slots, tree } = this;
    for (const chunk of chunks) {
      this.#append(chunk);
      yield;
    }
    yield* this.#checkColumns();
    yield* tree.build(count);
    const { expiresAt } = slots;
    const expiring = new Uint32Array(count);
    let size = 0;
    for (let slot = 1; slot <= count; slot++) if (expiresAt[slot] !== PERMANENT) expiring[size++] = slot;
    yield;
    yield* this.pending.filling(expiring.slice(0, size));
  }

  #append(chunk: RuleColumns): void {
    const { slots } = this;
    const start = slots.end;
    const { length } = chunk.lengths;
    const columns = ["numbers" in chunk.names ? chunk.names.numbers : chunk.names, chunk.expiresAt, chunk.createdAt, chunk.updatedAt];
    if (chunk.words.length !== length * slots.words || columns.some((column) => column.length !== length)) {
      throw new RangeError(`The columns of ${length} rules must have as many values each, and \`words\` ${length * slots.words}`);
    }
    slots.keys.set(chunk.words, start * slots.words);
    slots.lengths.set(chunk.lengths, start);
    slots.expiresAt.set(chunk.expiresAt, start);
    slots.createdAt.set(chunk.createdAt, start);
    slots.updatedAt.set(chunk.updatedAt, start);
    slots.names.append(chunk.names);
    slots.end += length;
  }

  /** That prefixes are canonical and no expiry is missing; the order is checked where it is used. */
  *#checkColumns(): Generator<undefined, void, undefined> {
    const { keys, lengths, expiresAt, words, family, end } = this.slots;
    const bits = addressBits(family);
    for (let slot = 1; slot < end; slot++) {
      const length = lengths[slot];
      if (slot % STEP === 0) yield;
      let hostBits = 0;
      for (let word = 0; word < words; word++) hostBits |= keys[slot * words + word] & ~maskOf(length - 32 * word);
      if (length > bits || hostBits !== 0) throw new RangeError(`Rule ${slot - 1} of IPv${family} has a prefix of length ${length} whose words do not fit it`);
      if (Number.isNaN(expiresAt[slot])) throw new RangeError(`Rule ${slot - 1} of IPv${family} has no expiry; a permanent rule has Infinity`);
    }
  }
}
