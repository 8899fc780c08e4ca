import { sql, type Transaction } from "kysely";
import type { Rule } from "../../../rulesets/rule.ts";
import type { RuleColumns } from "../../../rulesets/rule-columns.ts";
import type { Engine, Insertion } from "../_engine.ts";
import { keyOfPrefix, prefixOfKey } from "../../_prefix-key.ts";
import { atOneInstant } from "../_at-one-instant.ts";
import { compareHistory } from "./_history.ts";
import { type OldRules, ruleOfValues, type RuleValues, valuesOfRule } from "../../_rule-values.ts";
import { wholeRuleset } from "../_rule-rows.ts";
import type { ChangeRow, Tables } from "../_tables.ts";
import type { RulesSummary } from "../../decide/_rules-summary.ts";
import { type Change, type ChangeBody, stampOf } from "../../change.ts";
import type { HistoryMark } from "../../saved-rules.ts";
import { type Ruleset, UNGUARDED } from "../../state.ts";
import { StoreError } from "../../store-error.ts";

/** A reader that is further behind reloads everything. */
const READABLE = 100_000;
/**
 * Old changes are deleted once this many more have been added, and at most twice as many at a time, so that the backlog
 * of those that were too recent before is deleted as well.
 */
const DELETED_EVERY = 1000;
const DELETED_AT_ONCE = 2 * DELETED_EVERY;
const DAY = 86_400_000;
/** A change with a longer text is written by a statement of its own. */
const MAX_CHARACTERS = 100_000;
/** Changes read in one piece. */
const PAGE = 1000;
/** Maximum rules that they list together, unless a single change lists more. */
const RULES_OF_PAGE = 4000;

const INSERT: Insertion = {
  table: "changes",
  columns: {
    sequence: "bigint",
    transaction: "text",
    at: "bigint",
    actor: "text",
    organisation_id: "text",
    kind: "text",
    body: "text",
    command: "text",
    ruleset_id: "text",
    rule_count: "bigint",
    old: "text",
    old_rules: "text",
    kept: "text",
    told: "text",
  },
  ending: "",
};

/** Rules in a stored change, as in a row. */
interface StoredRules {
  /** In changes from before the ruleset had a column. */
  readonly rulesetId?: string;
  readonly upserts: readonly RuleValues[];
  readonly deletes: readonly string[];
}

/** What is stored with a change for the audit log. */
export interface Note {
  readonly command: string;
  readonly old: object | undefined;
  /** Possibly as JSON already. */
  readonly oldRules: OldRules | string | undefined;
  readonly ruleCount: number | undefined;
  /** The id of parts in `kept_rules`. */
  readonly kept: string | null | undefined;
  readonly summary: RulesSummary | undefined;
}

/** Writes changes, and deletes those that are older than this many days. */
export async function appendChanges(
  engine: Engine,
  within: Transaction<Tables>,
  transaction: string,
  changes: readonly Change[],
  notes: readonly Note[],
  auditDays: number,
): Promise<void> {
  if (changes.length === 0) return;
  const rows: Row[] = [];
  for (const [index, change] of changes.entries()) {
    rows.push(rowOf(change, transaction, notes[index]!));
    if (isLong(rows.at(-1)!)) await engine.pause();
  }
  await engine.insertRows(
    within,
    INSERT,
    rows.filter((row) => !isLong(row)),
  );
  for (const row of rows) if (isLong(row)) await insertLong(within, row);
  const { sequence: last, at } = changes.at(-1)!;
  const before = last - changes.length;
  if (Math.floor(last / DELETED_EVERY) === Math.floor(before / DELETED_EVERY)) return;
  const oldest = await within
    .selectFrom("changes")
    .select(["sequence", "at"])
    .where("sequence", "<=", last - READABLE)
    .orderBy("sequence")
    .limit(DELETED_AT_ONCE)
    .execute();
  // Clocks differ: a change is deleted only if no more recent one comes before it, so that the numbers have no gap.
  const young = oldest.findIndex((row) => row.at > at - auditDays * DAY);
  const gone = young < 0 ? oldest.at(-1) : oldest[young - 1];
  if (gone !== undefined) await within.deleteFrom("changes").where("sequence", "<=", gone.sequence).execute();
}

type Row = (string | number | null)[];

function rowOf(
  { sequence, stamp: _stamp, at, actor, organisationId, ...body }: Change,
  transaction: string,
  { command, old, oldRules, ruleCount, kept = null, summary }: Note,
): Row {
  const count = body.kind === "rules" ? body.upserts.length + body.deletes.length : (ruleCount ?? null);
  return [
    sequence,
    transaction,
    at,
    actor,
    organisationId,
    body.kind,
    encode(body),
    command,
    rulesetIdOf(body),
    count,
    jsonOf(old),
    jsonOf(oldRules),
    kept,
    jsonOf(summary),
  ];
}

function isLong(row: Row): boolean {
  return row.some((value) => typeof value === "string" && value.length > MAX_CHARACTERS);
}

/** As a value of its own: in an array, PostgreSQL's client would scan all of its characters to quote them. */
async function insertLong(within: Transaction<Tables>, row: readonly (string | number | null)[]): Promise<void> {
  const names = Object.keys(INSERT.columns);
  await sql`insert into changes (${sql.join(names.map((name) => sql.ref(name)))}) values (${sql.join(row)})`.execute(
    within,
  );
}

