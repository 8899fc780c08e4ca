import { addressBits, type Prefix } from "../../address/address.ts";
import { AddedFilter } from "./_added-filter.ts";
import { freezingRules, type FrozenRules, orderedSlots } from "./_frozen-rules.ts";
import type { RuleSlots } from "./_rule-slots.ts";
import { RuleTree } from "./_rule-tree.ts";
import type { SlotMoment } from "./_slot-moment.ts";
import type { RuleEngine } from "./rule-engine.ts";
import { idOf } from "../rule-id.ts";

/** Addresses whose matches stay in the first-level cache. */
const GROUP = 512;
const matches = new Uint32Array(GROUP);

/** The changes that a freeze in progress must not miss. */
interface Freezing {
  /** The slots that were taken since it began. */
  readonly added: number[];
  /** How many slots of `gone` were already without a rule when it began: the new table does not refer to them. */
  readonly goneBefore: number;
}

/*
 *     query ──▶ frozen ──▶ slot, or 0 ─┐
 *       └─────▶ added  ──▶ slot, or 0 ─┴──▶ the longer prefix of the two decides
 *
 * Invariant, once there is a frozen table: every rule is in the table, or in `added`, or in both. Proof, by what can
 * happen:
 * - a rule is added: it goes into `added`, and into `Freezing.added` while a freeze is in progress;
 * - a rule changes: its slot changes, which both read;
 * - a rule is removed: its slot is cleared, so it decides nothing, and it leaves `added`;
 * - a freeze ends: its table has the rules that were in the old table or in `added` when it began and still exist, and
 *   the new `added` has the rules added since.
 * No slot that a table refers to is reused for another prefix: slots of removed rules stay in `gone` until a table that
 * was begun afterwards is in place. (A new rule with the prefix of a removed one gets another slot.)
 *
 * Why comparing lengths is enough: both answers cover the address in question, so one of them covers the other.
 */
/**
 * Finds the rule of a family that decides about an address: from a table of the rules at some moment and a small tree
 * of those added since; before the first freeze, from the tree of all rules. Exact at every moment.
 */
export class RuleDecider {
  readonly #slots: RuleSlots;
  /** The tree of all rules; only used while there is no table. */
  readonly #allRules: () => RuleTree;
  #frozen: FrozenRules | undefined;
  /** The rules added since, and which addresses may have one of them. */
  #added: RuleTree;
  #filter = new AddedFilter();
  /** The slots of removed rules that a table may still refer to. */
  #gone: number[] = [];
  /**
   * The removed slots that no table refers to any more. The end of a freeze leaves them to the next write: see
   * `copying`.
   */
  #unnamed: number[] = [];
  #freezing: Freezing | undefined;
  /** The address being looked up, instead of an object for each. */
  readonly #query: { family: 4 | 6; w0: number; w1: number; w2: number; w3: number; length: number };

  constructor(slots: RuleSlots, allRules: () => RuleTree, frozen?: FrozenRules) {
    this.#slots = slots;
    this.#allRules = allRules;
    this.#frozen = frozen;
    this.#added = new RuleTree(slots);
    const { family } = slots;
    this.#query = { family, w0: 0, w1: 0, w2: 0, w3: 0, length: addressBits(family) };
  }

