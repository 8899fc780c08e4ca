import type { Prefix } from "../address/address.ts";
import { AddedFilter } from "./_added-filter.ts";
import { freezingRules, type FrozenRules, orderedSlots } from "./_frozen-rules.ts";
import type { RuleSlots } from "./_rule-slots.ts";
import { RuleTree } from "./_rule-tree.ts";
import { idOf } from "./rule-id.ts";

/** Addresses whose matches stay in the first-level cache. */
const GROUP = 512;
const matches = new Uint32Array(GROUP);

/** What a freeze that is under way must not miss. */
interface Freezing {
  /** The slots that were taken since it began. */
  readonly added: number[];
  /** How many slots of `gone` no longer held a rule when it began: the new table does not name them. */
  readonly goneBefore: number;
}

/*
 *     asked ──▶ frozen ──▶ slot, or 0 ─┐
 *       └─────▶ added  ──▶ slot, or 0 ─┴──▶ the longer prefix of the two decides
 *
 * What always holds, once there is a frozen table: a rule that is there is named by the table, or stands in `added`, or
 * both. Proof by what can happen:
 *  - a rule comes: it is put into `added`, and into `Freezing.added` while a freeze is under way;
 *  - a rule changes: it does so in its slot, where both look;
 *  - a rule goes: its slot is cleared, so that it decides nowhere, and it leaves `added`;
 *  - a freeze ends: its table names what was in the old table or in `added` when it began and has not gone since, and the
 *    new `added` holds what has come since.
 * No slot that a table names is taken again for another prefix: those that rules have left are in `gone` until a table
 * is in place that was begun after they did. (A rule comes back for the prefix of one that went: it gets another slot.)
 *
 * Why comparing lengths is enough: both answers cover what is asked, so one of them covers the other.
 */
/**
 * Decides which rule of a family an address has: by a table of the rules at some moment and a small tree of those that
 * came since; before the first freeze by the tree of all rules. Exact at every moment.
 */
export class RuleDecider {
  readonly #slots: RuleSlots;
  /** The tree of all rules; asked for only while there is no table. */
  readonly #allRules: () => RuleTree;
  #frozen: FrozenRules | undefined;
  /** The rules that came since, and which addresses may have one of them. */
  #added: RuleTree;
  #filter = new AddedFilter();
  /** The slots that rules have left and that a table may name. */
  #gone: number[] = [];
  /** Those of them that no table names any more. The end of a freeze leaves them to the next write: see `copying`. */
  #unnamed: number[] = [];
  #freezing: Freezing | undefined;
  /** The address that is asked about, in place of an object for each. */
  readonly #asked: { family: 4 | 6; w0: number; w1: number; w2: number; w3: number; length: number };

  constructor(slots: RuleSlots, allRules: () => RuleTree, frozen?: FrozenRules) {
    this.#slots = slots;
    this.#allRules = allRules;
    this.#frozen = frozen;
    this.#added = new RuleTree(slots);
    const { family } = slots;
    this.#asked = { family, w0: 0, w1: 0, w2: 0, w3: 0, length: family === 4 ? 32 : 128 };
  }

  /**
   * Makes a copy, over a copy of the slots that may be made in steps: it has what this one has when `copying` is called,
   * though a freeze may end before the slots are there. The table, which never changes, is shared.
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

  /** How many rules came or went since the last freeze began; all that there are before the first one. */
  get changes(): number {
    return this.#frozen === undefined ? this.#allRules().total : this.#added.total + this.#gone.length;
  }

