import { checkBatch } from "../../address/check-batch.ts";
import { type Address, addressBits, type Family, notAnAddress, type Prefix } from "../../address/address.ts";
import type { AddressError } from "../../address/address-error.ts";
import { parseAddressInto, parseTextInto } from "../../address/parse-address.ts";
import { FamilyRules } from "./_family-rules.ts";
import { finished } from "../../turns/finished.ts";
import { familyOf, idOf, type RuleId, slotOf } from "../rule-id.ts";
import { PERMANENT, RuleSlots } from "./_rule-slots.ts";
import type { RuleTree } from "./_rule-tree.ts";
import { RuleWalk } from "./_rule-walk.ts";
import type { Rule } from "../rule.ts";
import type { RuleEngine } from "./rule-engine.ts";
import type { RuleColumns } from "../rule-columns.ts";
import { type RuleFilter, RuleSearch } from "./rule-search.ts";

/**
 * Which rules of an index to return: `limit` rules after the first `offset`, counting only active rules, only expired
 * rules, or all.
 */
export interface PageRequest {
  readonly offset: number;
  readonly limit: number;
  readonly activeOnly?: boolean;
  /** Cannot be combined with `activeOnly`. */
  readonly expiredOnly?: boolean;
}

/** Which active rules cover all of an address or prefix. */
export interface CheckResult {
  /** The most specific of them. */
  readonly rule: Rule | null;
  /** All of them, the most specific first. */
  readonly covering: readonly Rule[];
}

/** Up to this many changes, or one for every 64 rules, no new table is made. */
const MIN_CHANGES = 256;
const CHANGES_SHIFT = 6;

/** A group of texts whose words stay in the first-level cache, with their indexes and the decisions. */
const GROUP = 512;
const group4 = new Uint32Array(GROUP);
const group6 = new Uint32Array(4 * GROUP);
const indexes4 = new Uint32Array(GROUP);
const indexes6 = new Uint32Array(GROUP);
const ids = new Uint32Array(GROUP);

/** Called for each text that is not an address, with its index and the error that `parseAddress` throws for it. */
export type OnMalformed = (index: number, error: AddressError | TypeError) => void;

/** For storing rules, and for the tests of the invariants, which read the arrays of both families and corrupt them. */
export let partsOf: (index: RuleIndex) => readonly [FamilyRules, FamilyRules];

/**
 * The rules of one ruleset in memory, one per prefix, in the order of prefixes: IPv4 before IPv6, by address, the less
 * specific first. Times are milliseconds since 1970 UTC; a rule is active if it has no expiry or `now` is before it.
 * `now` is always the caller's and may go back between two calls. Rules are copied on the way in and out.
 *
 * With n rules, d distinct expiries and W = 32 or 128 bits per address:
 *
 * | operation                                     | steps                                         |
 * |-----------------------------------------------|-----------------------------------------------|
 * | `RuleIndex.from`, `copy`                      | O(n log d)                                    |
 * | `set`, `delete`                               | O(min(W, n) + log n + d / 512)                |
 * | `get`                                         | O(min(W, n))                                  |
 * | `covering`, `check`                           | O(min(W, n) + answer)                         |
 * | `deciding`, `decide...`                       | O(min(W, n)) an address                       |
 * | `count`                                       | O(1)                                          |
 * | `activeCount`, `expiredCount`, `nextExpiry`   | O(d / 512 + log d)                            |
 * | `page` of all rules                           | O(min(W, n) + limit)                          |
 * | `page` of active or expired rules             | O(n / 1024 + limit), see `preparing`          |
 * | `rules`, `search`                             | O(1) a rule, amortised                        |
 *
 * Nothing has to be swept: expired rules stay until they are deleted.
 *
 * Memory: 55 to 63 bytes a rule (IPv4) or 67 to 75 (IPv6), up to half as much again while the arrays have grown ahead,
 * 14 for each distinct expiry, and the names; rules of a ruleset with few names share them.
 *
 * Every method that takes a prefix ignores its host bits and throws a RangeError for a length beyond the family's.
 */
export class RuleIndex {
  #rules4 = new FamilyRules(new RuleSlots(4));
  #rules6 = new FamilyRules(new RuleSlots(6));
  readonly #words = new Uint32Array(4);
  #writes = 0;

