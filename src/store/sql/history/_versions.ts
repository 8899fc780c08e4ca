import { sql } from "kysely";
import { prefixOfKey } from "../../_prefix-key.ts";
import { ruleOfValues } from "../../_rule-values.ts";
import type { RulesetVersion, TouchedPart } from "../../records/versions.ts";
import { atOneInstant } from "../_at-one-instant.ts";
import type { Engine } from "../_engine.ts";
import { areRulesKept, HAS_OLD_RULES, type KeptFacts, keptRows } from "./_kept-rules.ts";
import type { ChangeRow } from "../_tables.ts";

/** Changes of the organisation that are examined, the newest first. */
const MAX_SCANNED = 10_000;
/**
 * Maximum versions of a ruleset, and rules that changes after a version have touched: reading it takes as many steps.
 */
const MAX_VERSIONS = 1000;
const MAX_TOUCHED = 500_000;

/** A change of a ruleset or its rules, with what determines whether the rules are kept. */
interface VersionRow extends KeptFacts {
  readonly sequence: number;
  readonly at: number;
  readonly command: string | null;
}

/** See `READS.rulesetVersions`. */
export function readVersions(engine: Engine, organisationId: string, rulesetId: string): Promise<RulesetVersion[]> {
  // Only the part of the summary that says whether the rules are kept: a whole summary has several kilobytes.
  const summary =
    engine.name === "sqlite"
      ? sql`case when told is not null then json_object('isKept', json(iif(told ->> 'isKept', 'true', 'false'))) end`
      : sql`case when told is not null then json_build_object('isKept', cast(told as jsonb) -> 'isKept')::text end`;
  return atOneInstant(engine, async (within) => {
    const { rows } = await sql<VersionRow>`
      select sequence, at, kind, command, rule_count, ${HAS_OLD_RULES} as has_old_rules, ${summary} as told from changes
      where sequence in (select sequence from
        (select sequence, ruleset_id from changes where organisation_id = ${organisationId} order by sequence desc limit ${MAX_SCANNED}) as scanned
        where ruleset_id = ${rulesetId} order by sequence desc limit ${MAX_VERSIONS})
      order by sequence desc`.execute(within);
    return versionsOf(rows);
  });
}

/** Those that can be read: the rules that every later change touched are kept. */
function versionsOf(rows: readonly VersionRow[]): RulesetVersion[] {
  const versions: RulesetVersion[] = [];
  let touched = 0;
  for (const row of rows) {
    const { sequence, at, kind, command, rule_count } = row;
    const isOfRules = kind === "rules" || kind === "rules-replaced";
    // Changes made before a ruleset was deleted and restored are not versions of the restored one.
    if (!isOfRules && kind !== "ruleset") break;
    const changedRules = isOfRules ? (rule_count ?? 0) : 0;
    versions.push({ version: sequence, at, command: command ?? kind, changedRules });
    touched += changedRules;
    if ((isOfRules && !areRulesKept(row)) || touched > MAX_TOUCHED) break;
  }
  return versions;
}

export interface TouchedRow extends Pick<ChangeRow, "kind" | "old_rules"> {
  readonly body: string | null;
  readonly parts: number;
  readonly part: string | null;
}

/** What `READS.touchedRules` finds, for `touchedPartOf`; null if the change, or the part, is not kept. */
export async function readTouched(
  engine: Engine,
  organisationId: string,
  sequence: number,
  part: number,
): Promise<TouchedRow | null> {
  const isOwn = part === 0;
  const { rows } = await sql<TouchedRow>`
    select kind, case when kind = 'rules' and ${sql.lit(isOwn ? 1 : 0)} = 1 then body end as body,
      case when ${sql.lit(isOwn ? 1 : 0)} = 1 then old_rules end as old_rules,
      1 + (select count(*) from kept_rules where kept_rules.id = changes.kept) as parts,
      (select rules from kept_rules where kept_rules.id = changes.kept and part = ${part - 1}) as part
    from changes where organisation_id = ${organisationId} and sequence = ${sequence}`.execute(engine.db);
  const [row] = rows;
  return row === undefined || (!isOwn && row.part === null) ? null : row;
}

/** See `READS.touchedRules`. */
export function touchedPartOf(row: TouchedRow | null): TouchedPart | null {
  if (row === null) return null;
  const { kind, body, old_rules, part, parts } = row;
  // A part has the state before and after; of a change without parts, the state after it may be in its body.
  const source = body === null ? { kind: "rules-replaced", body: "" } : { kind, body };
  const { before, after } = keptRows({ ...source, old_rules }, part === null ? [] : [part]);
  return { before: before.map(ruleOfValues), after: after.map(([key]) => prefixOfKey(key)), parts: Number(parts) };
}
