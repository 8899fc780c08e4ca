import { type RawBuilder, sql, type Transaction } from "kysely";
import { type ChangedRules, MAX_SHOWN_RULES, type Tally } from "../../records/audit.ts";
import { type KeptRows, type OldRules, ruleOfValues, type RuleValues } from "../../_rule-values.ts";
import type { Engine } from "../_engine.ts";
import { prefixOfKey } from "../../_prefix-key.ts";
import type { ChangeRow, Tables } from "../_tables.ts";
import type { RulesSummary } from "../../decide/_rules-summary.ts";

// The rules that a change touched are kept as JSON: few with the change, many in separate parts. The database processes
// large numbers of them by itself: neither the thread that serves requests nor the thread of the file makes objects of
// them.

/** The change whose rules are meant. */
export type KeptChange = Pick<ChangeRow, "sequence" | "kind">;

/** Before the column `told` existed, at most this many rules were kept with a change. */
const MAX_ONCE_KEPT = 50_000;

/** What determines whether the rules that a change touched are kept. */
export interface KeptFacts {
  readonly kind: string;
  readonly rule_count: number | null;
  /** 1 if there are rules with the change, or in parts that are not too old. */
  readonly has_old_rules: number;
  readonly told: string | null;
}

export function areRulesKept({ kind, rule_count, has_old_rules, told }: KeptFacts): boolean {
  if (rule_count === null) return false;
  if (told === null) return rule_count <= MAX_ONCE_KEPT && (kind !== "rules-replaced" || has_old_rules === 1);
  const { isKept } = JSON.parse(told) as RulesSummary;
  return isKept && (has_old_rules === 1 || kind === "rules" || rule_count === 0);
}

/** Of `changes`: see `KeptFacts`. */
export const HAS_OLD_RULES = sql<number>`
  case when old_rules is not null then 1 when kept is null then 0 when exists (select 1 from kept_rules where kept_rules.id = changes.kept) then 1 else 0 end`;

/** For changes of few rules. */
export function keptRows(
  { kind, body, old_rules }: Pick<ChangeRow, "kind" | "body" | "old_rules">,
  parts: readonly string[] = [],
): KeptRows {
  const old = [...(old_rules === null ? [] : [old_rules]), ...parts].map((text): OldRules => JSON.parse(text));
  const after: readonly RuleValues[] =
    kind === "rules" ? JSON.parse(body).upserts : old.flatMap(({ upserts = [] }) => upserts);
  return { before: old.flatMap(({ rules }) => rules), after };
}

/** What a change did, with the first of its rules. */
export function changedRules({ before, after }: KeptRows): ChangedRules {
  const [was, remains] = [keysOf(before), keysOf(after)];
  return {
    added: tallyOf([...remains].filter((key) => !was.has(key))),
    changed: tallyOf([...remains].filter((key) => was.has(key))),
    deleted: tallyOf([...was].filter((key) => !remains.has(key))),
    before: before.slice(0, MAX_SHOWN_RULES).map(ruleOfValues),
    beforeCount: before.length,
    after: after.slice(0, MAX_SHOWN_RULES).map(ruleOfValues),
    afterCount: after.length,
  };
}

function keysOf(rows: readonly RuleValues[]): Set<string> {
  return new Set(rows.map(([key]) => key));
}

function tallyOf(keys: readonly string[]): Tally {
  return tally(keys.length, keys[0]);
}

function tally(count: number, key: string | null | undefined): Tally {
  return { count, only: count === 1 ? prefixOfKey(key!) : null };
}

/** Like `changedRules`, without rules: however many there are, the database counts them. */
export async function countChangedRules(
  engine: Engine,
  within: Transaction<Tables>,
  change: KeptChange,
): Promise<ChangedRules> {
  const { rows } = await sql<{
    added: number;
    one_added: string | null;
    changed: number;
    one_changed: string | null;
    deleted: number;
    one_deleted: string | null;
  }>`
    with states as (select key, max(was) as was, max(remains) as remains from (${keysIn(engine, change)}) as keys group by key)
    select count(*) filter (where was = 0) as added, min(key) filter (where was = 0) as one_added,
      count(*) filter (where was = 1 and remains = 1) as changed, min(key) filter (where was = 1 and remains = 1) as one_changed,
      count(*) filter (where remains = 0) as deleted, min(key) filter (where remains = 0) as one_deleted from states`.execute(
    within,
  );
  const { added, one_added, changed, one_changed, deleted, one_deleted } = rows[0]!;
  return {
    added: tally(added, one_added),
    changed: tally(changed, one_changed),
    deleted: tally(deleted, one_deleted),
    before: [],
    beforeCount: changed + deleted,
    after: [],
    afterCount: added + changed,
  };
}

