import { type RawBuilder, type Selectable, sql } from "kysely";
import { setImmediate } from "node:timers/promises";
import type { AuditEntry, AuditPage, AuditQuery, ChangedRules } from "../../records/audit.ts";
import type { Engine } from "../_engine.ts";
import { areRulesKept, changedRules, countChangedRules, HAS_OLD_RULES, isAsLeft, keptRows } from "./_kept-rules.ts";
import { atOneInstant } from "../_at-one-instant.ts";
import type { ChangeRow } from "../_tables.ts";
import { changedRulesOf, type RulesSummary } from "../../decide/_rules-summary.ts";

/** Changes examined per call, however few of them match. */
const MAX_SCANNED = 10_000;
/** Instead of an actor: every account on the command line. */
const ANY_ACCOUNT = "command:*";
/** A page leaves out the rules of changes that take more characters than this. */
const MAX_CHARACTERS = 20_000;
/**
 * The maximum bytes of this many characters in UTF-8. The number of bytes is known without reading the text, which may
 * be some megabytes.
 */
const MAX_BYTES = 4 * MAX_CHARACTERS;

/**
 * Whether a change has an entry: servers publish lists every few seconds while rules change, and sessions end with users,
 * passwords and other sessions, which have entries of their own.
 */
export const IS_SHOWN = sql<boolean>`kind not in ('session', 'deployment-list', 'external-list-content') and (kind <> 'sessions-ended' or command = 'end-session')`;

/** A row of a change; texts that are too long to be shown are null. */
interface AuditRow extends Omit<Selectable<ChangeRow>, "transaction" | "body" | "kept"> {
  readonly body: string | null;
  /** Whether there are old rules, shown or not. */
  readonly has_old_rules: number;
  readonly is_cut: number;
}

/** A page as read: the caller converts it to entries, one after the other. */
export interface AuditRows {
  readonly rows: readonly AuditRow[];
  readonly nextBefore: number | null;
}

/** What `READS.audit` finds, for `auditPageOf`. */
export function readAudit(
  engine: Engine,
  organisationId: string,
  { before = Number.MAX_SAFE_INTEGER, limit, rulesetId, actor, command, from, until, isBrief = false }: AuditQuery,
): Promise<AuditRows> {
  return atOneInstant(engine, async (within) => {
    const scanned = within
      .selectFrom("changes")
      .select(["sequence", "at", "actor", "kind", "command", "ruleset_id"])
      .where("organisation_id", "=", organisationId)
      .where("sequence", "<", before)
      .orderBy("sequence", "desc")
      .limit(MAX_SCANNED);
    const last = await within
      .selectFrom(scanned.as("scanned"))
      .select(({ fn }) => [fn.min("sequence").as("sequence"), fn.countAll<number>().as("rows")])
      .executeTakeFirstOrThrow();
    const found = await within
      .selectFrom(scanned.as("scanned"))
      .select("sequence")
      .where((is) =>
        is.and([
          IS_SHOWN,
          ...(rulesetId === undefined ? [] : [is("ruleset_id", "=", rulesetId)]),
          ...(actor === undefined
            ? []
            : [actor === ANY_ACCOUNT ? is("actor", "like", "command:%") : is("actor", "=", actor)]),
          ...(command === undefined ? [] : [is(is.fn.coalesce("command", "kind"), "=", command)]),
          ...(from === undefined ? [] : [is("at", ">=", from)]),
          ...(until === undefined ? [] : [is("at", "<", until)]),
        ]),
      )
      .orderBy("sequence", "desc")
      .limit(limit + 1)
      .execute();
    const sequences = found.slice(0, limit).map(({ sequence }) => sequence);
    const columns = isBrief ? BRIEF : SHOWN;
    const rows =
      sequences.length === 0
        ? []
        : (
            await sql<AuditRow>`select ${columns} from changes where sequence in (${sql.join(sequences)}) order by sequence desc`.execute(
              within,
            )
          ).rows;
    return {
      rows,
      nextBefore: found.length > limit ? sequences.at(-1)! : last.rows === MAX_SCANNED ? last.sequence : null,
    };
  });
}

