import type { Rule } from "../rulesets/rule.ts";
import { keyOfPrefix, prefixOfKey } from "./_prefix-key.ts";

/** A row of `rules` without the ruleset: key of the prefix, name, expiry, times of creation and update. */
export type RuleValues = readonly [
  key: string,
  name: string | null,
  expiresAt: number | null,
  createdAt: number,
  updatedAt: number,
];

/** Rules that a change touched, as they were before, if they existed. */
export interface OldRules {
  readonly rules: readonly RuleValues[];
  /** The touched rules after a change that replaces its ruleset as a whole. */
  readonly upserts?: readonly RuleValues[];
  readonly deletes?: readonly string[];
}

/** The rules that a change touched, before and after it. */
export interface KeptRows {
  readonly before: readonly RuleValues[];
  readonly after: readonly RuleValues[];
}

export function ruleOfValues([key, name, expiresAt, createdAt, updatedAt]: RuleValues): Rule {
  return { prefix: prefixOfKey(key), name, expiresAt, createdAt, updatedAt };
}

export function valuesOfRule({ prefix, name, expiresAt, createdAt, updatedAt }: Rule): RuleValues {
  return [keyOfPrefix(prefix), name, expiresAt, createdAt, updatedAt];
}
