import type { Family, Prefix } from "../../address/address.ts";
import type { MatchId } from "../../table/match-id.ts";
import type { PrefixTable } from "../../table/prefix-table.ts";
import { SortedFreezer } from "../../table/sorted-freezer.ts";
import type { RuleBatchLookup, RuleEngine } from "./rule-engine.ts";
import type { ActiveSlots } from "./_active-slots.ts";
import { RuleWalk } from "./_rule-walk.ts";
import { grown } from "./_column.ts";
import type { RuleSlots } from "./_rule-slots.ts";
import type { RuleTree } from "./_rule-tree.ts";

/** Rules processed between two pauses of a freeze. */
const STEP = 1 << 12;

/*
 * The rules of one family at some moment, as a table whose values are slots:
 *
 *     match    1          2            3             4 ...      in the order of prefixes
 *     value    slot 7     slot 3       slot 12       slot 9     which keeps its number as long as its rule exists
 *
 * A rule's data (expiry, name, times) is read from its slot, where it is also written: so a table stays correct while
 * rules change, and lacks only prefixes added after it was made. A removed rule leaves a slot whose expiry is before
 * every time, so it is never active, and the slot is not reused while a table refers to it: so removed rules need no
 * work here either; their parents decide, as for expired ones.
 */
/** The prefixes that existed at a freeze, and the slots of their rules. Immutable; copies of an index share it. */
export class FrozenRules {
  readonly table: PrefixTable;
  /** Looks up many addresses at a time. */
  readonly batches: RuleBatchLookup;
  readonly #family: Family;
  /** The slot of a match is its value minus this. */
  readonly #offset: number;
  readonly #values: Int32Array;
  /** Whether each value equals its match, as for rules that were loaded and then frozen: this saves a read. */
  readonly #isIdentity: boolean;
  readonly #parents: Int32Array;
  readonly #lengths: Uint8Array;

  /**
   * For a table whose values are slots increased by `offset`; with `isIdentity` its match ids are too. Parents must be
   * smaller than their children, as in tables made by `SortedFreezer`.
   */
  constructor(family: Family, table: PrefixTable, isIdentity: boolean, offset = 0, batches: RuleBatchLookup = table) {
    this.#isIdentity = isIdentity;
    this.#family = family;
    this.table = table;
    this.batches = batches;
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

  /** The slot of the frozen rule at an index, in the order of prefixes. */
  slotAt(index: number): number {
    return this.#slotOf(index + this.#first);
  }

  /** The first match of the family: matches are numbered over both, IPv4 first. */
  get #first(): number {
    return this.#family === 4 ? 1 : this.table.prefixCount(4) + 1;
  }

  /** The slot of the most specific active rule whose match is this one or one of its ancestors; 0: none is. */
  activeSlot(match: number, active: ActiveSlots, now: number): number {
    // Parents are smaller, and where the section is empty undefined | 0 is 0: the loop ends.
    for (let at = match; at !== 0; at = this.#parents[at]! | 0) {
      const slot = this.#slotOf(at);
      if (active.has(slot, now)) return slot;
    }
    return 0;
  }

  /** The slot of the rule with exactly this prefix; 0 if there was none. The rule may have been removed since. */
  find(prefix: Prefix): number {
    const match = this.matchOf(prefix);
    return match === 0 || this.#lengths[match] !== prefix.length ? 0 : this.#slotOf(match);
  }

  /** The slots of the rules that cover the prefix, the most specific first; some may have been removed since. */
  covering(prefix: Prefix): number[] {
    const found: number[] = [];
    for (let at = this.matchOf(prefix); at !== 0; at = this.#parents[at]! | 0) found.push(this.#slotOf(at));
    return found;
  }

  /** The match around the rule in a slot that the table has, 0 for none; undefined where only a lookup can say. */
  parentOf(slot: number): number | undefined {
    if (this.#parents.length === 0) return 0;
    return this.#isIdentity ? this.#parents[slot + this.#offset]! : undefined;
  }

  #slotOf(match: number): number {
    return (this.#isIdentity ? match : this.#values[match]!) - this.#offset;
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
 * Freezes the rules of a family anew: those whose slots `orderedSlots` yields. Rules may be added, changed and removed
 * meanwhile: an added one may be included or not; a removed one may still be included, with a slot that is never
 * active. In steps of about a millisecond at most.
 */
export function* freezingRules(
  slots: RuleSlots,
  base: FrozenRules | undefined,
  added: RuleTree,
  engine?: RuleEngine,
): Generator<undefined, FrozenRules, undefined> {
  const order = yield* orderedSlots(slots, base, added);
  const { length } = order;
  const sorted = slots.family === 4 ? new SortedFreezer(length, 0) : new SortedFreezer(0, length);
  let isIdentity = true;
  for (let at = 0; at < length; at++) {
    if (at % STEP === 0) yield;
    if (addTo(sorted, slots, order[at]!) !== order[at]) isIdentity = false;
  }
  const table = yield* sorted.freezing(engine);
  return new FrozenRules(slots.family, table, isIdentity, 0, engine?.batchesOver(table));
}

/** The slots of a table's rules that still exist, merged in order with those of a tree of the rules added since. */
export function* orderedSlots(
  slots: Pick<RuleSlots, "isTaken" | "compareSlots">,
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
    // Removed rules are left out; a rule that was both frozen and added meanwhile appears in both, side by side.
    if (slots.isTaken(slot) && (length === 0 || order[length - 1] !== slot)) order[length++] = slot;
  }
  return order.subarray(0, length);
}

/** Adds the rule in a slot to a table that is being built. */
function addTo(sorted: SortedFreezer, { keys, lengths, words }: RuleSlots, slot: number): MatchId {
  const key = slot * words;
  if (words === 1) return sorted.add(4, keys[key]!, 0, 0, 0, lengths[slot]!, slot);
  return sorted.add(6, keys[key]!, keys[key + 1]!, keys[key + 2]!, keys[key + 3]!, lengths[slot]!, slot);
}

/** The slots of a tree's rules in order. Rules inserted meanwhile may be left out. */
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