  static {
    partsOf = (index) => [index.#rules4, index.#rules6];
  }

  /**
   * An index of many rules at once, much faster than `set` for each. The chunks of a family are in order.
   * @throws RangeError where rules are out of order, a prefix occurs twice or is not canonical, or the columns differ
   * in length
   */
  static from(chunks: Iterable<RuleColumns>): RuleIndex {
    return finished(RuleIndex.building(chunks));
  }

  /**
   * As `from`, in steps, for callers that have other work to do: each takes as long as a chunk of a few thousand rules
   * does, or less.
   */
  static *building(chunks: Iterable<RuleColumns>): Generator<undefined, RuleIndex, undefined> {
    const index = new RuleIndex();
    const all = [...chunks];
    index.#rules4 = yield* FamilyRules.loading(
      4,
      all.filter(({ family }) => family === 4),
    );
    index.#rules6 = yield* FamilyRules.loading(
      6,
      all.filter(({ family }) => family === 6),
    );
    return index;
  }

  /**
   * An index of the same rules, unaffected by later changes of this one. O(n), by copying arrays: about 50 ms for a
   * million rules.
   */
  copy(): RuleIndex {
    return finished(this.copying());
  }

  /** An index of the rules of both families, for stored rulesets. @internal */
  static of(rules4: FamilyRules, rules6: FamilyRules): RuleIndex {
    const index = new RuleIndex();
    index.#rules4 = rules4;
    index.#rules6 = rules6;
    return index;
  }

  /** As `copy`, in steps of a few hundred microseconds, between which the index must not change. */
  *copying(): Generator<undefined, RuleIndex, undefined> {
    const copy = new RuleIndex();
    copy.#rules4 = yield* this.#rules4.copying();
    copy.#rules6 = yield* this.#rules6.copying();
    return copy;
  }

  /** The number of rules, including expired ones. */
  get count(): number {
    return this.#rules4.count + this.#rules6.count;
  }

  /** How often `set` and `delete` were called since the index was made: while it stays the same, so do the rules. */
  get writes(): number {
    return this.#writes;
  }

  /** The bytes of all arrays, spare capacity included, without the texts of names. */
  get byteLength(): number {
    return this.#rules4.byteLength + this.#rules6.byteLength;
  }

  /** Adds a rule, replacing the one with the same prefix. @throws RangeError for times that are not numbers */
  set(rule: Rule): void {
    for (const time of [rule.expiresAt ?? 0, rule.createdAt, rule.updatedAt]) {
      if (!Number.isFinite(time)) throw new RangeError(`A time of a rule must be milliseconds since 1970, not ${time}`);
    }
    this.#rulesOf(rule.prefix).set(rule);
    this.#writes++;
  }

  /** Removes the rule with exactly this prefix. True if there was one. */
  delete(prefix: Prefix): boolean {
    this.#writes++;
    return this.#rulesOf(prefix).delete(prefix);
  }

  /** The rule with exactly this prefix, expired or not. */
  get(prefix: Prefix): Rule | undefined {
    const rules = this.#rulesOf(prefix);
    const slot = rules.find(prefix);
    return slot === 0 ? undefined : rules.slots.ruleAt(slot);
  }

  /** All rules that cover all of an address or prefix, expired ones too, the most specific first. */
  covering(where: Address | Prefix): Rule[] {
    const prefix = asPrefix(where);
    const { slots, decider } = this.#rulesOf(prefix);
    return decider.covering(prefix).map((slot) => slots.ruleAt(slot));
  }

  /** Which rules that are active at `now` cover all of an address or prefix. */
  check(where: Address | Prefix, now: number): CheckResult {
    checkTime(now);
    const prefix = asPrefix(where);
    const { slots, decider } = this.#rulesOf(prefix);
    const active = decider.covering(prefix).filter((slot) => now < slots.expiresAt[slot]!);
    const covering = active.map((slot) => slots.ruleAt(slot));
    return { rule: covering[0] ?? null, covering };
  }

  /** The rule that decides: the first one of `check`, without creating the others. */
  deciding(where: Address | Prefix, now: number): Rule | null {
    checkTime(now);
    const prefix = asPrefix(where);
    const { slots, decider } = this.#rulesOf(prefix);
    const slot = decider.deciding(prefix, now);
    return slot === 0 ? null : slots.ruleAt(slot);
  }

  /** As `deciding`; makes no object. */
  decide(where: Address | Prefix, now: number): RuleId {
    checkTime(now);
    const prefix = asPrefix(where);
    return idOf(prefix.family, this.#rulesOf(prefix).decider.deciding(prefix, now));
  }

  /**
   * The most specific rule that is active at `now` and covers the prefix of the rule of an id, but is another one; 0 if
   * there is none. So `decide`, then `decideAbove` until it returns 0, yield the rules that `check` returns. @throws as
   * `ruleAt`
   */
  decideAbove(id: RuleId, now: number): RuleId {
    checkTime(now);
    const { family } = this.#slotsOf(id);
    const { decider } = family === 4 ? this.#rules4 : this.#rules6;
    return idOf(family, decider.decidingAbove(slotOf(id), now));
  }

  /** As `deciding`, for an IPv4 address in an unsigned word; makes no object. */
  decide4(word: number, now: number): RuleId {
    checkTime(now);
    return idOf(4, this.#rules4.decider.decide4(word, now));
  }

  /** As `deciding`, for an IPv6 address in four unsigned words in network order; makes no object. */
  decide6(w0: number, w1: number, w2: number, w3: number, now: number): RuleId {
    checkTime(now);
    return idOf(6, this.#rules6.decider.decide6(w0, w1, w2, w3, now));
  }

  /** As `deciding`, for the text of an address; makes no object. @throws AddressError for malformed text */
  decideText(text: string, now: number): RuleId {
    const words = this.#words;
    if (parseAddressInto(text, words) === 4) return this.decide4(words[0]!, now);
    return this.decide6(words[0]!, words[1]!, words[2]!, words[3]!, now);
  }

  /**
   * For each of the texts, the id of the rule that decides at `now`; 0 if none does. A text that is not an address is
   * passed to `onMalformed` and gets 0; without that callback its error is thrown. @throws AddressError for malformed
   * text, RangeError where `out` is shorter than texts
   */
  decideInto(texts: readonly string[], out: Uint32Array, now: number, onMalformed?: OnMalformed): void {
    checkTime(now);
    if (out.length < texts.length)
      throw new RangeError(`${texts.length} texts need as many results, but there is room for only ${out.length}`);
    for (let start = 0; start < texts.length; start += GROUP)
      this.#decideGroup(texts, start, Math.min(start + GROUP, texts.length), out, now, onMalformed);
  }

  /**
   * As `decideInto`, for `count` addresses of one family in words: one (IPv4) or four (IPv6) each, in network order.
   * `out` may be `words` itself where they are IPv4 addresses.
   * @throws RangeError where either array is too short
   */
  decideWordsInto(
    family: Family,
    words: Uint32Array,
    out: Uint32Array,
    now: number,
    count: number = words.length / (family === 4 ? 1 : 4),
  ): void {
    checkTime(now);
    checkBatch(family, words, out, count);
    const { decider } = family === 4 ? this.#rules4 : this.#rules6;
    decider.decideInto(words, 0, out, 0, count, now);
  }

  /** The rule of an id, as it is now. @throws RangeError for 0 and for an id whose rule was deleted */
  ruleAt(id: RuleId): Rule {
    return this.#slotsOf(id).ruleAt(slotOf(id));
  }

  /** The prefix of the rule of an id. @throws as `ruleAt` */
  prefixAt(id: RuleId): Prefix {
    return this.#slotsOf(id).prefixAt(slotOf(id));
  }

  /** The name of the rule of an id. @throws as `ruleAt` */
  nameAt(id: RuleId): string | null {
    return this.#slotsOf(id).names.get(slotOf(id));
  }

  /** When the rule of an id expires; null: never. @throws as `ruleAt` */
  expiryAt(id: RuleId): number | null {
    const expiresAt = this.#slotsOf(id).expiresAt[slotOf(id)]!;
    return expiresAt === PERMANENT ? null : expiresAt;
  }

  /** Whether decisions are made from tables, or there are too few rules to need one. */
  get isFrozen(): boolean {
    return [this.#rules4, this.#rules6].every(
      ({ decider, count }) => decider.frozen !== undefined || count <= MIN_CHANGES,
    );
  }

  /** Whether `freezing` is worthwhile: enough rules were added or removed since the last time. */
  get isStale(): boolean {
    return [this.#rules4, this.#rules6].some((rules) => isStale(rules));
  }

  /**
   * Makes the `decide...` methods, `deciding`, `check` and `covering` fast: they then answer from a table of the
   * current rules and a small tree of the rules added afterwards; before the first call, from a tree of all rules.
   * O(n): a few hundred milliseconds for a million rules, in steps of about a millisecond at most, between which the
   * index may be read and changed; all answers are exact at every moment. Repeat when `isStale` says so. Starting a
   * freeze replaces one in progress; one can be abandoned at any time. `engine` looks up batches instead of the table
   * itself.
   */
  *freezing(engine?: RuleEngine): Generator<undefined, void, undefined> {
    for (const { decider } of [this.#rules4, this.#rules6]) if (decider.changes > 0) yield* decider.refreezing(engine);
  }

  /** How many rules are active at `now`. */
  activeCount(now: number): number {
    return this.count - this.expiredCount(now);
  }

  /**
   * How many rules have expired at `now`. While no rule is written, the set of active rules changes exactly when this
   * does: it and the version of the rules make an ETag.
   */
  expiredCount(now: number): number {
    checkTime(now);
    return this.#rules4.expiries.countUntil(now) + this.#rules6.expiries.countUntil(now);
  }

  /** When the next of the rules that are active at `now` expires; null if none ever does. */
  nextExpiry(now: number): number | null {
    checkTime(now);
    const next = Math.min(this.#rules4.expiries.firstAfter(now), this.#rules6.expiries.firstAfter(now));
    return next === Number.POSITIVE_INFINITY ? null : next;
  }

  /**
   * Builds what rules opened from a file otherwise build on first use, in a few tenths of a second for a million: their
   * order, which pages, iteration and searches need, the counts of their expiries, and columns that can be written to.
   * In steps of well under a millisecond, and for a million rules two of 15 to 50 ms, between which the index may be
   * read and changed. Does nothing if everything has been built.
   */
  *completing(): Generator<undefined, void, undefined> {
    for (const rules of [this.#rules4, this.#rules6]) yield* rules.completing();
  }

  /**
   * Rules in order, from any position: at most `limit` of them. @throws RangeError unless offset and limit are whole
   * and not negative
   */
  page({ offset, limit, activeOnly = false, expiredOnly = false }: PageRequest, now: number): Rule[] {
    for (const number of [offset, limit]) {
      if (!Number.isSafeInteger(number) || number < 0)
        throw new RangeError(`The offset and the limit of a page must be whole and not negative, not ${number}`);
    }
    checkTime(now);
    const page: Rule[] = [];
    let skip = offset;
    for (const rules of [this.#rules4, this.#rules6]) {
      const { slots, tree, blocks } = rules;
      const expired = expiredOnly || activeOnly ? rules.expiries.countUntil(now) : 0;
      const count = expiredOnly ? expired : tree.total - expired;
      if (skip < count && page.length < limit) {
        const extent = { offset: skip, limit: Math.min(limit - page.length, count - skip) };
        const found =
          expiredOnly || activeOnly
            ? blocks.page(expiredOnly ? "expired" : "active", extent, now)
            : pageOfAll(tree, extent);
        for (const slot of found) page.push(slots.ruleAt(slot));
      }
      skip = Math.max(0, skip - count);
    }
    return page;
  }

  /**
   * Makes the next `page` of active or expired rules at `now` O(n / 1024 + limit). Without this call, the page counts
   * the rules itself first: about 30 ms if all of a million rules have changed state. In steps of tens of microseconds,
   * between which the index may change; of rules from a file, after `completing`.
   */
  *preparing(now: number): Generator<undefined, void, undefined> {
    checkTime(now);
    yield* this.completing();
    yield* this.#rules4.blocks.counting(now);
    yield* this.#rules6.blocks.counting(now);
  }

  /**
   * The rules in order, from the first one after `after`, or from the very first. The index may be changed while they
   * are read: as with a `Map`, rules added ahead are visited, and rules removed ahead are not.
   */
  *rules(after?: Prefix): Generator<Rule, undefined> {
    for (const family of [4, 6] as const) {
      if (after === undefined || after.family <= family)
        yield* this.#rulesAfter(family, after?.family === family ? after : undefined);
    }
  }

  /**
   * Calls `visit` with the prefix of each rule that is active at `now`, in no order and without an object for each, and
   * returns when the first of them expires; Infinity: never. In steps of a few hundred microseconds, between which the
   * index must not change.
   */
  *visitingActive(
    now: number,
    visit: Readonly<Record<Family, (length: number, w0: number, w1: number, w2: number, w3: number) => void>>,
  ): Generator<undefined, number, undefined> {
    checkTime(now);
    const until4 = yield* this.#rules4.slots.visitingActive(now, visit[4]);
    return Math.min(until4, yield* this.#rules6.slots.visitingActive(now, visit[6]));
  }

  /**
   * A search for the rules that match a filter at `now`, run step by step. The index must not change before it is done.
   */
  search(filter: RuleFilter, now: number): RuleSearch {
    checkTime(now);
    return new RuleSearch([this.#rules4, this.#rules6], filter, now);
  }

  *#rulesAfter(family: Family, after: Prefix | undefined): Generator<Rule, undefined> {
    const { slots, tree } = family === 4 ? this.#rules4 : this.#rules6;
    let last = after;
    for (;;) {
      const { changes } = tree;
      const walk = new RuleWalk(tree);
      if (last === undefined) walk.startAt(0);
      else walk.startAfter(last);
      do {
        const slot = walk.next();
        if (slot === 0) return;
        const rule = slots.ruleAt(slot);
        last = rule.prefix;
        yield rule;
      } while (tree.changes === changes);
    }
  }

  /** Decides about the texts [start, end), each family at once. */
  #decideGroup(
    texts: readonly string[],
    start: number,
    end: number,
    out: Uint32Array,
    now: number,
    onMalformed: OnMalformed | undefined,
  ): void {
    const words = this.#words;
    const malformed: number[] = [];
    let [count4, count6] = [0, 0];
    for (let at = start; at < end; at++) {
      const text = texts[at]!;
      const family = typeof text === "string" ? parseTextInto(text, words) : -1;
      if (family === 4) {
        group4[count4] = words[0]!;
        indexes4[count4++] = at;
      } else if (family === 6) {
        group6.set(words, 4 * count6);
        indexes6[count6++] = at;
      } else {
        out[at] = 0;
        malformed.push(at);
      }
    }
    this.#rules4.decider.decideInto(group4, 0, ids, 0, count4, now);
    for (let i = 0; i < count4; i++) out[indexes4[i]!] = ids[i]!;
    this.#rules6.decider.decideInto(group6, 0, ids, 0, count6, now);
    for (let i = 0; i < count6; i++) out[indexes6[i]!] = ids[i]!;
    // Last, because the callback may make another call, which needs the arrays of the group.
    for (const at of malformed) this.#refuse(texts[at], at, onMalformed);
  }

  #refuse(text: unknown, index: number, onMalformed: OnMalformed | undefined): void {
    try {
      parseAddressInto(text as string, this.#words);
    } catch (error) {
      if (onMalformed === undefined) throw error;
      onMalformed(index, error as AddressError | TypeError);
    }
  }

  /** The columns that hold the rule of an id, which must exist. */
  #slotsOf(id: number): RuleSlots {
    const { slots } = familyOf(id) === 4 ? this.#rules4 : this.#rules6;
    if (Number.isSafeInteger(id) && slots.isTaken(slotOf(id))) return slots;
    throw new RangeError(`${id} is not the id of a rule; decisions give them, 0 where no rule decides`);
  }

  #rulesOf({ family, length }: Prefix): FamilyRules {
    if (family !== 4 && family !== 6) throw notAnAddress(family);
    if (length >>> 0 !== length || length > addressBits(family)) {
      throw new RangeError(
        `An IPv${family} prefix length must be an integer from 0 to ${addressBits(family)}, not ${length}`,
      );
    }
    return family === 4 ? this.#rules4 : this.#rules6;
  }
}

/** An address is a prefix of full length. */
function asPrefix(where: Address | Prefix): Prefix {
  return "length" in where ? where : { ...where, length: addressBits(where.family) };
}

function pageOfAll(tree: RuleTree, { offset, limit }: { readonly offset: number; readonly limit: number }): number[] {
  const walk = new RuleWalk(tree).startAt(offset);
  return Array.from({ length: limit }, () => walk.next());
}

/**
 * A freeze costs about 0.5 µs a rule, and rules beside the table about 0.1 µs a lookup that meets their neighbourhood.
 */
function isStale({ decider, count }: FamilyRules): boolean {
  return decider.changes > Math.max(MIN_CHANGES, count >>> CHANGES_SHIFT);
}

function checkTime(now: number): void {
  if (Number.isNaN(now)) throw new RangeError("The time must be milliseconds since 1970, not NaN");
}
