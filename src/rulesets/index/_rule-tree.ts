import type { Prefix } from "../../address/address.ts";
import { formatPrefix } from "../../address/prefix.ts";
import { copying, grown } from "./_column.ts";
import { bitOf, type RuleSlots } from "./_rule-slots.ts";

/*
 * One family's rules as a path-compressed binary trie in one array of 32-bit cells, with counts. Unlike the trie of
 * `PrefixTrie` it is blind (D. R. Morrison, "PATRICIA", JACM 15(4), 1968): the keys are with the rules only, and a walk
 * down looks at one bit per record and compares whole keys at the rules it meets. So there is no record for a rule
 * without rules below it, which is nearly every rule, and a record fits any family. A reference is 0 for none, ~slot
 * (negative) for such a rule, or the offset of a record:
 *
 *     offset + LENGTH   how many bits all keys below have in common
 * + LEFT     what continues with a 0 bit
 * + RIGHT    what continues with a 1 bit
 * + RULE     the slot of the rule of that length, 0 if there is none
 *            + TOTAL    how many rules there are in it and below it
 *
 * Invariants:
 *  - a record without a rule has two children, one with a rule has one at least, so n rules need at most n - 1 records;
 *  - in order, a rule comes before what is below it, and what is left before what is right: the order of prefixes;
 *  - a count is the sum of those of the children and the own rule;
 *  - every record is either reachable from the root once, or once on the list of freed ones.
 */

/*
 * Three rules: 10.0.0.0/8, and below it one that continues with a 0 bit and one that continues with a 1 bit:
 *
 *     cells[ROOT] -> | 8 | LEFT | RIGHT | RULE = slot of 10.0.0.0/8 | TOTAL = 3 |
 *                          |       |
 *                          |       ~slot of 10.128.0.0/9       no record: nothing lies below it
 *                          ~slot of 10.1.0.0/16
 *
 * Why a blind walk is right. A walk skips the bits between two records without looking, so on the way it may enter a
 * subtree of keys that differ from its own in a skipped bit. It never concludes from that: `find` and `covering`
 * compare the whole key at a rule (`covers`). If the prefix is in the tree, all records on its path have bits in common
 * with it, so the bits looked at lead to it: the comparison holds exactly if it is there. Where a rule on the way does
 * not cover the prefix, none below can: their keys begin with that rule's.
 *
 * Why one relative is enough for `insert`. Each record's keys have all its LENGTH bits in common. Let the new prefix
 * share s bits with the relative, to which the walk by its own bits leads. A record on that walk of LENGTH <= s has its
 * bits; one of LENGTH > s has not. No other key shares more: it would leave the walk at a record above, at a bit that
 * the walk looked at and in which it differs. So the new prefix joins above the first record of more than s bits.
 *
 * The count. TOTAL of a record = TOTAL of its children + 1 if it has a rule; 1 for ~slot, 0 for none. `insert` and
 * `remove` change it on the way down by the one rule that comes or goes, before they know where it ends: they are
 * called only for a prefix that is not there, or is there. A record that `#join` makes counts what it is put above, and
 * itself.
 *
 * Bounds, and why a `!` stands after each read of `cells`: a positive reference is the offset of a record below `end`,
 * `end` is within the array (`#extend`), and a member is at most STRIDE - 1 further. Slots come from RULE cells and
 * ~references, which name rules that are there. LENGTH grows on the way down, so that a way has at most 129 records
 * (0 to 128 bits), and a stack of 130 never runs over: it holds one sibling for each record, and the one in hand.
 */
export const LENGTH = 0;
export const LEFT = 1;
export const RIGHT = 2;
export const RULE = 3;
export const TOTAL = 4;
export const STRIDE = 5;

/**
 * Offset 0 stands for "none". That lets its record's left cell hold the root, which so has a parent cell like any
 * other.
 */
export const ROOT = LEFT;

const FIRST_CAPACITY = 16;
/** Rules inserted, and records counted, between two pauses. */
const STEP = 1 << 13;

export class RuleTree {
  readonly slots: RuleSlots;
  cells = new Int32Array(FIRST_CAPACITY * STRIDE);
  /** The first cell that no record has used yet. */
  end = STRIDE;
  /** The most recently freed record; each names the next in its left cell. */
  freed = 0;
  /** Increases with every rule added or removed; a walk that notices a change finds its position anew. */
  changes = 0;