  get byteLength(): number {
    return (this.#frozen?.byteLength ?? 0) + this.#added.cells.byteLength + this.#filter.byteLength;
  }

  /** Before a rule comes or goes: frees the slots that no table names any more. */
  prepare(): void {
    for (let slot = this.#unnamed.pop(); slot !== undefined; slot = this.#unnamed.pop()) this.#slots.free(slot);
  }

  /** The rule in the slot is new. */
  add(slot: number): void {
    this.#freezing?.added.push(slot);
    if (this.#frozen === undefined) return;
    this.#added.insert(slot);
    this.#filter.add(this.#slots.prefixAt(slot));
  }

  /** The rule in the slot goes: clears the slot, and frees it where no table names it. */
  remove(slot: number): void {
    if (this.#frozen !== undefined && this.#isAdded(slot)) this.#added.remove(slot);
    this.#slots.clear(slot);
    if (this.#frozen === undefined && this.#freezing === undefined) this.#slots.free(slot);
    else this.#gone.push(slot);
  }

  /** The slot of the rule of exactly this prefix; 0 where there is none. There must be a table. */
  find(prefix: Prefix): number {
    const slot = this.#frozen!.find(prefix);
    return this.#slots.isTaken(slot) ? slot : this.#added.find(prefix);
  }

  /** The slot of the most specific active rule that covers the prefix; 0: none does. */
  deciding(prefix: Prefix, now: number): number {
    const frozen = this.#frozen;
    if (frozen === undefined) return this.#allRules().deciding(prefix, now);
    const match = frozen.matchOf(prefix);
    const slot = frozen.activeSlot(match, this.#slots.expiresAt, now);
    return this.#longer(slot, this.#added.deciding(prefix, now));
  }

  decide4(word: number, now: number): number {
    const frozen = this.#frozen;
    if (frozen === undefined) return this.#allRules().deciding(this.#ask(word, 0, 0, 0), now);
    const slot = frozen.activeSlot(frozen.table.lookup4(word), this.#slots.expiresAt, now);
    if (!this.#filter.mayHave4(word)) return slot;
    return this.#longer(slot, this.#added.deciding(this.#ask(word, 0, 0, 0), now));
  }

  decide6(w0: number, w1: number, w2: number, w3: number, now: number): number {
    const frozen = this.#frozen;
    if (frozen === undefined) return this.#allRules().deciding(this.#ask(w0, w1, w2, w3), now);
    const slot = frozen.activeSlot(frozen.table.lookup6(w0, w1, w2, w3), this.#slots.expiresAt, now);
    if (!this.#filter.mayHave6(w0, w1)) return slot;
    return this.#longer(slot, this.#added.deciding(this.#ask(w0, w1, w2, w3), now));
  }

  /**
   * The ids of the rules that decide about `count` addresses, whose words begin at `from`, into `out` from `to` on.
   * `out` may be the array of the words where both begin at the same place and they are IPv4 addresses.
   */
  decideInto(words: Uint32Array, from: number, out: Uint32Array, to: number, count: number, now: number): void {
    const { family, words: width } = this.#slots;
    const table = this.#frozen?.table;
    for (let start = 0; start < count; start += GROUP) {
      const size = Math.min(GROUP, count - start);
      const first = from + start * width;
      if (table !== undefined)
        table.lookupBatchInto(family, words.subarray(first, first + size * width), matches, size);
      if (table === undefined) this.#decideByTree(words, first, out, to + start, size, now);
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
    // A rule may be in both where it came while the table was being made.
    const more = this.#added.covering(prefix).filter((slot) => !found.includes(slot));
    return [...found, ...more].sort((a, b) => slots.lengths[b]! - slots.lengths[a]!);
  }

  /**
   * Makes a table of the rules that there are, and answers by it from then on. Rules may come, change and go meanwhile.
   * In steps of less than a millisecond or so. One that is begun takes the place of one under way, which then ends
   * without effect; one that is given up does no harm.
   */
  *refreezing(): Generator<undefined, void, undefined> {
    const freezing = { added: [] as number[], goneBefore: this.#gone.length };
    this.#freezing = freezing;
    const source = this.#frozen === undefined ? this.#allRules() : this.#added;
    const work = freezingRules(this.#slots, this.#frozen, source);
    for (let step = work.next(); ; step = work.next()) {
      if (this.#freezing !== freezing) return;
      if (step.done === true) return this.#publish(step.value, freezing);
      yield;
    }
  }

  /** The slots of all rules, in order. In steps, between which no rule may come or go. */
  orderedSlots(): Generator<undefined, Uint32Array, undefined> {
    return orderedSlots(this.#slots, this.#frozen, this.#frozen === undefined ? this.#allRules() : this.#added);
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

  #isAdded(slot: number): boolean {
    return this.#added.total > 0 && this.#added.find(this.#slots.prefixAt(slot)) === slot;
  }

  #longer(one: number, other: number): number {
    if (other === 0) return one;
    const { lengths } = this.#slots;
    return one === 0 || lengths[other]! > lengths[one]! ? other : one;
  }

  #ask(w0: number, w1: number, w2: number, w3: number): Prefix {
    const asked = this.#asked;
    asked.w0 = w0 >>> 0;
    asked.w1 = w1 >>> 0;
    asked.w2 = w2 >>> 0;
    asked.w3 = w3 >>> 0;
    return asked;
  }

  #decideByTree(words: Uint32Array, from: number, out: Uint32Array, to: number, count: number, now: number): void {
    const { family, words: width } = this.#slots;
    const tree = this.#allRules();
    for (let i = 0, at = from; i < count; i++, at += width) {
      const asked =
        width === 1
          ? this.#ask(words[at]!, 0, 0, 0)
          : this.#ask(words[at]!, words[at + 1]!, words[at + 2]!, words[at + 3]!);
      out[to + i] = idOf(family, tree.deciding(asked, now));
    }
  }

  #resolve4(words: Uint32Array, from: number, out: Uint32Array, to: number, count: number, now: number): void {
    const frozen = this.#frozen!;
    const { expiresAt } = this.#slots;
    const hasAdded = this.#added.total > 0;
    for (let i = 0; i < count; i++) {
      let slot = frozen.activeSlot(matches[i]!, expiresAt, now);
      if (hasAdded && this.#filter.mayHave4(words[from + i]!))
        slot = this.#longer(slot, this.#added.deciding(this.#ask(words[from + i]!, 0, 0, 0), now));
      out[to + i] = idOf(4, slot);
    }
  }

  #resolve6(words: Uint32Array, from: number, out: Uint32Array, to: number, count: number, now: number): void {
    const frozen = this.#frozen!;
    const { expiresAt } = this.#slots;
    const hasAdded = this.#added.total > 0;
    for (let i = 0, at = from; i < count; i++, at += 4) {
      let slot = frozen.activeSlot(matches[i]!, expiresAt, now);
      if (hasAdded && this.#filter.mayHave6(words[at]!, words[at + 1]!)) {
        const asked = this.#ask(words[at]!, words[at + 1]!, words[at + 2]!, words[at + 3]!);
        slot = this.#longer(slot, this.#added.deciding(asked, now));
      }
      out[to + i] = idOf(6, slot);
    }
  }
}
