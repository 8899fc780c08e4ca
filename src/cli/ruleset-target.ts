import type { Rule } from "../client/client.ts";
import type { ConflictMode } from "../rulesets/write-rule.ts";

/** A change of one rule. */
export type RuleChange =
  | { readonly op: "delete"; readonly ip: string }
  | {
      readonly op: "add";
      readonly ip: string;
      readonly name?: string;
      readonly expires_in_days?: number;
      readonly expires_at?: string;
      readonly mode?: ConflictMode;
    };

/** What became of a change, as `rules:batch` of the service says it. */
export interface RuleResult {
  readonly action: string;
  /** The canonical prefix. */
  readonly ip: string;
  /** Why it was rejected. */
  readonly error?: string;
}

/** A ruleset as the commands that read and change single rules see it. */
export interface RulesetTarget {
  /** As messages name it. */
  readonly name: string;
  /** The active rules that cover each of some addresses and prefixes whole, the most specific first. */
  check(texts: readonly string[]): Promise<ReadonlyMap<string, readonly Rule[]>>;
  /** Makes all of some changes, or none where one is rejected; the results are in their order. */
  change(changes: readonly RuleChange[]): Promise<readonly RuleResult[]>;
  /** All rules by address, expired ones too. */
  rules(): AsyncIterable<Rule>;
}
