import type { Family, Prefix } from "../address/address.ts";
import type { MatchId } from "../table/match-id.ts";
import type { PrefixTable } from "../table/prefix-table.ts";
import { SortedFreezer } from "../table/sorted-freezer.ts";
import { RuleWalk } from "./_rule-walk.ts";
import { grown } from "./_column.ts";
import type { RuleSlots } from "./_rule-slots.ts";
import type { RuleTree } from "./_rule-tree.ts";

/** Rules that are looked at between two interruptions of a freeze. */
const STEP = 1 << 12;

/*
 * The rules of one family at some moment, as a table whose values are slots:
 *
 *     match    1          2            3             4 ...      in the order of prefixes
 *     value    slot 7     slot 3       slot 12       slot 9     which keeps its number as long as its rule exists
 *
 * What a rule says (expiry, name, times) is read in its slot, where it is written: so a table stays right while rules
 * change, and only prefixes that came after it are missing. A rule that goes leaves a slot with an expiry before every
 * time, which is never active, and the slot is not taken again while a table names it: so nothing has to be done here for
 * rules that go, either; their parents decide, as for expired ones.
 */
/** The prefixes that were there at a freeze, and the slots of their rules. Never changes; copies of an index share it. */
export class FrozenRules {
  readonly table: PrefixTable;
  readonly #family: Family;
  /** The slot of a match is its value less this. */
  readonly #offset: number;
  readonly #values: Int32Array;
  /** Each value is its match, as in rules that were loaded and then frozen: a read that need not be made. */
  readonly #isIdentity: boolean;
  readonly #parents: Int32Array;
  readonly #lengths: Uint8Array;

  /**
   * Of a table whose values are slots, increased by `offset`; `isIdentity`: and its matches too. Its parents must be
   * smaller than their children; what `SortedFreezer` makes is so.
   */
  constructor(family: Family, table: PrefixTable, isIdentity: boolean, offset = 0) {
    this.#isIdentity = isIdentity;
    this.#family = family;
    this.table = table;
    this.#offset = offset;
    const { matchValue, matchParent, matchLength } = table.sections;
    this.#values = new Int32Array(table.buffer, matchValue.byteOffset, matchValue.byteLength / 4);
    this.#parents = new Int32Array(table.buffer, matchParent.byteOffset, matchParent.byteLength / 4);
    this.#lengths = new Uint8Array(table.buffer, matchLength.byteOffset, matchLength.byteLength);
  }

  /** The number of rules that were frozen. */
  get count(): number {
    return this.table.prefixCount(this.#family);
  }

  get byteLength(): number {
    return this.table.byteLength;
  }

  /** The slots of all rules that were frozen, in the order of prefixes: the one at an index. */
  slotAt(index: number): number {
    return this.#values[index + this.#first]! - this.#offset;
  }

  /** The first match of the family: matches are numbered over both, IPv4 first. */
  get #first(): number {
    return this.#family === 4 ? 1 : this.table.prefixCount(4) + 1;
  }

  /** The slot of the most specific active rule whose match is this one or one of its ancestors; 0: none is. */
  activeSlot(match: number, expiresAt: Float64Array, now: number): number {
    // Parents are smaller, and where the section is empty undefined | 0 is 0: the loop ends.
    for (let at = match; at !== 0; at = this.#parents[at]! | 0) {
      const slot = (this.#isIdentity ? at : this.#values[at]!) - this.#offset;
      if (now < expiresAt[slot]!) return slot;
    }
    return 0;
  }

  /** The slot of the rule of exactly this prefix; 0 where there was none. It may have gone since. */
  find(prefix: Prefix): number {
    const match = this.matchOf(prefix);
    return match === 0 || this.#lengths[match] !== prefix.length ? 0 : this.#values[match]! - this.#offset;
  }

  /** The slots of the rules that cover the prefix, the most specific first; some may have gone since. */
  covering(prefix: Prefix): number[] {
    const found: number[] = [];
    for (let at = this.matchOf(prefix); at !== 0; at = this.#parents[at]! | 0)
      found.push(this.#values[at]! - this.#offset);
    return found;
  }

  /** The match of the most specific frozen rule that covers the prefix, as `activeSlot` takes it. */
  matchOf(prefix: Prefix): number {
    // Whatever covers all of the prefix covers its first address, and is in that one's chain.
    let match: number = this.table.lookupAddress(prefix);
    while (match !== 0 && this.#lengths[match]! > prefix.length) match = this.#parents[match]! | 0;
    return match;
  }
}

/**
 * Freezes the rules of a family anew: those that `orderedSlots` gives. Rules may come, change and go meanwhile: one that
 * comes may be in it or not, one that goes may still be in it, with a slot that is never active. In steps of less than a
 * millisecond or so.
 */
export function* freezingRules(
  slots: RuleSlots,
  base: FrozenRules | undefined,
  added: RuleTree,
): Generator<undefined, FrozenRules, undefined> {
  const order = yield* orderedSlots(slots, base, added);
  const { length } = order;
  const sorted = slots.family === 4 ? new SortedFreezer(length, 0) : new SortedFreezer(0, length);
  let isIdentity = true;
  for (let at = 0; at < length; at++) {
    if (at % STEP === 0) yield;
    if (addTo(sorted, slots, order[at]!) !== order[at]) isIdentity = false;
  }
  return new FrozenRules(slots.family, yield* sorted.freezing(), isIdentity);
}

/** The slots of the rules of a table that are still there, and of those in a tree of what came since, in order. */
export function* orderedSlots(
  slots: RuleSlots,
  base: FrozenRules | undefined,
  added: RuleTree,
): Generator<undefined, Uint32Array, undefined> {
  const more = yield* slotsInOrder(added);
  const count = base?.count ?? 0;
  const order = new Uint32Array(count + more.length);
  let length = 0;
  for (let at = 0, next = 0; at + next < order.length;) {
    if ((at + next) % STEP === 0) yield;
    const isAdded = at === count || (next < more.length && slots.compareSlots(more[next]!, base!.slotAt(at)) < 0);
    const slot = isAdded ? more[next++]! : base!.slotAt(at++);
    // What has gone is left out; what was frozen and added meanwhile stands in both, side by side.
    if (slots.isTaken(slot) && (length === 0 || order[length - 1] !== slot)) order[length++] = slot;
  }
  return order.subarray(0, length);
}

/** Adds the rule in a slot to a table that is being made. */
export function addTo(sorted: SortedFreezer, { keys, lengths, words }: RuleSlots, slot: number, value = slot): MatchId {
  const key = slot * words;
  if (words === 1) return sorted.add(4, keys[key]!, 0, 0, 0, lengths[slot]!, value);
  return sorted.add(6, keys[key]!, keys[key + 1]!, keys[key + 2]!, keys[key + 3]!, lengths[slot]!, value);
}

/** The slots of a tree's rules in order. Those that are put in meanwhile may be left out. */
function* slotsInOrder(tree: RuleTree): Generator<undefined, Uint32Array, undefined> {
  let order = new Uint32Array(Math.max(1, tree.total));
  let count = 0;
  let last: Prefix | undefined;
  for (;;) {
    const { changes } = tree;
    const walk = new RuleWalk(tree);
    if (last === undefined) walk.startAt(0);
    else walk.startAfter(last);
    while (tree.changes === changes) {
      const slot = walk.next();
      if (slot === 0) return order.subarray(0, count);
      if (count === order.length) order = grown(order, new Uint32Array(2 * count));
      order[count++] = slot;
      if (count % STEP !== 0) continue;
      last = tree.slots.prefixAt(slot);
      yield;
    }
  }
}