function jsonOf(value: object | string | undefined): string | null {
  return value === undefined ? null : typeof value === "string" ? value : JSON.stringify(value);
}

/** The ruleset that a change is about. */
export function rulesetIdOf(body: ChangeBody): string | null {
  if (body.kind === "ruleset") return body.ruleset.id;
  return "rulesetId" in body ? body.rulesetId : null;
}

/** See `Store.changesAfter`. */
export async function readChanges(engine: Engine, after: number): Promise<Change[]> {
  return (await readFurtherChanges(engine, after, new Map())).changes;
}

/**
 * The same for a reader that has seen these changes, by their numbers with the ids of their transactions: rejects with
 * StoreError `changes-gone` if the database does not have all of them. With the last change of the database.
 */
export function readFurtherChanges(
  engine: Engine,
  after: number,
  seen: ReadonlyMap<number, string>,
): Promise<{ readonly changes: Change[]; readonly mark: HistoryMark | null }> {
  return atOneInstant(engine, async (within) => {
    const { sequence, mark, hasAll } = await compareHistory(within, seen);
    if (!hasAll)
      throw new StoreError(
        "changes-gone",
        "the database has been restored from a backup: it no longer has changes that this server has; load the state again",
      );
    if (sequence === after) return { changes: [], mark };
    const rows = await within
      .selectFrom("changes")
      .select(["sequence", "transaction", "at", "actor", "organisation_id", "kind", "ruleset_id", "body"])
      .where("sequence", ">", after)
      .where("sequence", "<=", await endOfPage(within, after))
      .orderBy("sequence")
      .execute();
    if (rows[0]?.sequence !== after + 1 || sequence - after > READABLE) {
      throw new StoreError(
        "changes-gone",
        `the database is at change ${sequence} and does not hold all changes after ${after}; load the state again`,
      );
    }
    const wholes = new Map<string, RuleColumns[]>();
    for (const { kind, body } of rows) {
      if (kind === "rules-replaced") await readWhole(engine, within, JSON.parse(body).rulesetId, wholes);
    }
    return { changes: rows.map((row) => decodeChange(row, wholes)), mark };
  });
}

/** The last change of those that are read in one piece: a change that lists many rules may be the only one. */
async function endOfPage(within: Transaction<Tables>, after: number): Promise<number> {
  const page = await within
    .selectFrom("changes")
    .select(["sequence", "kind", "rule_count"])
    .where("sequence", ">", after)
    .orderBy("sequence")
    .limit(PAGE)
    .execute();
  let [end, rules] = [after, 0];
  for (const { sequence, kind, rule_count: count } of page) {
    rules += kind === "rules" ? (count ?? 0) : 0;
    if (end > after && rules > RULES_OF_PAGE) break;
    end = sequence;
  }
  return end;
}

/** Reads the rules of a ruleset once, even if it was replaced several times. */
async function readWhole(
  engine: Engine,
  within: Transaction<Tables>,
  rulesetId: string,
  wholes: Map<string, RuleColumns[]>,
): Promise<void> {
  if (wholes.has(rulesetId)) return;
  const ruleset = await within.selectFrom("rulesets").select("number").where("id", "=", rulesetId).executeTakeFirst();
  wholes.set(rulesetId, ruleset === undefined ? [] : await wholeRuleset(engine, within, ruleset.number));
}

/** A replacement is stored without its rules, which are in the ruleset. */
function encode(body: ChangeBody): string {
  if (body.kind === "rules-replaced") return JSON.stringify({ rulesetId: body.rulesetId });
  if (body.kind !== "rules") return JSON.stringify(body);
  return JSON.stringify({
    upserts: body.upserts.map(valuesOfRule),
    deletes: body.deletes.map(keyOfPrefix),
  } satisfies StoredRules);
}

/** `wholes`: by ruleset, the rules of those that were replaced. */
export function decodeChange(
  { sequence, transaction, at, actor, organisation_id, kind, ruleset_id, body }: ReadRow,
  wholes: ReadonlyMap<string, readonly RuleColumns[]> = new Map(),
): Change {
  const stored = JSON.parse(body);
  const about = { sequence, stamp: stampOf(transaction), at, actor, organisationId: organisation_id };
  return { ...about, ...decodeBody(kind, stored, ruleset_id, wholes) };
}

type ReadRow = Pick<
  ChangeRow,
  "sequence" | "transaction" | "at" | "actor" | "organisation_id" | "kind" | "ruleset_id" | "body"
>;

function decodeBody(
  kind: string,
  stored: ChangeBody | StoredRules,
  ruleset: string | null,
  wholes: ReadonlyMap<string, readonly RuleColumns[]>,
): ChangeBody {
  if (kind === "rules-replaced") {
    const { rulesetId } = stored as { rulesetId: string };
    return { kind, rulesetId, rules: wholes.get(rulesetId)! };
  }
  if (kind === "ruleset") return { kind, ruleset: { ...UNGUARDED, ...(stored as { ruleset: Ruleset }).ruleset } };
  if (kind !== "rules") return stored as ChangeBody;
  const { rulesetId = ruleset!, upserts, deletes } = stored as StoredRules;
  return {
    kind,
    rulesetId,
    upserts: upserts.map((values): Rule => ruleOfValues(values)),
    deletes: deletes.map(prefixOfKey),
  };
}