  constructor(slots: RuleSlots) {
    this.slots = slots;
  }

  /** A copy of the tree over a copy of the slots. */
  *copying(slots: RuleSlots): Generator<undefined, RuleTree, undefined> {
    const copy = new RuleTree(slots);
    copy.cells = yield* copying(this.cells, this.end);
    copy.end = this.end;
    copy.freed = this.freed;
    return copy;
  }

  /** A copy over the same slots. O(n), by copying an array. */
  copy(): RuleTree {
    const copy = new RuleTree(this.slots);
    copy.cells = this.cells.slice(0, this.end);
    copy.end = this.end;
    copy.freed = this.freed;
    return copy;
  }

  get total(): number {
    return this.totalOf(this.cells[ROOT]!);
  }

  /** The slot of the rule with exactly this prefix, 0 if there is none. */
  find(prefix: Prefix): number {
    const { cells } = this;
    let at = cells[ROOT]!;
    while (at > 0 && cells[at + LENGTH]! < prefix.length) at = cells[at + LEFT + bitOf(prefix, cells[at + LENGTH]!)]!;
    const slot = at < 0 ? ~at : at === 0 ? 0 : cells[at + RULE]!;
    return slot !== 0 && this.slots.lengths[slot] === prefix.length && this.slots.covers(slot, prefix) ? slot : 0;
  }

  /** The slots of the rules that cover the prefix, the least specific first. */
  covering(prefix: Prefix): number[] {
    const { cells, slots } = this;
    const found: number[] = [];
    for (let at = cells[ROOT]!; at !== 0; at = cells[at + LEFT + bitOf(prefix, cells[at + LENGTH]!)]!) {
      const slot = at < 0 ? ~at : cells[at + RULE]!;
      if (slot !== 0) {
        // If this rule does not cover it, nothing below does.
        if (!slots.covers(slot, prefix)) break;
        found.push(slot);
      }
      if (at < 0 || cells[at + LENGTH]! >= prefix.length) break;
    }
    return found;
  }

  /**
   * The slot of the most specific rule that covers the prefix and is active at `now`; 0 if there is none. As
   * `covering`, without a list: each rule on the way down is more specific than the one before it, so the last active
   * one decides.
   */
  deciding(prefix: Prefix, now: number): number {
    const { cells, slots } = this;
    let deciding = 0;
    for (let at = cells[ROOT]!; at !== 0; at = cells[at + LEFT + bitOf(prefix, cells[at + LENGTH]!)]!) {
      const slot = at < 0 ? ~at : cells[at + RULE]!;
      if (slot !== 0) {
        // If this rule does not cover it, nothing below does.
        if (!slots.covers(slot, prefix)) break;
        if (now < slots.expiresAt[slot]!) deciding = slot;
      }
      if (at < 0 || cells[at + LENGTH]! >= prefix.length) break;
    }
    return deciding;
  }

  /** Inserts a rule whose prefix is not in the tree yet. */
  insert(slot: number): void {
    const { slots } = this;
    const prefix = slots.prefixAt(slot);
    const { length } = prefix;
    const relative = this.relativeOf(prefix);
    // Everything on the path to the relative has the relative's bits, so this is where the new prefix leaves the path.
    const shared = relative === 0 ? 0 : Math.min(slots.sharedBits(relative, prefix), length);
    let cell = ROOT;
    let at = this.cells[ROOT]!;
    while (at !== 0 && this.lengthOf(at) <= shared && this.lengthOf(at) < length) {
      if (at < 0) {
        // A rule that had nothing below it gets a record now; allocating it may replace the array.
        at = this.#allocate(slots.lengths[~at]!, ~at);
        this.cells[cell] = at;
      }
      this.cells[at + TOTAL]!++;
      cell = at + LEFT + bitOf(prefix, this.cells[at + LENGTH]!);
      at = this.cells[cell]!;
    }
    const top = at === 0 ? ~slot : this.#join(slot, at, relative, shared);
    this.cells[cell] = top;
    this.changes++;
  }

