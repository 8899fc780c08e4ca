import { addressBits, type Family, type Prefix } from "../../address/address.ts";
import { ExpiryCounts } from "./_expiry-counts.ts";
import { maskOf, NO_RULE_HERE, PERMANENT, RuleSlots } from "./_rule-slots.ts";
import { RuleDecider } from "./_rule-decider.ts";
import { RuleTree } from "./_rule-tree.ts";
import type { SlotMoment } from "./_slot-moment.ts";
import { StateBlocks } from "./_state-blocks.ts";
import type { Rule } from "../rule.ts";
import type { RuleColumns } from "../rule-columns.ts";

/** Rules processed between two pauses of a load. */
const STEP = 1 << 14;

type Work = Generator<undefined, void, undefined>;

/** The rules of a family at a moment. */
export interface FamilyMoment {
  readonly family: Family;
  readonly count: number;
  readonly slots: SlotMoment;
  /** Their slots in the order of prefixes, produced in steps. */
  readonly order: Generator<undefined, Uint32Array, undefined>;
}

/**
 * The rules of one family: their slots and the decider, and two structures that are built on first use: the tree, which
 * gives the rules in order and at any position, and the expiry counts, which give for any time how many are active, and
 * which.
 *
 *     slots      1 ... end: a rule each, or free       what a rule is: prefix, name, times
 *     decider    address -> slot                       which rule decides
 *     tree       rank <-> slot, prefix -> slot         built on first use if the rules came with a table
 *     expiries   moment -> how many end by then        built on first use
 *
 * Invariant: what is there (the decider always, the others once built) has exactly the rules of the slots that are taken.
 * While one of the two is being built, changes are noted, and applied to it before it is used.
 */
export class FamilyRules {
  readonly slots: RuleSlots;
  readonly decider: RuleDecider;
  /** The number of rules. */
  count = 0;
  #tree: RuleTree | undefined;
  #expiries: ExpiryCounts | undefined;
  #blocks: StateBlocks | undefined;
  /** While the tree is being built: the work, and the slots that rules have taken or left since it began. */
  #makingTree: Work | undefined;
  #changedSlots: number[] | undefined;
  /** While the expiries are being counted: the work, and the expiries added or removed since it began. */
  #countingExpiries: Work | undefined;
  #changedExpiries: { readonly moment: number; readonly change: 1 | -1 }[] | undefined;

  /**
   * Loads rules, in steps that take as long as a chunk of a few thousand does.
   * @throws RangeError for columns of different lengths, rules out of order, and invalid rules
   */
  static *loading(family: Family, chunks: readonly RuleColumns[]): Generator<undefined, FamilyRules, undefined> {
    const count = chunks.reduce((sum, { lengths }) => sum + lengths.length, 0);
    const rules = new FamilyRules(new RuleSlots(family, Math.max(16, count + 1)));
    if (count > 0) yield* rules.#load(chunks, count);
    return rules;
  }

  /** With `count` rules in filled slots if a decider is given; otherwise empty. */
  constructor(
    slots: RuleSlots,
    deciderOf = (allRules: () => RuleTree): RuleDecider => new RuleDecider(slots, allRules),
    count = slots.end - 1,
  ) {
    this.slots = slots;
    this.decider = deciderOf(() => this.tree);
    this.count = count;
    if (this.decider.frozen === undefined) this.#tree = new RuleTree(slots);
  }

