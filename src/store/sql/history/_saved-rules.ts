import type { Selectable, Transaction } from "kysely";
import type { CaughtUp, HistoryMark, SavedRules } from "../../saved-rules.ts";
import type { RulesChange } from "../../change.ts";
import type { Engine } from "../_engine.ts";
import { decodeChange } from "./_changes.ts";
import { atOneInstant } from "../_at-one-instant.ts";
import { type LastChange, readLast, transactionsOf } from "./_history.ts";
import type { RulesetRow, Tables } from "../_tables.ts";

/**
 * With more changed rules than this, or more than one in sixteen, reading the whole ruleset is faster than applying the
 * changes.
 */
const MIN_READ_WHOLE = 20_000;
const READ_WHOLE_SHIFT = 4;

/** The last change of the database, and the oldest that is kept. */
export interface History extends LastChange {
  /** The oldest change that is kept; null where none is. */
  readonly oldest: number | null;
}

/** See `READS.historyMark`. */
export function readHistoryMark(engine: Engine): Promise<HistoryMark | null> {
  return atOneInstant(engine, async (within) => (await readLast(within)).mark);
}

export async function readHistory(within: Transaction<Tables>): Promise<History> {
  const last = await readLast(within);
  const { oldest } = await within
    .selectFrom("changes")
    .select(({ fn }) => fn.min("sequence").as("oldest"))
    .executeTakeFirstOrThrow();
  return { ...last, oldest };
}

/**
 * What saved rules lack compared with the database, or why they cannot be used.
 *
 * Why the mark is enough to know that saved rules belong to this database and its history: every transaction has a
 * random id, and changes are numbered without gaps. So a database that has the marked change under the same number and
 * the same id also has all changes before it. A copy of the database from before that change does not have it; changes
 * written to such a copy get different ids.
 */
export async function catchUp(
  within: Transaction<Tables>,
  { schema, sequence, oldest }: History,
  ruleset: Selectable<RulesetRow> | undefined,
  { rulesetId, mark, ...saved }: SavedRules,
): Promise<CaughtUp> {
  const unusable = (reason: string): CaughtUp => ({ rulesetId, reason });
  if (mark.schema !== schema) return unusable(`saved from schema ${mark.schema}, and the database has ${schema}`);
  if (mark.sequence > sequence)
    return unusable(`saved at change ${mark.sequence}, and the database is at change ${sequence}`);
  if (oldest === null || saved.sequence + 1 < oldest)
    return unusable(`saved at change ${saved.sequence}, and changes are kept from ${oldest ?? sequence + 1} on`);
  if ((await transactionsOf(within, [mark.sequence])).get(mark.sequence) !== mark.transaction)
    return unusable(`saved from another database, or before this one was restored from a backup`);
  if (ruleset === undefined) return unusable("the ruleset has been deleted");
  // Every change of a ruleset or its rules moves its version.
  if (ruleset.version <= saved.sequence) return { rulesetId, changes: [] };
  return (await changesSince(within, ruleset, saved.sequence)) ?? unusable("most of the rules have changed since");
}

/** Undefined if the whole ruleset has to be read, or reading it is faster. */
async function changesSince(
  within: Transaction<Tables>,
  ruleset: Selectable<RulesetRow>,
  after: number,
): Promise<CaughtUp | undefined> {
  // The organisation's index leads to its changes without reading those of others.
  const ofRuleset = within
    .selectFrom("changes")
    .where("organisation_id", "=", ruleset.organisation_id)
    .where("sequence", ">", after)
    .where("ruleset_id", "=", ruleset.id);
  const counts = await ofRuleset
    .select(({ fn }) => ["kind", fn.sum<number | null>("rule_count").as("rules")])
    .groupBy("kind")
    .execute();
  // Only changes that list their rules can be applied to a copy of the rules.
  if (counts.some(({ kind }) => kind !== "rules" && kind !== "ruleset")) return undefined;
  const rules = Number(counts.find(({ kind }) => kind === "rules")?.rules ?? 0);
  if (rules > Math.max(MIN_READ_WHOLE, ruleset.rule_count >>> READ_WHOLE_SHIFT)) return undefined;
  const rows = await ofRuleset
    .where("kind", "=", "rules")
    .select(["sequence", "transaction", "at", "actor", "organisation_id", "kind", "ruleset_id", "body"])
    .orderBy("sequence")
    .execute();
  return { rulesetId: ruleset.id, changes: rows.map((row) => decodeChange(row) as RulesChange) };
}
