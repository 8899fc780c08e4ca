import type { RuleColumns } from "../../rulesets/rule-columns.ts";
import { namesOf } from "../../rulesets/rule-names.ts";
import { RULES_SETTING } from "../records/limit-settings.ts";
import { StoreError } from "../store-error.ts";
import { isStorable } from "./_texts.ts";

export function tooManyRules(max: number): StoreError {
  return new StoreError("too-many-rules", `${maxRulesText(max)}; delete some first`);
}

/** The limit and its setting, in words. */
export function maxRulesText(max: number): string {
  return `a ruleset holds at most ${max} rules, expired ones too (${RULES_SETTING})`;
}

/** Throws StoreError (`too-many-rules`, `invalid-text`). */
export function checkRules(parts: readonly RuleColumns[], max: number): void {
  if (countOf(parts) > max) throw tooManyRules(max);
  checkNames(parts);
}

export function countOf(parts: readonly RuleColumns[]): number {
  return parts.reduce((sum, { lengths }) => sum + lengths.length, 0);
}

/** Throws StoreError (`invalid-text`). Packed names are well-formed. */
export function checkNames(parts: readonly RuleColumns[]): void {
  for (const { names } of parts) {
    if ("numbers" in names && !names.text.includes(0)) continue;
    for (const name of namesOf(names)) checkName(name);
  }
}

/**
 * The API and the importers check names more strictly; this keeps names that a database would reject or change from
 * being stored.
 */
export function checkName(name: string | null): void {
  if (name !== null && !isStorable(name))
    throw new StoreError(
      "invalid-text",
      `the name ${JSON.stringify(name)} holds a NUL character or half a surrogate pair`,
    );
}
