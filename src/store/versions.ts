import type { Prefix } from "../address/address.ts";
import type { Rule } from "../rulesets/rule.ts";

/** A version of a ruleset: as a change left it. */
export interface RulesetVersion {
  /** The sequence of the change. */
  readonly version: number;
  readonly at: number;
  /** The kind of the command. */
  readonly command: string;
  /** How many rules the change touched; 0: it is not about rules. */
  readonly changedRules: number;
}

/** A part of the rules that a change touched. */
export interface TouchedPart {
  /** As they were before the change, if they existed. */
  readonly before: readonly Rule[];
  /** Those that are there after it, whether they were before or not. */
  readonly after: readonly Prefix[];
  /** How many parts there are. */
  readonly parts: number;
}
