import { sql, type Transaction } from "kysely";
import type { Rule } from "../../rulesets/rule.ts";
import type { RuleColumns } from "../../rulesets/rule-columns.ts";
import { packNames } from "../../rulesets/rule-names.ts";
import { familyOfKey, lengthOfKey, wordAt } from "../_prefix-key.ts";
import { ruleOfValues, type RuleValues } from "../_rule-values.ts";
import { type Engine, GivenRows, type Insertion, jsonRows, statement } from "./_engine.ts";
import type { RuleRow, Tables } from "./_tables.ts";

export function ruleOfRow({ prefix, name, expires_at, created_at, updated_at }: RuleRow): Rule {
  return ruleOfValues([prefix, name, expires_at, created_at, updated_at]);
}

/** All rules of a ruleset in the order of prefixes, some thousands at a time. */
export async function* readAllRules(
  engine: Engine,
  within: Transaction<Tables>,
  ruleset: number,
): AsyncGenerator<readonly RuleValues[]> {
  for (let after = ""; ;) {
    const rows = await engine.readRules(within, ruleset, after, engine.rowsAtOnce);
    if (rows.length > 0) yield rows;
    if (rows.length < engine.rowsAtOnce) return;
    after = rows.at(-1)![0];
  }
}

/** All rules of a ruleset, in parts. */
export async function wholeRuleset(
  engine: Engine,
  within: Transaction<Tables>,
  ruleset: number,
): Promise<RuleColumns[]> {
  const parts: RuleColumns[] = [];
  for await (const rows of readAllRules(engine, within, ruleset)) parts.push(...columnsOf(rows));
  return parts;
}

/** The existing rules with these keys. */
export async function readRulesOf(
  engine: Engine,
  within: Transaction<Tables>,
  keys: readonly (readonly [ruleset: number, key: string])[],
) {
  const found = [];
  for (let at = 0; at < keys.length; at += engine.rowsAtOnce) {
    const part = new GivenRows(keys.slice(at, at + engine.rowsAtOnce));
    const rows = await statement<Tables["rules"]>(engine, within)`
      select rules.* from ${part} as given cross join rules
      where rules.ruleset = cast(given.value ->> 0 as bigint) and rules.prefix = given.value ->> 1`;
    found.push(...rows);
  }
  return found;
}

const UPSERT: Insertion = {
  table: "rules",
  columns: {
    ruleset: "bigint",
    prefix: "text",
    name: "text",
    expires_at: "bigint",
    created_at: "bigint",
    updated_at: "bigint",
  },
  ending: `on conflict (ruleset, prefix) do update set name = excluded.name, expires_at = excluded.expires_at,
    created_at = excluded.created_at, updated_at = excluded.updated_at`,
};

export async function upsertRules(
  engine: Engine,
  within: Transaction<Tables>,
  rows: readonly (readonly [ruleset: number, ...RuleValues])[],
): Promise<void> {
  for (let at = 0; at < rows.length; at += engine.rowsAtOnce)
    await engine.insertRows(within, UPSERT, rows.slice(at, at + engine.rowsAtOnce));
}

export async function deleteRules(
  engine: Engine,
  within: Transaction<Tables>,
  keys: readonly (readonly [ruleset: number, key: string])[],
): Promise<void> {
  for (let at = 0; at < keys.length; at += engine.rowsAtOnce) {
    await sql`
      delete from rules where (ruleset, prefix) in
      (select cast(value ->> 0 as bigint), value ->> 1 from ${jsonRows(engine, keys.slice(at, at + engine.rowsAtOnce))} as given)`.execute(
      within,
    );
  }
}

/** As columns, one part per family, with packed names. */
export function columnsOf(rows: readonly RuleValues[]): RuleColumns[] {
  const first6 = rows.findIndex(([key]) => familyOfKey(key) === 6);
  const parts = first6 < 0 ? [rows] : [rows.slice(0, first6), rows.slice(first6)];
  return parts.filter(({ length }) => length > 0).map(familyColumns);
}

function familyColumns(rows: readonly RuleValues[]): RuleColumns {
  const count = rows.length;
  const family = familyOfKey(rows[0]![0]);
  const words = new Uint32Array(family === 4 ? count : 4 * count);
  const lengths = new Uint8Array(count);
  const names = new Array<string | null>(count);
  const [expiresAt, createdAt, updatedAt] = [new Float64Array(count), new Float64Array(count), new Float64Array(count)];
  for (let i = 0; i < count; i++) {
    const [key, name, expires, created, updated] = rows[i]!;
    if (family === 4) words[i] = wordAt(key, 0);
    else for (let word = 0; word < 4; word++) words[4 * i + word] = wordAt(key, word);
    lengths[i] = lengthOfKey(key);
    names[i] = name;
    expiresAt[i] = expires ?? Number.POSITIVE_INFINITY;
    createdAt[i] = created;
    updatedAt[i] = updated;
  }
  return { family, words, lengths, names: packNames(names), expiresAt, createdAt, updatedAt };
}
