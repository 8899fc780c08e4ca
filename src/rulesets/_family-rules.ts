import { addressBits, type Family, type Prefix } from "../address/address.ts";
import { ExpiryCounts } from "./_expiry-counts.ts";
import { finished } from "./_finished.ts";
import { maskOf, NO_RULE_HERE, PERMANENT, RuleSlots } from "./_rule-slots.ts";
import { RuleDecider } from "./_rule-decider.ts";
import { RuleTree } from "./_rule-tree.ts";
import { RuleWalk } from "./_rule-walk.ts";
import { StateBlocks } from "./_state-blocks.ts";
import type { Rule } from "./rule.ts";
import type { RuleColumns } from "./rule-columns.ts";

/** Rules that are looked at between two interruptions of a load. */
const STEP = 1 << 14;

/**
 * The rules of one family: their slots, what decides about addresses, and, each made when it is first needed: the tree
 * that gives the rules in order and at any position, and what says for any time how many are active, and which.
 */
export class FamilyRules {
  readonly slots: RuleSlots;
  readonly decider: RuleDecider;
  /** The number of rules. */
  count = 0;
  #tree: RuleTree | undefined;
  #expiries: ExpiryCounts | undefined;
  #blocks: StateBlocks | undefined;

  /**
   * Loads rules, in steps that take as long as a chunk of some thousand does.
   * @throws RangeError for columns of different lengths, rules out of order, and what is no rule
   */
  static *loading(family: Family, chunks: readonly RuleColumns[]): Generator<undefined, FamilyRules, undefined> {
    const count = chunks.reduce((sum, { lengths }) => sum + lengths.length, 0);
    const rules = new FamilyRules(new RuleSlots(family, Math.max(16, count + 1)));
    if (count > 0) yield* rules.#load(chunks, count);
    return rules;
  }

  /** Of `count` rules in slots that are filled, where they come with what decides about them; else of none. */
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

  /** A copy, in steps of some hundred microseconds; the rules must not change meanwhile. */
  *copying(): Generator<undefined, FamilyRules, undefined> {
    const copyDecider = this.decider.copying();
    const slots = yield* this.slots.copying();
    const copy = new FamilyRules(slots, (allRules) => copyDecider(slots, allRules), this.count);
    if (this.#tree !== undefined) copy.#tree = yield* this.#tree.copying(slots);
    if (this.#expiries !== undefined) copy.#expiries = yield* this.#expiries.copying();
    if (this.#blocks !== undefined) copy.#blocks = this.#blocks.copy(copy.tree);
    return copy;
  }

  /** The rules in order, with their numbers. O(1), or O(rules) where they came with a table and this is asked first. */
  get tree(): RuleTree {
    return (this.#tree ??= this.#makeTree());
  }

  /** O(1), or O(rules log rules) the first time. */
  get expiries(): ExpiryCounts {
    return (this.#expiries ??= finished(ExpiryCounts.counting(this.slots.expiresAt.subarray(1, this.slots.end))));
  }

  get blocks(): StateBlocks {
    return (this.#blocks ??= new StateBlocks(this.tree));
  }

  /** For tests, which need small ones. */
  set blocks(blocks: StateBlocks) {
    this.#blocks = blocks;
  }

  get byteLength(): number {
    const indexes = (this.#tree?.cells.byteLength ?? 0) + (this.#expiries?.byteLength ?? 0);
    return this.slots.byteLength + indexes + this.decider.byteLength;
  }

  /** The slot of the rule of exactly this prefix; 0 where there is none. */
  find(prefix: Prefix): number {
    return this.#tree === undefined ? this.decider.find(prefix) : this.#tree.find(prefix);
  }

  set(rule: Rule): void {
    const { slots } = this;
    this.decider.prepare();
    const found = this.find(rule.prefix);
    const slot = found === 0 ? slots.take(rule.prefix) : found;
    if (found !== 0) this.#forgetExpiry(slot);
    slots.write(slot, rule);
    if (slots.expiresAt[slot] !== PERMANENT) this.#expiries?.add(slots.expiresAt[slot]!);
    if (found === 0) this.#add(slot);
    this.#blocks?.touch(slot);
  }

  delete(prefix: Prefix): boolean {
    const slot = this.find(prefix);
    if (slot === 0) return false;
    this.decider.prepare();
    this.#blocks?.touch(slot);
    this.#tree?.remove(slot);
    this.#forgetExpiry(slot);
    this.decider.remove(slot);
    this.count--;
    return true;
  }

  #add(slot: number): void {
    this.#tree?.insert(slot);
    this.decider.add(slot);
    this.count++;
  }

  #forgetExpiry(slot: number): void {
    const expiry = this.slots.expiresAt[slot]!;
    if (expiry !== PERMANENT) this.#expiries?.remove(expiry);
  }

  /** The tree of the rules of the table that are still there, and of those that came since. */
  #makeTree(): RuleTree {
    const { slots, decider } = this;
    const tree = new RuleTree(slots);
    const order = Uint32Array.from({ length: decider.frozen!.count }, (_, at) => decider.frozen!.slotAt(at));
    finished(tree.build(order.filter((slot) => slots.isTaken(slot))));
    const walk = new RuleWalk(decider.added).startAt(0);
    // What came while the table was made may be in both.
    for (let slot = walk.next(); slot !== 0; slot = walk.next())
      if (tree.find(slots.prefixAt(slot)) === 0) tree.insert(slot);
    return tree;
  }

  *#load(chunks: readonly RuleColumns[], count: number): Generator<undefined, void, undefined> {
    const { slots, tree } = this;
    for (const chunk of chunks) {
      this.#append(chunk);
      yield;
    }
    yield* this.#checkColumns();
    yield* tree.build(Uint32Array.from({ length: count }, (_, at) => at + 1));
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

  /** That prefixes are canonical and no expiry is missing; the order is checked where it is used. */
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
      // Written so that NaN fails too; -Infinity says that a slot is free.
      if (!(expiresAt[slot]! > NO_RULE_HERE))
        throw new RangeError(`Rule ${slot - 1} of IPv${family} has no expiry; a permanent rule has Infinity`);
    }
  }
}