/** Whether all rules that the change touched are as it left them. */
export async function isAsLeft(
  engine: Engine,
  within: Transaction<Tables>,
  change: KeptChange,
  ruleset: number,
): Promise<boolean> {
  const { rows } = await sql`
    with states as (
      select key, max(remains) as remains, max(name) as name, max(expires_at) as expires_at, max(created_at) as created_at, max(updated_at) as updated_at from (
        select value ->> 0 as key, 0 as remains, null as name, cast(null as bigint) as expires_at, cast(null as bigint) as created_at, cast(null as bigint) as updated_at
        from ${rowsBefore(engine, change)} as before
        union all select ${columnsWith(sql`1`)} from ${rowsAfter(engine, change)} as after
      ) as touched group by key)
    select states.key from states left join rules on rules.ruleset = ${ruleset} and rules.prefix = states.key
    where (states.remains = 0 and rules.prefix is not null) or (states.remains = 1 and (rules.prefix is null or rules.name is distinct from states.name
      or rules.expires_at is distinct from states.expires_at or rules.created_at <> states.created_at or rules.updated_at <> states.updated_at))
    limit 1`.execute(within);
  return rows.length === 0;
}

/** Deletes the rules that the change added. */
export async function deleteAddedRules(
  engine: Engine,
  within: Transaction<Tables>,
  change: KeptChange,
  ruleset: number,
): Promise<void> {
  await sql`
    delete from rules where ruleset = ${ruleset} and prefix in
    (select key from (${keysIn(engine, change)}) as keys group by key having max(was) = 0)`.execute(within);
}

/** Writes the rules as they were before the change, exactly except for the time of update. */
export async function writeOldRules(
  engine: Engine,
  within: Transaction<Tables>,
  change: KeptChange,
  ruleset: number,
  at: number,
): Promise<void> {
  await sql`
    insert into rules (ruleset, prefix, name, expires_at, created_at, updated_at)
    select cast(${ruleset} as bigint), value ->> 0, value ->> 1, cast(value ->> 2 as bigint), cast(value ->> 3 as bigint), cast(${at} as bigint)
    from ${rowsBefore(engine, change)} as before where true
    on conflict (ruleset, prefix) do update set name = excluded.name, expires_at = excluded.expires_at, created_at = excluded.created_at, updated_at = excluded.updated_at`.execute(
    within,
  );
}

function columnsWith(remains: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`value ->> 0, ${remains}, value ->> 1, cast(value ->> 2 as bigint), cast(value ->> 3 as bigint), cast(value ->> 4 as bigint)`;
}

/** The key of each rule before the change and of each one after it. */
function keysIn(engine: Engine, change: KeptChange): RawBuilder<unknown> {
  return sql`
    select value ->> 0 as key, 1 as was, 0 as remains from ${rowsBefore(engine, change)} as before
    union all select value ->> 0, 0, 1 from ${rowsAfter(engine, change)} as after`;
}

function rowsBefore(engine: Engine, change: KeptChange): RawBuilder<unknown> {
  return rowsIn(engine, change, "old_rules", "rules");
}

function rowsAfter(engine: Engine, change: KeptChange): RawBuilder<unknown> {
  return rowsIn(engine, change, change.kind === "rules" ? "body" : "old_rules", "upserts");
}

/** An array in the JSON of a column, one row per item; none if there is no array. */
function rowsIn(
  { name }: Engine,
  { sequence }: KeptChange,
  column: "body" | "old_rules",
  member: string,
): RawBuilder<unknown> {
  const itemsOf = (json: string) =>
    name === "sqlite"
      ? sql`json_each(${sql.ref(json)}, ${`$.${member}`})`
      : sql`jsonb_array_elements(cast(${sql.ref(json)} as jsonb) -> ${sql.lit(member)})`;
  const own = sql`select items.value from changes cross join ${itemsOf(column)} as items where changes.sequence = ${sequence}`;
  if (column === "body") return sql`(${own})`;
  return sql`(${own} union all select items.value from kept_rules cross join ${itemsOf("rules")} as items where kept_rules.id = (select kept from changes where sequence = ${sequence}))`;
}