  /** A copy, in steps of a few hundred microseconds; the rules must not change meanwhile. */
  *copying(): Generator<undefined, FamilyRules, undefined> {
    const copyDecider = this.decider.copying();
    const slots = yield* this.slots.copying();
    const copy = new FamilyRules(slots, (allRules) => copyDecider(slots, allRules), this.count);
    if (this.#tree !== undefined) copy.#tree = yield* this.#tree.copying(slots);
    if (this.#expiries !== undefined) copy.#expiries = yield* this.#expiries.copying();
    if (this.#blocks !== undefined) copy.#blocks = this.#blocks.copy(copy.tree);
    return copy;
  }

  /** The rules in order, with their numbers. O(1), or O(rules) for the first call if they came with a table. */
  get tree(): RuleTree {
    while (this.#tree === undefined) (this.#makingTree ??= this.#makeTree()).next();
    return this.#tree;
  }

  /** O(1), or O(rules log rules) the first time. */
  get expiries(): ExpiryCounts {
    while (this.#expiries === undefined) (this.#countingExpiries ??= this.#countExpiries()).next();
    return this.#expiries;
  }

  /**
   * Builds everything that is otherwise built on first use, in the steps of `RuleIndex.completing`; rules may be added,
   * changed and removed meanwhile. If it is abandoned, the next call, or the first use, continues where it stopped.
   */
  *completing(): Generator<undefined, void, undefined> {
    // First, as the expiries of a file need no copy until there are columns that can be written to.
    while (this.#expiries === undefined) yield void (this.#countingExpiries ??= this.#countExpiries()).next();
    yield* this.slots.unpacking();
    while (this.#tree === undefined) yield void (this.#makingTree ??= this.#makeTree()).next();
  }

  /** The rules as they are now: later writes do not affect the moment until it is ended. */
  moment(): FamilyMoment {
    const slots = this.slots.moment();
    return { family: this.slots.family, count: this.count, slots, order: this.decider.orderedSlotsOf(slots) };
  }

  get blocks(): StateBlocks {
    return (this.#blocks ??= new StateBlocks(this.tree));
  }

  /** Set by tests, which need small blocks. */
  set blocks(blocks: StateBlocks) {
    this.#blocks = blocks;
  }

  get byteLength(): number {
    const indexes = (this.#tree?.cells.byteLength ?? 0) + (this.#expiries?.byteLength ?? 0);
    return this.slots.byteLength + indexes + this.decider.byteLength;
  }

  /** The slot of the rule with exactly this prefix; 0 if there is none. */
  find(prefix: Prefix): number {
    return this.#tree === undefined ? this.decider.find(prefix) : this.#tree.find(prefix);
  }

  set(rule: Rule): void {
    const { slots } = this;
    this.#prepare();
    const found = this.find(rule.prefix);
    const slot = found === 0 ? slots.take(rule.prefix) : found;
    if (found !== 0) this.#countExpiry(slot, -1);
    slots.write(slot, rule);
    this.#countExpiry(slot, 1);
    if (found === 0) this.#add(slot);
    this.#blocks?.touch(slot);
  }

  delete(prefix: Prefix): boolean {
    const slot = this.find(prefix);
    if (slot === 0) return false;
    this.#prepare();
    this.#blocks?.touch(slot);
    this.#tree?.remove(slot);
    this.#changedSlots?.push(slot);
    this.#countExpiry(slot, -1);
    this.decider.remove(slot);
    this.count--;
    return true;
  }

  /** Frees slots, unless a tree that may refer to them is being built. */
  #prepare(): void {
    if (this.#changedSlots === undefined) this.decider.prepare();
  }

  #add(slot: number): void {
    this.#tree?.insert(slot);
    this.#changedSlots?.push(slot);
    this.decider.add(slot);
    this.count++;
  }

  #countExpiry(slot: number, change: 1 | -1): void {
    const moment = this.slots.expiresAt[slot]!;
    if (moment === PERMANENT) return;
    if (this.#expiries !== undefined) count(this.#expiries, moment, change);
    else this.#changedExpiries?.push({ moment, change });
  }

  *#makeTree(): Work {
    const { slots } = this;
    const changed = (this.#changedSlots = [] as number[]);
    try {
      const tree = new RuleTree(slots);
      yield* tree.build(yield* this.decider.orderedSlots());
      // In the order of the changes: a removed rule may be followed by a new one with the same prefix in another slot. A
      // slot is not freed meanwhile (`#prepare`), so its prefix is still that of the rule that left it.
      for (const slot of changed) {
        const found = tree.find(slots.prefixAt(slot));
        if (!slots.isTaken(slot) && found === slot) tree.remove(slot);
        else if (slots.isTaken(slot) && found === 0) tree.insert(slot);
      }
      this.#tree = tree;
    } finally {
      this.#changedSlots = undefined;
      this.#makingTree = undefined;
    }
  }

  *#countExpiries(): Work {
    const changes = (this.#changedExpiries = [] as { moment: number; change: 1 | -1 }[]);
    try {
      // Those of the step in which changes begin to be recorded: a change of what has not been counted yet would count
      // twice.
      const expiries = yield* ExpiryCounts.counting(this.slots.expiriesNow());
      for (const { moment, change } of changes) count(expiries, moment, change);
      this.#expiries = expiries;
    } finally {
      this.#changedExpiries = undefined;
      this.#countingExpiries = undefined;
    }
  }

  *#load(chunks: readonly RuleColumns[], count: number): Generator<undefined, void, undefined> {
    const { slots, tree } = this;
    for (const chunk of chunks) {
      this.#append(chunk);
      yield;
    }
    yield* this.#checkColumns();
    yield* tree.build(yield* slotsUpTo(count));
    this.count = count;
    this.#expiries = yield* ExpiryCounts.counting(slots.expiresAt.subarray(1, slots.end));
  }

  #append(chunk: RuleColumns): void {
    const { slots } = this;
    const start = slots.end;
    const { length } = chunk.lengths;
    const columns = [
      "numbers" in chunk.names ? chunk.names.numbers : chunk.names,
      chunk.expiresAt,
      chunk.createdAt,
      chunk.updatedAt,
    ];
    if (chunk.words.length !== length * slots.words || columns.some((column) => column.length !== length)) {
      throw new RangeError(
        `The columns of ${length} rules must have as many values each, and \`words\` ${length * slots.words}`,
      );
    }
    slots.keys.set(chunk.words, start * slots.words);
    slots.lengths.set(chunk.lengths, start);
    slots.expiresAt.set(chunk.expiresAt, start);
    slots.createdAt.set(chunk.createdAt, start);
    slots.updatedAt.set(chunk.updatedAt, start);
    slots.names.append(chunk.names);
    slots.end += length;
  }

  /** Checks that prefixes are canonical and no expiry is missing; the order is checked where it is used. */
  *#checkColumns(): Generator<undefined, void, undefined> {
    const { keys, lengths, expiresAt, words, family, end } = this.slots;
    const bits = addressBits(family);
    for (let slot = 1; slot < end; slot++) {
      const length = lengths[slot]!;
      if (slot % STEP === 0) yield;
      let hostBits = 0;
      for (let word = 0; word < words; word++) hostBits |= keys[slot * words + word]! & ~maskOf(length - 32 * word);
      if (length > bits || hostBits !== 0)
        throw new RangeError(
          `Rule ${slot - 1} of IPv${family} has a prefix of length ${length} whose words do not fit it`,
        );
      // Written so that NaN fails, too; -Infinity would mean that the slot is free.
      if (!(expiresAt[slot]! > NO_RULE_HERE))
        throw new RangeError(`Rule ${slot - 1} of IPv${family} has no expiry; a permanent rule has Infinity`);
    }
  }
}

/** 1 to `count`. A loop in steps: `Uint32Array.from` with a function is one step, of 10 ms for 400,000 rules. */
function* slotsUpTo(count: number): Generator<undefined, Uint32Array, undefined> {
  const slots = new Uint32Array(count);
  for (let at = 0; at < count; at++) {
    if (at % STEP === STEP - 1) yield;
    slots[at] = at + 1;
  }
  return slots;
}

function count(expiries: ExpiryCounts, moment: number, change: 1 | -1): void {
  if (change === 1) expiries.add(moment);
  else expiries.remove(moment);
}