  /** Removes a rule, and the record that only this rule needed. The slot must still hold the rule. */
  remove(slot: number): void {
    const { cells, slots } = this;
    const prefix = slots.prefixAt(slot);
    let parentCell = ROOT;
    let parent = 0;
    let cell = ROOT;
    let at = cells[ROOT]!;
    while (at > 0 && cells[at + LENGTH]! < prefix.length) {
      cells[at + TOTAL]!--;
      parentCell = cell;
      parent = at;
      cell = at + LEFT + bitOf(prefix, cells[at + LENGTH]!);
      at = cells[cell]!;
    }
    this.changes++;
    if (at > 0) {
      cells[at + TOTAL]!--;
      cells[at + RULE] = 0;
      this.tidy(cell, at);
      return;
    }
    cells[cell] = 0;
    if (parent !== 0) this.tidy(parentCell, parent);
  }

  /** Counts the rules of all records, from below. */
  *#counting(): Generator<undefined, void, undefined> {
    // Children come after their parents in `records`; from the end, both children are counted before their parent.
    const { cells } = this;
    const records = yield* this.#recordsFromTop();
    for (let i = records.length - 1; i >= 0; i--) {
      if (i % STEP === 0) yield;
      const at = records[i]!;
      cells[at + TOTAL] =
        this.totalOf(cells[at + LEFT]!) + this.totalOf(cells[at + RIGHT]!) + (cells[at + RULE] === 0 ? 0 : 1);
    }
  }

  /**
   * Builds the empty tree of the rules in these slots, which are in the order of prefixes, in O(n) and in steps: each
   * rule only touches the path of the one before it, from below. @throws RangeError naming the prefixes that are out of
   * order or occur twice
   */
  *build(order: Uint32Array): Generator<undefined, void, undefined> {
    const { slots } = this;
    // With spare capacity, so that the cells do not grow at the same time as the columns of rules.
    this.cells = new Int32Array(Math.max(FIRST_CAPACITY, order.length + (order.length >>> 4)) * STRIDE);
    // As the stack of a Cartesian tree (J. Vuillemin, CACM 23(4), 1980): what is popped is complete, as all rules to come
    // lie to the right of it. Each rule is pushed with one record at most, and each is popped once: O(n).
    // The records around the rule before, from the top, and that rule.
    const path = new Int32Array(130);
    let height = 0;
    if (order.length > 0) this.cells[ROOT] = path[height++] = ~order[0]!;
    for (let index = 1; index < order.length; index++) {
      if (index % STEP === 0) yield;
      const slot = order[index]!;
      const prefix = slots.prefixAt(slot);
      const shared = this.#sharedInOrder(order[index - 1]!, prefix);
      // All longer than what is shared lies to the left of the new rule; the topmost of it becomes the left child.
      let below = 0;
      while (height > 0 && this.lengthOf(path[height - 1]!) > shared) below = path[--height]!;
      let at = height > 0 && this.lengthOf(path[height - 1]!) === shared ? path[--height]! : 0;
      if (at <= 0) {
        // Either the rule before covers this one, or the two of them part where there is no record yet.
        const covering = at < 0 ? ~at : 0;
        at = this.#allocate(shared, covering);
        if (covering === 0) this.cells[at + LEFT] = below;
        const parent = height === 0 ? 0 : path[height - 1]!;
        this.cells[parent === 0 ? ROOT : parent + LEFT + bitOf(prefix, this.cells[parent + LENGTH]!)] = at;
      }
      this.cells[at + LEFT + bitOf(prefix, shared)] = ~slot;
      path[height++] = at;
      path[height++] = ~slot;
    }
    this.changes++;
    yield* this.#counting();
  }

  /** The number of rules that a reference leads to. */
  totalOf(at: number): number {
    return at > 0 ? this.cells[at + TOTAL]! : at === 0 ? 0 : 1;
  }

  /** How many bits all keys that a reference leads to have in common. */
  lengthOf(at: number): number {
    return at > 0 ? this.cells[at + LENGTH]! : this.slots.lengths[~at]!;
  }

  /**
   * A rule whose key has as many leading bits in common with the prefix as that of any rule: the rule to which the bits
   * of the records lead. 0 in an empty tree.
   */
  relativeOf(prefix: Prefix): number {
    const { cells } = this;
    let at = cells[ROOT]!;
    while (at > 0) {
      const length = cells[at + LENGTH]!;
      const next = length < prefix.length ? cells[at + LEFT + bitOf(prefix, length)]! : 0;
      if (next === 0 && cells[at + RULE] !== 0) return cells[at + RULE]!;
      at = next === 0 ? cells[at + LEFT]! : next;
    }
    return at === 0 ? 0 : ~at;
  }

  /** How many bits a prefix has in common with that of the rule before, which must come before it. */
  #sharedInOrder(before: number, prefix: Prefix): number {
    const { slots } = this;
    const length = slots.lengths[before]!;
    const shared = Math.min(slots.sharedBits(before, prefix), length, prefix.length);
    if (shared < prefix.length && (shared === length || bitOf(prefix, shared) === 1)) return shared;
    const texts = [prefix, slots.prefixAt(before)].map((each) => formatPrefix(each));
    throw new RangeError(
      `The rules must come in the order of prefixes, each prefix once, but ${texts[0]} follows ${texts[1]}`,
    );
  }

  /**
   * Inserts a rule next to, above or into the record where its prefix leaves the path down. Returns the reference that
   * replaces it.
   */
  #join(slot: number, at: number, relative: number, shared: number): number {
    const { slots } = this;
    const length = slots.lengths[slot];
    if (this.lengthOf(at) === length && shared === length) {
      this.cells[at + RULE] = slot;
      this.cells[at + TOTAL]!++;
      return at;
    }
    const isAbove = shared === length;
    const made = this.#allocate(shared, isAbove ? slot : 0);
    this.cells[made + LEFT + slots.keyBit(relative, shared)] = at;
    if (!isAbove) this.cells[made + LEFT + slots.keyBit(slot, shared)] = ~slot;
    this.cells[made + TOTAL] = this.totalOf(at) + 1;
    return made;
  }

  /** Frees a record that has just lost a rule or a child, if what is left needs none: one child, or its rule. */
  tidy(cell: number, at: number): void {
    const { cells } = this;
    const left = cells[at + LEFT]!;
    const right = cells[at + RIGHT]!;
    const rule = cells[at + RULE]!;
    if (rule === 0 ? left !== 0 && right !== 0 : left !== 0 || right !== 0) return;
    // One reference is left at most: the other child is 0, so || picks it; 0 if there is none. The parent's cell takes
    // it, and its count stays right: it counts rules, and none has gone with the record.
    cells[cell] = rule === 0 ? left || right : ~rule;
    cells[at + LEFT] = this.freed;
    this.freed = at;
  }

  /** All records, each before its children. */
  *#recordsFromTop(): Generator<undefined, Int32Array, undefined> {
    const { cells } = this;
    const records = new Int32Array(this.end / STRIDE);
    const pending = new Int32Array(130);
    let count = 0;
    let height = 0;
    if (cells[ROOT]! > 0) pending[height++] = cells[ROOT]!;
    while (height > 0) {
      const at = pending[--height]!;
      records[count++] = at;
      if (count % STEP === 0) yield;
      if (cells[at + RIGHT]! > 0) pending[height++] = cells[at + RIGHT]!;
      if (cells[at + LEFT]! > 0) pending[height++] = cells[at + LEFT]!;
    }
    return records.subarray(0, count);
  }

  /** A record without children that counts its rule, from the freed ones if there are any. May replace `cells`. */
  #allocate(length: number, rule: number): number {
    let at = this.freed;
    if (at !== 0) this.freed = this.cells[at + LEFT]!;
    else at = this.#extend();
    const { cells } = this;
    cells[at + LENGTH] = length;
    cells[at + LEFT] = 0;
    cells[at + RIGHT] = 0;
    cells[at + RULE] = rule;
    cells[at + TOTAL] = rule === 0 ? 0 : 1;
    return at;
  }

  #extend(): number {
    const at = this.end;
    const { length } = this.cells;
    if (at + STRIDE > length)
      this.cells = grown(this.cells, new Int32Array(STRIDE * Math.ceil((length * 1.5) / STRIDE)));
    this.end = at + STRIDE;
    return at;
  }
}
