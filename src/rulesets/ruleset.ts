import { type Address, addressBits, type Family, notAnAddress, type Prefix } from "../address/address.ts";
import { prefixOf, parsePrefix } from "../address/prefix.ts";
import { finished } from "../turns/finished.ts";
import { inBackground } from "./_in-background.ts";
import { type ExportPart, exportRules, type RuleExportFormat, type RuleExportOptions } from "./export-rules.ts";
import { type ImportFormat, type ImportOptions, RuleImport, type SkippedLines } from "./importers/import-rules.ts";
import type { LineError } from "./importers/imported-rule.ts";
import { activeRules, type Rule } from "./rule.ts";
import type { RuleId } from "./rule-id.ts";
import { type OnMalformed, RuleIndex } from "./index/rule-index.ts";
import { type RuleColumns, desiredIn } from "./rule-columns.ts";
import { type AddOptions, checkMode, readRuleOptions, type RuleOptions } from "./rule-options.ts";
import {
  checkRuleName,
  checkRulePrefix,
  parseExistingPrefix,
  parseRulePrefix,
  type PrefixPolicy,
} from "./validate-rule.ts";
import { type Addition, addRule, type ConflictMode, updateRule } from "./write-rule.ts";

/** Milliseconds until a freeze that failed is tried again: the first time, and at most. */
const FIRST_RETRY = 500;
const MAX_RETRY = 60_000;

/** What a ruleset can be for: to list addresses to block, or addresses to allow. */
export const PURPOSES = ["blocklist", "allowlist"] as const;
/** What a ruleset is for: one of `PURPOSES`. */
export type Purpose = (typeof PURPOSES)[number];

/** The options of a new ruleset. */
export interface RulesetOptions extends PrefixPolicy {
  /** Up to 255 characters without control characters; empty unless given. */
  readonly name?: string;
  /** A blocklist unless given. */
  readonly purpose?: Purpose;
}

/** How `import` reads a list and adds its rules. `defaults` apply to fields that a line does not set. */
export interface RulesetImportOptions extends Omit<ImportOptions, keyof PrefixPolicy> {
  /** As for `add`. */
  readonly mode?: ConflictMode;
}

/** The result of an import. If there are errors or conflicts, nothing was written. */
export interface RulesetImport {
  readonly created: number;
  readonly updated: number;
  readonly skipped: number;
  /** In mode `fail`: the existing rules that conflict with the list. */
  readonly conflicts: readonly Rule[];
  /** The lines that cannot be read; see `ImportedRules`. */
  readonly errors: readonly LineError[];
  /** The lines that were left out; empty unless `skipInvalid` is set. */
  readonly leftOut: SkippedLines;
}

/** The options of `export`. */
export interface RulesetExportOptions extends RuleExportOptions {
  /** Whether expired rules are included. False by default, because most formats cannot mark them. */
  readonly includeExpired?: boolean;
}

/** The index of a ruleset, for storing rulesets, for lists made of them, and for tests. */
export let indexOf: (ruleset: Ruleset) => RuleIndex;
/** A ruleset with these rules, for stored rulesets. */
export let restored: (options: RulesetOptions, rules: RuleIndex, sequence: number) => Ruleset;

/**
 * A ruleset in memory: rules for prefixes, which may have names and expire, as the service keeps them. It is exact at
 * every moment: a write takes effect at once, an expired rule no longer counts, and the clock, which is the caller's,
 * may go back. Times are milliseconds since 1970 UTC.
 *
 * Prefixes and addresses are texts, or what `parsePrefix` and `parseAddress` return. Rules come out as copies. By
 * default no rule may touch a special-purpose block such as 10.0.0.0/8, as in the service; see `PrefixPolicy`.
 *
 * Answers come from a frozen table of the rules and a small tree of the rules added since. Once those are many, a new
 * table is made in the background, between other work; `freeze` makes it at once.
 *
 * The `decide...` methods answer without making an object: with the id of the rule that decides; `ruleAt`, `prefixAt`,
 * `nameAt` and `expiryAt` return its properties.
 *
 * Stable: every public member. `saveRuleset` and `openRuleset` keep rulesets in files.
 */
