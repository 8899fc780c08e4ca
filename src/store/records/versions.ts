import type { Prefix } from "../../address/address.ts";
import type { Rule } from "../../rulesets/rule.ts";

/** A version of a ruleset: its state after a change. */
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
  /** The rules that exist after the change, whether or not they existed before it. */
  readonly after: readonly Prefix[];
  /** How many parts there are. */
  readonly parts: number;
}
