import { addressBits, type Family, type Prefix } from "../address/address.ts";
import { ExpiryCounts } from "./_expiry-counts.ts";
import { maskOf, NO_RULE_HERE, PERMANENT, RuleSlots } from "./_rule-slots.ts";
import { RuleTree } from "./_rule-tree.ts";
import { StateBlocks } from "./_state-blocks.ts";
import type { Rule } from "./rule.ts";
import type { RuleColumns } from "./rule-columns.ts";

/** Rules that are looked at between two interruptions of a load. */
const STEP = 1 << 14;

/**
 * The rules of one family: their slots, the tree over them, and what answers for any time how many are active, and
 * which.
 */
export class FamilyRules {
  readonly slots: RuleSlots;
  readonly tree: RuleTree;
  expiries: ExpiryCounts;
  blocks: StateBlocks;

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

  constructor(slots: RuleSlots, tree = new RuleTree(slots)) {
    this.slots = slots;
    this.tree = tree;
    this.expiries = new ExpiryCounts();
    this.blocks = new StateBlocks(tree);
  }

  /** A copy, in steps of some hundred microseconds; the rules must not change meanwhile. */
  *copying(): Generator<undefined, FamilyRules, undefined> {
    const slots = yield* this.slots.copying();
    const copy = new FamilyRules(slots, yield* this.tree.copying(slots));
    copy.expiries = yield* this.expiries.copying();
    copy.blocks = this.blocks.copy(copy.tree);
    return copy;
  }

  get byteLength(): number {
    return this.slots.byteLength + this.tree.cells.byteLength + this.expiries.byteLength;
  }

  set(rule: Rule): void {
    const { slots, tree } = this;
    const found = tree.find(rule.prefix);
    const slot = found === 0 ? slots.take(rule.prefix) : found;
    if (found !== 0) this.#forgetExpiry(slot);
    slots.write(slot, rule);
    if (slots.expiresAt[slot] !== PERMANENT) this.expiries.add(slots.expiresAt[slot]!);
    if (found === 0) tree.insert(slot);
    this.blocks.touch(slot);
  }

  delete(prefix: Prefix): boolean {
    const slot = this.tree.find(prefix);
    if (slot === 0) return false;
    this.blocks.touch(slot);
    this.tree.remove(slot);
    this.#forgetExpiry(slot);
    this.slots.free(slot);
    return true;
  }

  #forgetExpiry(slot: number): void {
    const expiry = this.slots.expiresAt[slot]!;
    if (expiry !== PERMANENT) this.expiries.remove(expiry);
  }

  *#load(chunks: readonly RuleColumns[], count: number): Generator<undefined, void, undefined> {
    const { slots, tree } = this;
    for (const chunk of chunks) {
      this.#append(chunk);
      yield;
    }
    yield* this.#checkColumns();
    yield* tree.build(count);
    this.expiries = yield* ExpiryCounts.counting(slots.expiresAt.subarray(1, slots.end));
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