export class Ruleset implements Iterable<Rule> {
  readonly name: string;
  readonly purpose: Purpose;
  /** Whether rules may touch special-purpose blocks. */
  readonly allowSpecialPurpose: boolean;
  #rules = new RuleIndex();
  #sequence = 0;
  #isFreezing = false;
  #freezeError: unknown = null;

  static {
    indexOf = (ruleset) => ruleset.#rules;
    restored = (options, rules, sequence) => {
      const ruleset = new Ruleset(options);
      ruleset.#rules = rules;
      ruleset.#sequence = sequence;
      return ruleset;
    };
  }

  /** @throws RuleError for a name that no ruleset can have, TypeError for an unknown purpose */
  constructor({ name = "", purpose = "blocklist", allowSpecialPurpose = false }: RulesetOptions = {}) {
    if (!PURPOSES.includes(purpose))
      throw new TypeError(`the purpose must be ${PURPOSES.join(" or ")}, not ${JSON.stringify(purpose)}`);
    this.name = checkRuleName(name);
    this.purpose = purpose;
    this.allowSpecialPurpose = allowSpecialPurpose;
  }

  /** The number of rules, including expired ones. */
  get count(): number {
    return this.#rules.count;
  }

  /** The number of times that a rule was created, updated or deleted. While it stays the same, so do the rules. */
  get sequence(): number {
    return this.#sequence;
  }

  /** The bytes of all arrays, including spare capacity, without the texts of names. */
  get byteLength(): number {
    return this.#rules.byteLength;
  }

