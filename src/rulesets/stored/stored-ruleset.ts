import type { Family, Prefix } from "../../address/address.ts";
import { comparePrefixes, formatPrefix } from "../../address/prefix.ts";
import type { PrefixTable } from "../../table/prefix-table.ts";
import { type FamilyMoment, FamilyRules } from "../index/_family-rules.ts";
import { FrozenRules } from "../index/_frozen-rules.ts";
import { RuleDecider } from "../index/_rule-decider.ts";
import { PERMANENT } from "../index/_rule-slots.ts";
import { checkParents, type Guard, readExpiries, readNames, readPrefix, readSlots } from "./_stored-columns.ts";
import {
  badRules,
  checkedMetadata,
  checkName,
  checkOrigin,
  type StoredAbout,
  type StoredRuleset,
} from "./_stored-metadata.ts";
import { storing } from "./_storing-rules.ts";
import type { RuleBatchLookup } from "../index/rule-engine.ts";
import { partsOf, RuleIndex } from "../index/rule-index.ts";
import { namesOf, type PackedNames } from "../rule-names.ts";
import { indexOf, restored, type Ruleset } from "../ruleset.ts";

export type { RulesetMetadata, StoredAbout, StoredRuleset } from "./_stored-metadata.ts";

/** The rules of a file, which can be written to, and the metadata stored with them. */
export interface StoredRules {
  readonly about: StoredAbout;
  readonly rules: RuleIndex;
}

/** What to store of a ruleset, as of the call. In steps, between which the ruleset may be written to. */
export function storingRuleset(ruleset: Ruleset): Generator<undefined, StoredRuleset, undefined> {
  const { name, purpose, allowSpecialPurpose, sequence } = ruleset;
  return storingRules(indexOf(ruleset), { name, purpose, allowSpecialPurpose, sequence });
}

/**
 * The same for an index of rules. Run it to its end, or end it early with `return`: until then, the index keeps the old
 * content of whatever is written to. @throws RulesetError for an origin that could not be read again
 */
export function storingRules(index: RuleIndex, about: StoredAbout): Generator<undefined, StoredRuleset, undefined> {
  checkOrigin(about.origin, about.sequence);
  const [rules4, rules6] = partsOf(index);
  const moments = [rules4.moment(), rules6.moment()] as const;
  return storingMoments(moments, about);
}

function* storingMoments(
  moments: readonly [FamilyMoment, FamilyMoment],
  about: StoredAbout,
): Generator<undefined, StoredRuleset, undefined> {
  try {
    return yield* storing(moments, about);
  } finally {
    for (const { slots } of moments) slots.end();
  }
}

/**
 * The ruleset that was stored, which can be written to; it decides by the table at once. The data may come from a file
 * that anyone has written: all that decisions rely on is checked now, in some nanoseconds a rule; prefixes, names and
 * times when they are first needed, by a function that `guard` then runs. The bytes are never written to. `batches`
 * looks up many addresses in the table; the table itself unless given. @throws RulesetError
 */
export function rulesetOf(metadata: unknown, table: PrefixTable, guard?: Guard, batches?: RuleBatchLookup): Ruleset {
  const { about, rules } = storedRules(metadata, table, guard, batches);
  return restored(about, rules, about.sequence);
}

/** The same as an index, with the metadata stored beside the rules. @throws RulesetError */
export function storedRules(
  metadata: unknown,
  table: PrefixTable,
  guard: Guard = (read) => read(),
  batches?: RuleBatchLookup,
): StoredRules {
  const stored = checkedMetadata(metadata);
  checkParents(table);
  const expiresAt = readExpiries(table);
  let read: PackedNames | undefined;
  const names = (): PackedNames => (read ??= guard(() => readNames(stored.names, table.matchCount)));
  const rulesOf = (family: Family, first: number): FamilyRules => {
    const slots = readSlots(family, stored, table, { first, expiresAt, names, guard });
    const frozen = new FrozenRules(family, table, true, first, batches);
    return new FamilyRules(slots, (allRules) => new RuleDecider(slots, allRules, frozen));
  };
  const { name, purpose, allowSpecialPurpose, sequence, origin } = stored;
  const about = { name, purpose, allowSpecialPurpose, sequence, ...(origin !== undefined && { origin }) };
  return { about, rules: RuleIndex.of(rulesOf(4, 0), rulesOf(6, table.prefixCount(4))) };
}

/**
 * Checks everything: also the times, that the table has exactly the prefixes of the columns, and that rules can have
 * the names. For tables that have passed `checkStructure`. O(rules). @throws RulesetError
 */
export function checkStoredRuleset(metadata: unknown, table: PrefixTable): void {
  const ruleset = rulesetOf(metadata, table);
  for (const [family, { slots }] of [4, 6].map(
    (family, at) => [family as Family, partsOf(indexOf(ruleset))[at]!] as const,
  )) {
    const first = family === 4 ? 0 : table.prefixCount(4);
    for (const { prefix, match } of table.entries(family)) {
      const slot = match - first;
      if (slot >= 1 && slot < slots.end && comparePrefixes(slots.prefixAt(slot), prefix) === 0) continue;
      throw badRules(`words${family}`, `the table has ${formatPrefix(prefix)} as number ${match}, and they do not`);
    }
  }
  for (const rule of ruleset) if (rule.name !== null) checkName(rule.name);
}

/** The labels of rules that rows of logs show, by number. */
export interface StoredLabels {
  /** @throws RulesetError for a length that the table cannot have */
  prefixOf(number: number): Prefix;
  nameOf(number: number): string | null;
  /** In milliseconds since 1970; null: never. */
  expiryOf(number: number): number | null;
}

/** The names and expiries of stored rules, without making a ruleset of them. O(rules), a nanosecond each. @throws RulesetError */
export function storedLabels(metadata: unknown, table: PrefixTable): StoredLabels {
  const stored = checkedMetadata(metadata);
  const { text, ends, numbers } = readNames(stored.names, table.matchCount);
  const distinct = namesOf({ text, ends, numbers: Uint32Array.from(ends, (_, at) => at + 1) });
  const expiresAt = readExpiries(table);
  return {
    prefixOf: (number) => readPrefix(stored, table, number),
    nameOf: (number) => distinct[numbers[number - 1]! - 1] ?? null,
    expiryOf: (number) => {
      const time = expiresAt?.[number] ?? PERMANENT;
      return time === PERMANENT ? null : time;
    },
  };
}
