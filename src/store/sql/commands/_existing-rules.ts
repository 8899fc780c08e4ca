import type { Transaction } from "kysely";
import type { Rule } from "../../../rulesets/rule.ts";
import type { Listed } from "../../decide/_import.ts";
import type { Engine } from "../_engine.ts";
import { readRulesOf, ruleOfRow } from "../_rule-rows.ts";
import type { Tables } from "../_tables.ts";

/** The rules of a ruleset that exist already for the prefixes of a part of a list, by their keys. */
export async function existingRules(
  engine: Engine,
  within: Transaction<Tables>,
  number: number,
  part: readonly Listed[],
): Promise<Map<string, Rule>> {
  const keys = part.map(({ key }) => [number, key] as const);
  const rows = await readRulesOf(engine, within, keys);
  return new Map(rows.map((row) => [row.prefix, ruleOfRow(row)]));
}