  /**
   * Adds a rule. If there is already one for the prefix, expired or not, `mode` decides: `extend` (keep the longer
   * expiry, and give a name to a rule without one), `override`, `skip`, or `fail`, which changes nothing and returns
   * the action `conflict`. Returns what was done, and the rule afterwards.
   * @throws RuleError for a prefix, a name or an expiry that no rule can have, TypeError for an unknown mode or option
   */
  add(prefix: string | Prefix, options: AddOptions = {}, now: number = Date.now()): Addition {
    const { mode = "extend", ...rest } = options;
    const { name = null, expiresAt = null } = readRuleOptions(rest, now);
    const request = { prefix: this.#readPrefix(prefix), name, expiresAt, mode: checkMode(mode) };
    const addition = addRule(this.#rules.get(request.prefix), request, now);
    if (addition.action === "created" || addition.action === "updated") this.#set(addition.rule);
    return addition;
  }

  /**
   * Changes the given fields of a rule; `updatedAt` changes only if another field does. Returns the rule afterwards, or
   * undefined if there is none.
   * @throws RuleError, TypeError as `add`
   */
  update(prefix: string | Prefix, options: RuleOptions, now: number = Date.now()): Rule | undefined {
    const changes = readRuleOptions(options, now);
    const existing = this.get(prefix);
    if (existing === undefined) return undefined;
    const rule = updateRule(existing, changes, now);
    if (rule !== existing) this.#set(rule);
    return rule;
  }

  /** Deletes the rule with exactly this prefix. True if there was one. @throws RuleError for a malformed prefix */
  delete(prefix: string | Prefix): boolean {
    const deleted = this.#rules.delete(readAnyPrefix(prefix));
    if (deleted) this.#hasChanged();
    return deleted;
  }

  /** Deletes all rules. */
  clear(): void {
    if (this.count === 0) return;
    this.#rules = new RuleIndex();
    this.#sequence++;
  }

  /** The rule with exactly this prefix, expired or not. @throws RuleError for a malformed prefix */
  get(prefix: string | Prefix): Rule | undefined {
    return this.#rules.get(readAnyPrefix(prefix));
  }

  /**
   * The rule that decides about an address or prefix: the most specific rule that covers all of it and is active at
   * `now`; null if there is none. @throws AddressError for malformed text, RangeError for a time that is NaN
   */
  check(where: string | Address | Prefix, now: number = Date.now()): Rule | null {
    return this.#rules.deciding(readAddressOrPrefix(where), now);
  }

  /**
   * All rules that cover all of an address or prefix and are active at `now`, the most specific first. @throws as
   * `check`
   */
  checkAll(where: string | Address | Prefix, now: number = Date.now()): readonly Rule[] {
    return this.#rules.check(readAddressOrPrefix(where), now).covering;
  }

  /** All rules that cover all of an address or prefix, expired ones too, the most specific first. @throws as `check` */
  covering(where: string | Address | Prefix): readonly Rule[] {
    return this.#rules.covering(readAddressOrPrefix(where));
  }

  /** The id of the rule that decides about an IPv4 address, given as an unsigned word; 0 if none does. */
  decide4(word: number, now: number): RuleId {
    return this.#rules.decide4(word, now);
  }

  /** The same for an IPv6 address, given as four unsigned words in network order. */
  decide6(w0: number, w1: number, w2: number, w3: number, now: number): RuleId {
    return this.#rules.decide6(w0, w1, w2, w3, now);
  }

  /** The same for the text of an address. @throws AddressError for malformed text */
  decideText(text: string, now: number): RuleId {
    return this.#rules.decideText(text, now);
  }

  /**
   * Writes the id of the rule that decides at `now` for each of the texts into `out`; 0 if none does. A text that is
   * not an address is passed to `onMalformed` and gets 0; without that callback its error is thrown.
   * @throws AddressError, TypeError for what is not an address; RangeError where `out` is shorter than `texts`
   */
  decideInto(texts: readonly string[], out: Uint32Array, now: number, onMalformed?: OnMalformed): void {
    this.#rules.decideInto(texts, out, now, onMalformed);
  }

  /**
   * The same for `count` addresses of one family in words: one (IPv4) or four (IPv6) each, in network order.
   * @throws RangeError where either array is too short
   */
  decideWordsInto(family: Family, words: Uint32Array, out: Uint32Array, now: number, count?: number): void {
    this.#rules.decideWordsInto(family, words, out, now, count);
  }

  /** The rule of an id, as it is now. @throws RangeError for 0 and for an id whose rule was deleted */
  ruleAt(id: RuleId): Rule {
    return this.#rules.ruleAt(id);
  }

  /** The prefix of the rule of an id. @throws as `ruleAt` */
  prefixAt(id: RuleId): Prefix {
    return this.#rules.prefixAt(id);
  }

  /** The name of the rule of an id. @throws as `ruleAt` */
  nameAt(id: RuleId): string | null {
    return this.#rules.nameAt(id);
  }

  /** When the rule of an id expires; null: never. @throws as `ruleAt` */
  expiryAt(id: RuleId): number | null {
    return this.#rules.expiryAt(id);
  }

  /**
   * Builds the table that decisions come from now instead of in the background: about 0.5 µs per rule, in one turn. For
   * programs that make many decisions right after many changes; the decisions are the same without it.
   */
  freeze(): void {
    finished(this.#rules.freezing());
    this.#freezeError = null;
  }

  /**
   * Builds what a ruleset from a file otherwise builds on first use: columns that can be written to, the order of the
   * rules, and the counts of expiries. In slices of 2 ms, and for a million rules two of 15 to 50 ms, between which the
   * ruleset may be read and changed. Without it, or before it resolves, the first write and the first walk of a million
   * rules take some 0.1 s each at once; decisions need none of it. Does nothing if everything has been built.
   *
   * Rejects with UsageError if rules of the file cannot be read.
   */
  ready(): Promise<void> {
    return new Promise((resolve, reject) => {
      const onEnd = (error: unknown): void => (error === undefined ? resolve() : reject(error as Error));
      inBackground(this.#rules.completing(), onEnd, { isAwaited: true });
    });
  }

  /**
   * Why the last table could not be built in the background; null if it was built. The only possible cause is lack of
   * memory. Without the table, answers are exact but slower. It is tried again after half a second, then after a
   * second, up to a minute.
   */
  get freezeError(): unknown {
    return this.#freezeError;
  }

  /** How many rules are active at `now`. */
  activeCount(now: number = Date.now()): number {
    return this.#rules.activeCount(now);
  }

  /** When the next of the rules that are active at `now` expires; null if none ever does. */
  nextExpiry(now: number = Date.now()): number | null {
    return this.#rules.nextExpiry(now);
  }

  /**
   * The rules in order, IPv4 before IPv6, by address, the less specific first; expired ones too. The ruleset may change
   * during the iteration, as a `Map` may.
   */
  [Symbol.iterator](): Generator<Rule, undefined> {
    return this.#rules.rules();
  }

  /** The same, from the first rule after a prefix on. @throws RuleError for a malformed prefix */
  rulesAfter(prefix: string | Prefix): Generator<Rule, undefined> {
    return this.#rules.rules(readAnyPrefix(prefix));
  }

  /**
   * Adds the rules of a list, all or nothing: if a line cannot be read, or in mode `fail` a rule exists, nothing is
   * written. The list is a text, or its parts, cut anywhere.
   * @throws TypeError for an unknown format or mode
   */
  import(
    text: string | Iterable<string>,
    format: ImportFormat,
    { mode = "extend", ...options }: RulesetImportOptions = {},
    now: number = Date.now(),
  ): RulesetImport {
    checkMode(mode);
    const list = new RuleImport(format, { ...options, allowSpecialPurpose: this.allowSpecialPurpose });
    for (const chunk of typeof text === "string" ? [text] : text) list.write(chunk);
    const { parts, errors, skipped: leftOut } = finished(list.endInSteps());
    const none = { created: 0, updated: 0, skipped: 0, conflicts: [], errors, leftOut };
    if (errors.length > 0) return none;
    if (this.count === 0) return { ...none, created: this.#fill(parts, now) };
    const done = { created: 0, updated: 0, skipped: 0 };
    const [changed, conflicts]: [Rule[], Rule[]] = [[], []];
    for (const { prefix, name, expiresAt } of parts.flatMap((part) => [...desiredIn(part)])) {
      const { action, rule } = addRule(this.#rules.get(prefix), { prefix, name, expiresAt, mode }, now);
      if (action === "conflict") conflicts.push(rule);
      else done[action]++;
      if (action === "created" || action === "updated") changed.push(rule);
    }
    if (conflicts.length > 0) return { ...none, conflicts };
    for (const rule of changed) this.#set(rule);
    return { ...none, ...done };
  }

  /**
   * The active rules as a file in a format, in chunks; `includeExpired` adds the expired ones. @throws TypeError,
   * RangeError as `exportRules`
   */
  export<Name extends RuleExportFormat>(
    format: Name,
    { includeExpired = false, now = Date.now(), ...options }: RulesetExportOptions = {},
  ): Generator<ExportPart<Name>> {
    return exportRules(includeExpired ? this : activeRules(this, now), format, {
      purpose: this.purpose,
      ...options,
      now,
    });
  }

  #set(rule: Rule): void {
    this.#rules.set(rule);
    this.#hasChanged();
  }

  /** Adds all rules of a list at once to an empty ruleset. */
  #fill(parts: readonly RuleColumns[], now: number): number {
    for (const { createdAt, updatedAt } of parts) {
      createdAt.fill(now);
      updatedAt.fill(now);
    }
    this.#rules = RuleIndex.from(parts);
    if (this.count > 0) this.#hasChanged(this.count);
    return this.count;
  }

  #hasChanged(changes = 1): void {
    this.#sequence += changes;
    if (!this.#isFreezing && this.#rules.isStale) this.#freezeInBackground();
  }

  /** Freezes after `delay` milliseconds, and again after longer delays as long as it fails. */
  #freezeInBackground(delay = 0): void {
    this.#isFreezing = true;
    const onEnd = (error: unknown): void => {
      this.#freezeError = error ?? null;
      if (error !== undefined) return this.#freezeInBackground(Math.min(MAX_RETRY, 2 * delay || FIRST_RETRY));
      this.#isFreezing = false;
      if (this.#rules.isStale) this.#freezeInBackground();
    };
    inBackground(this.#rules.freezing(), onEnd, { delay });
  }

  #readPrefix(prefix: string | Prefix): Prefix {
    return typeof prefix === "object" ? checkRulePrefix(prefix, this) : parseRulePrefix(prefix, this);
  }
}

/** The prefix of an existing rule, which may be one that the policy no longer allows. */
function readAnyPrefix(prefix: string | Prefix): Prefix {
  return typeof prefix === "object"
    ? checkRulePrefix(prefix, { allowSpecialPurpose: true })
    : parseExistingPrefix(prefix);
}

/** The prefix or address of a lookup; in a text, host bits of a prefix are an error. */
function readAddressOrPrefix(where: string | Address | Prefix): Prefix {
  if (typeof where === "string") return parsePrefix(where);
  if (where?.family !== 4 && where?.family !== 6) throw notAnAddress(where);
  return "length" in where ? prefixOf(where, where.length) : { ...where, length: addressBits(where.family) };
}