  /**
   * Makes a copy, over a copy of the slots that may be made in steps: the copy has the rules that this one has when
   * `copying` is called, even if a freeze ends before the slots are copied. The table is immutable and shared.
   */
  copying(): (slots: RuleSlots, allRules: () => RuleTree) => RuleDecider {
    const { end, freed } = this.#added;
    const cells = this.#added.cells.slice();
    const [frozen, filter, gone, unnamed] = [
      this.#frozen,
      this.#filter.copy(),
      this.#gone.slice(),
      this.#unnamed.slice(),
    ];
    return (slots, allRules) => {
      const copy = new RuleDecider(slots, allRules, frozen);
      Object.assign(copy.#added, { cells, end, freed });
      copy.#filter = filter;
      copy.#gone = gone;
      copy.#unnamed = unnamed;
      return copy;
    };
  }

  get frozen(): FrozenRules | undefined {
    return this.#frozen;
  }

  get added(): RuleTree {
    return this.#added;
  }

  /** The slots that are neither taken nor free. */
  get gone(): readonly number[] {
    return [...this.#gone, ...this.#unnamed];
  }

  /** How many rules were added or removed since the last freeze began; before the first one, all of them. */
  get changes(): number {
    return this.#frozen === undefined ? this.#allRules().total : this.#added.total + this.#gone.length;
  }

  get byteLength(): number {
    return (this.#frozen?.byteLength ?? 0) + this.#added.cells.byteLength + this.#filter.byteLength;
  }

  /** Frees the slots that no table refers to any more. Must be called before a rule is added or removed. */
  prepare(): void {
    for (let slot = this.#unnamed.pop(); slot !== undefined; slot = this.#unnamed.pop()) this.#slots.free(slot);
  }

  /** Adds the rule in the slot, which is new. */
  add(slot: number): void {
    this.#freezing?.added.push(slot);
    if (this.#frozen === undefined) return;
    this.#added.insert(slot);
    this.#filter.add(this.#slots.prefixAt(slot));
  }

  /** Removes the rule in the slot: clears the slot, and frees it unless a table refers to it. */
  remove(slot: number): void {
    if (this.#frozen !== undefined && this.#isAdded(slot)) this.#added.remove(slot);
    this.#slots.clear(slot);
    if (this.#frozen === undefined && this.#freezing === undefined) this.#slots.free(slot);
    else this.#gone.push(slot);
  }

  /** The slot of the rule with exactly this prefix; 0 if there is none. There must be a table. */
  find(prefix: Prefix): number {
    const slot = this.#frozen!.find(prefix);
    return this.#slots.isTaken(slot) ? slot : this.#added.find(prefix);
  }

  /** The slot of the most specific active rule that covers the prefix; 0: none does. */
  deciding(prefix: Prefix, now: number): number {
    const frozen = this.#frozen;
    if (frozen === undefined) return this.#allRules().deciding(prefix, now);
    const match = frozen.matchOf(prefix);
    const slot = frozen.activeSlot(match, this.#slots.active, now);
    return this.#mayBeAdded(prefix) ? this.#longer(slot, this.#added.deciding(prefix, now)) : slot;
  }

  /**
   * The slot of the most specific active rule that contains the rule in a taken slot; 0 if there is none. O(1) for most
   * rules.
   */
  decidingAbove(slot: number, now: number): number {
    const prefix = this.#slots.prefixAt(slot);
    // No rule added since covers it, so it was not added since itself: the table has it, and all rules that contain it.
    const isFrozen = this.#frozen !== undefined && !this.#mayBeAdded(prefix);
    const parent = isFrozen ? this.#frozen!.parentOf(slot) : undefined;
    if (parent !== undefined) return this.#frozen!.activeSlot(parent, this.#slots.active, now);
    return prefix.length === 0 ? 0 : this.deciding({ ...prefix, length: prefix.length - 1 }, now);
  }

  decide4(word: number, now: number): number {
    const frozen = this.#frozen;
    if (frozen === undefined) return this.#allRules().deciding(this.#queryOf(word, 0, 0, 0), now);
    const slot = frozen.activeSlot(frozen.table.lookup4(word), this.#slots.active, now);
    if (!this.#filter.mayHave4(word)) return slot;
    return this.#longer(slot, this.#added.deciding(this.#queryOf(word, 0, 0, 0), now));
  }

  decide6(w0: number, w1: number, w2: number, w3: number, now: number): number {
    const frozen = this.#frozen;
    if (frozen === undefined) return this.#allRules().deciding(this.#queryOf(w0, w1, w2, w3), now);
    const slot = frozen.activeSlot(frozen.table.lookup6(w0, w1, w2, w3), this.#slots.active, now);
    if (!this.#filter.mayHave6(w0, w1)) return slot;
    return this.#longer(slot, this.#added.deciding(this.#queryOf(w0, w1, w2, w3), now));
  }

  /**
   * The ids of the rules that decide about `count` addresses, whose words begin at `from`, into `out` from `to` on.
   * `out` may be the array of the words if both begin at the same index and the addresses are IPv4.
   */
  decideInto(words: Uint32Array, from: number, out: Uint32Array, to: number, count: number, now: number): void {
    const { family, words: width } = this.#slots;
    const batches = this.#frozen?.batches;
    for (let start = 0; start < count; start += GROUP) {
      const size = Math.min(GROUP, count - start);
      const first = from + start * width;
      if (batches !== undefined)
        batches.lookupBatchInto(family, words.subarray(first, first + size * width), matches, size);
      if (batches === undefined) this.#decideByTree(words, first, out, to + start, size, now);
      else if (width === 1) this.#resolve4(words, first, out, to + start, size, now);
      else this.#resolve6(words, first, out, to + start, size, now);
    }
  }

  /** The slots of the rules that cover the prefix, the most specific first. */
  covering(prefix: Prefix): number[] {
    const slots = this.#slots;
    if (this.#frozen === undefined) return this.#allRules().covering(prefix).reverse();
    const found = this.#frozen.covering(prefix).filter((slot) => slots.isTaken(slot));
    if (this.#added.total === 0) return found;
    // A rule may be in both if it was added while the table was being built.
    const more = this.#added.covering(prefix).filter((slot) => !found.includes(slot));
    return [...found, ...more].sort((a, b) => slots.lengths[b]! - slots.lengths[a]!);
  }

  /**
   * Makes a table of the current rules, and answers from it afterwards. Rules may be added, changed and removed
   * meanwhile. In steps of about a millisecond at most. Starting a freeze replaces one in progress, which then ends
   * without effect; one can be abandoned at any time. The engine, if there is one, answers batches.
   */
  *refreezing(engine?: RuleEngine): Generator<undefined, void, undefined> {
    const freezing = { added: [] as number[], goneBefore: this.#gone.length };
    this.#freezing = freezing;
    const work = freezingRules(this.#slots, this.#frozen, this.#changeable, engine);
    for (let step = work.next(); ; step = work.next()) {
      if (this.#freezing !== freezing) return;
      if (step.done === true) return this.#publish(step.value, freezing);
      yield;
    }
  }

  /**
   * The slots of the rules in order. Rules may be added and removed meanwhile: an added one may be missing and a
   * removed one may be included, as long as no slot is freed.
   */
  orderedSlots(): Generator<undefined, Uint32Array, undefined> {
    return orderedSlots(this.#slots, this.#frozen, this.#changeable);
  }

  /** The slots of the current rules, in order. Rules may be added and removed meanwhile. */
  orderedSlotsOf(moment: SlotMoment): Generator<undefined, Uint32Array, undefined> {
    return orderedSlots(moment, this.#frozen, this.#changeable.copy());
  }

  /** The tree of the rules that the table, if there is one, does not have. */
  get #changeable(): RuleTree {
    return this.#frozen === undefined ? this.#allRules() : this.#added;
  }

  #publish(frozen: FrozenRules, { added, goneBefore }: Freezing): void {
    const slots = this.#slots;
    this.#frozen = frozen;
    this.#freezing = undefined;
    this.#added = new RuleTree(slots);
    this.#filter = new AddedFilter();
    for (const slot of added) if (slots.isTaken(slot)) this.add(slot);
    this.#unnamed = this.#unnamed.concat(this.#gone.splice(0, goneBefore));
  }

  /** Whether one of the added rules may cover the prefix: it would cover its first address, too. */
  #mayBeAdded({ family, w0, w1 }: Prefix): boolean {
    return family === 4 ? this.#filter.mayHave4(w0) : this.#filter.mayHave6(w0, w1);
  }

  #isAdded(slot: number): boolean {
    return this.#added.total > 0 && this.#added.find(this.#slots.prefixAt(slot)) === slot;
  }

  #longer(one: number, other: number): number {
    if (other === 0) return one;
    const { lengths } = this.#slots;
    return one === 0 || lengths[other]! > lengths[one]! ? other : one;
  }

  #queryOf(w0: number, w1: number, w2: number, w3: number): Prefix {
    const query = this.#query;
    query.w0 = w0 >>> 0;
    query.w1 = w1 >>> 0;
    query.w2 = w2 >>> 0;
    query.w3 = w3 >>> 0;
    return query;
  }

  #decideByTree(words: Uint32Array, from: number, out: Uint32Array, to: number, count: number, now: number): void {
    const { family, words: width } = this.#slots;
    const tree = this.#allRules();
    for (let i = 0, at = from; i < count; i++, at += width) {
      const query =
        width === 1
          ? this.#queryOf(words[at]!, 0, 0, 0)
          : this.#queryOf(words[at]!, words[at + 1]!, words[at + 2]!, words[at + 3]!);
      out[to + i] = idOf(family, tree.deciding(query, now));
    }
  }

  #resolve4(words: Uint32Array, from: number, out: Uint32Array, to: number, count: number, now: number): void {
    const frozen = this.#frozen!;
    const { active } = this.#slots;
    const hasAdded = this.#added.total > 0;
    for (let i = 0; i < count; i++) {
      let slot = frozen.activeSlot(matches[i]!, active, now);
      if (hasAdded && this.#filter.mayHave4(words[from + i]!))
        slot = this.#longer(slot, this.#added.deciding(this.#queryOf(words[from + i]!, 0, 0, 0), now));
      out[to + i] = idOf(4, slot);
    }
  }

  #resolve6(words: Uint32Array, from: number, out: Uint32Array, to: number, count: number, now: number): void {
    const frozen = this.#frozen!;
    const { active } = this.#slots;
    const hasAdded = this.#added.total > 0;
    for (let i = 0, at = from; i < count; i++, at += 4) {
      let slot = frozen.activeSlot(matches[i]!, active, now);
      if (hasAdded && this.#filter.mayHave6(words[at]!, words[at + 1]!)) {
        const query = this.#queryOf(words[at]!, words[at + 1]!, words[at + 2]!, words[at + 3]!);
        slot = this.#longer(slot, this.#added.deciding(query, now));
      }
      out[to + i] = idOf(6, slot);
    }
  }
}
