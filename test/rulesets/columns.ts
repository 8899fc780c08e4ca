import type { Rule } from "../../src/rulesets/rule.ts";
import { columnsOf, type RuleColumns } from "../../src/rulesets/rule-columns.ts";

/** The columns of rules, which must be in order, in chunks of `size` rules. */
export function chunksOf(rules: readonly Rule[], size: number): RuleColumns[] {
  const chunks: RuleColumns[] = [];
  for (let at = 0; at < rules.length; at += size) chunks.push(...columnsOf(rules.slice(at, at + size)));
  return chunks;
}
