import type { Rule } from "../../rulesets/rule.ts";
import { type IfMatch, ruleTag } from "../if-match.ts";
import { StoreError } from "../store-error.ts";

/**
 * Holds a command to the state that it is meant for: the version of its ruleset; `rule` is the one that it is about.
 * Throws StoreError (`version-mismatch`). A command that asks for a version is in a group of its own.
 */
export function checkMatch(version: number, ifMatch: IfMatch | undefined, rule: Rule | null = null): void {
  if (ifMatch === undefined || ifMatch.versions.includes(version)) return;
  if (ifMatch.rules.length === 0)
    throw new StoreError("version-mismatch", "the ruleset or its rules have changed since; read them again");
  if (rule === null || !ifMatch.rules.includes(ruleTag(rule)))
    throw new StoreError("version-mismatch", "the rule has changed since; read it again");
}