/** See `READS.audit`. Each entry may have some hundred rules: other requests are served in between. */
export async function auditPageOf({ rows, nextBefore }: AuditRows): Promise<AuditPage> {
  const entries: AuditEntry[] = [];
  let characters = 0;
  for (const row of rows) {
    characters += (row.body?.length ?? 0) + (row.old_rules?.length ?? 0);
    if (characters > MAX_CHARACTERS) await setImmediate();
    if (characters > MAX_CHARACTERS) characters = 0;
    entries.push(entryOf(row, shownRules(row)));
  }
  return { entries, nextBefore };
}

/** See `READS.auditEntry`. */
export function readAuditEntry(engine: Engine, organisationId: string, sequence: number): Promise<AuditEntry | null> {
  return atOneInstant(engine, async (within) => {
    const { rows } =
      await sql<AuditRow>`select ${ENTRY} from changes where organisation_id = ${organisationId} and sequence = ${sequence}`.execute(
        within,
      );
    const [row] = rows;
    if (row === undefined) return null;
    const isCounted = row.told === null && areRulesKept(row) && (row.is_cut === 1 || row.body === null);
    return entryOf(row, isCounted ? await countChangedRules(engine, within, row) : shownRules(row));
  });
}

/** See `READS.isAsLeft`. */
export function readIsAsLeft(engine: Engine, organisationId: string, sequence: number): Promise<boolean> {
  return atOneInstant(engine, async (within) => {
    const change = await within
      .selectFrom("changes")
      .innerJoin("rulesets", "rulesets.id", "changes.ruleset_id")
      .select(["sequence", "kind", "number", "rulesets.version"])
      .where("changes.organisation_id", "=", organisationId)
      .where("sequence", "=", sequence)
      .executeTakeFirst();
    if (change === undefined) return false;
    return change.version === change.sequence || isAsLeft(engine, within, change, change.number);
  });
}

const IS_LONG = (column: "body" | "old_rules"): RawBuilder<unknown> =>
  sql`case when octet_length(${sql.ref(column)}) > ${sql.lit(MAX_BYTES)} then 1 when length(${sql.ref(column)}) > ${sql.lit(MAX_CHARACTERS)} then 1 else 0 end`;
const ABOUT = sql`sequence, at, actor, kind, command, ruleset_id, rule_count, organisation_id, told`;
const RULES = sql`
  case when ${IS_LONG("old_rules")} = 0 then old_rules end as old_rules, ${HAS_OLD_RULES} as has_old_rules, ${IS_LONG("old_rules")} as is_cut`;
const SHORT_BODY = sql`case when ${IS_LONG("body")} = 0 then body end`;
const SHOWN = sql`${ABOUT}, old, ${SHORT_BODY} as body, ${RULES}`;
/** The new state of anything except rules is included completely. */
const ENTRY = sql`${ABOUT}, old, case when kind in ('rules', 'rules-replaced') then ${SHORT_BODY} else body end as body, ${RULES}`;
const BRIEF = sql`sequence, at, actor, kind, command, ruleset_id, rule_count, organisation_id, null as told, null as old, null as body, null as old_rules, 0 as has_old_rules, 0 as is_cut`;

function entryOf(row: AuditRow, rules: ChangedRules | null): AuditEntry {
  const { sequence, at, actor, command, kind, ruleset_id, rule_count, body, old, told } = row;
  const isOfRules = kind === "rules" || kind === "rules-replaced";
  const change = body === null || isOfRules ? {} : JSON.parse(body);
  return {
    sequence,
    at,
    actor,
    command: command ?? kind,
    kind,
    rulesetId: ruleset_id,
    ruleCount: rule_count,
    rules,
    isKept: areRulesKept(row),
    list: listOf(told),
    old: old === null ? null : JSON.parse(old),
    new:
      change.organisation ??
      change.plan ??
      change.key ?? // before there was one table of credentials
      change.user ??
      change.ruleset ??
      change.deployment ??
      change.credential ??
      change.list ??
      change.dataset ??
      change.webhook ??
      null,
  };
}

function listOf(told: string | null): AuditEntry["list"] {
  if (told === null) return null;
  const { skipped, digest = null } = JSON.parse(told) as RulesSummary;
  return skipped === undefined ? null : { skipped, digest };
}

function shownRules(row: AuditRow): ChangedRules | null {
  const { kind, is_cut, body, old_rules, told } = row;
  if (told !== null) return changedRulesOf(JSON.parse(told));
  if (body === null || is_cut === 1 || !areRulesKept(row)) return null;
  return changedRules(keptRows({ kind, body, old_rules }));
}
