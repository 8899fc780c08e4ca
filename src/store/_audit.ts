import type { Selectable } from "kysely";
import type { Rule } from "../rulesets/rule.ts";
import type { AuditEntry, AuditPage, AuditQuery } from "./audit.ts";
import { MOST_OLD_RULES, type OldRules } from "./_changes.ts";
import type { Engine, RuleValues } from "./_engine.ts";
import { atOneInstant } from "./_read-state.ts";
import { ruleOfValues } from "./_rule-rows.ts";
import type { ChangeRow } from "./_tables.ts";

/** So many changes are looked at in one call, however few of them are wanted. */
const MOST_SCANNED = 10_000;
/** A page leaves out the rules of changes that take more characters than this. */
const MOST_CHARACTERS = 20_000;

type Row = Omit<Selectable<ChangeRow>, "transaction" | "body"> & { readonly body: string | null };

/** See `Store.audit`. */
export function readAudit(engine: Engine, organisationId: string, { before = Number.MAX_SAFE_INTEGER, limit, rulesetId, actor }: AuditQuery): Promise<AuditPage> {
  return atOneInstant(engine, async (within) => {
    const scanned = within
      .selectFrom("changes").select(["sequence", "at", "actor", "kind", "command", "ruleset_id", "rule_count", "organisation_id", "body", "old", "old_rules"])
      .where("organisation_id", "=", organisationId).where("sequence", "<", before).orderBy("sequence", "desc").limit(MOST_SCANNED);
    const last = await within
      .selectFrom(scanned.as("scanned")).select(({ fn }) => [fn.min("sequence").as("sequence"), fn.countAll<number>().as("rows")]).executeTakeFirstOrThrow();
    const rows = await within
      .selectFrom(scanned.as("scanned")).select(["sequence", "at", "actor", "kind", "command", "ruleset_id", "rule_count", "organisation_id", "old"])
      .select(({ fn, eb }) => [
        eb.case().when(fn("length", ["body"]), "<=", MOST_CHARACTERS).then(eb.ref("body")).end().as("body"),
        eb.case().when(fn("length", ["old_rules"]), "<=", MOST_CHARACTERS).then(eb.ref("old_rules")).end().as("old_rules"),
        eb.case().when(fn("length", ["old_rules"]), ">", MOST_CHARACTERS).then(1).else(0).end().as("cut"),
      ])
      .where((is) => is.and([
        is("kind", "!=", "session"),
        // Sessions end with users, passwords and other sessions, which have entries of their own.
        is.or([is("kind", "!=", "sessions-ended"), is("command", "=", "end-session")]),
        ...(rulesetId === undefined ? [] : [is("ruleset_id", "=", rulesetId)]),
        ...(actor === undefined ? [] : [is("actor", "=", actor)]),
      ]))
      .orderBy("sequence", "desc").limit(limit + 1).execute();
    const entries = rows.slice(0, limit).map((row) => entryOf(row, row.cut === 1));
    if (rows.length > limit) return { entries, nextBefore: entries.at(-1)!.sequence };
    return { entries, nextBefore: last.rows === MOST_SCANNED ? last.sequence : null };
  });
}

/** See `Store.auditEntry`. */
export async function readAuditEntry({ db }: Engine, organisationId: string, sequence: number): Promise<AuditEntry | null> {
  const row = await db.selectFrom("changes").selectAll().where("organisation_id", "=", organisationId).where("sequence", "=", sequence).executeTakeFirst();
  return row === undefined ? null : entryOf(row, false);
}

function entryOf({ sequence, at, actor, command, kind, ruleset_id, rule_count, body, old, old_rules }: Row, isCut: boolean): AuditEntry {
  const oldRules: OldRules | undefined = old_rules === null ? undefined : JSON.parse(old_rules);
  const change = body === null ? {} : JSON.parse(body);
  return {
    sequence, at, actor, command: command ?? kind, kind, rulesetId: ruleset_id, ruleCount: rule_count,
    rules: rule_count === null || rule_count > MOST_OLD_RULES || body === null || isCut ? null : rulesOf(kind, change, oldRules),
    old: old === null ? null : JSON.parse(old),
    new: kind === "rules" || kind === "rules-replaced" ? null : (change.organisation ?? change.plan ?? change.key ?? change.user ?? change.ruleset ?? null),
  };
}

/** What a change of rules touched, as it was and as it became; null where so much was not kept. */
function rulesOf(kind: string, change: { upserts?: readonly RuleValues[] }, old: OldRules | undefined): AuditEntry["rules"] {
  const before = (old?.rules ?? []).map((values): Rule => ruleOfValues(values));
  if (kind === "ruleset-deleted") return { before, after: [] };
  const after = kind === "rules" ? change.upserts : old?.upserts;
  return after === undefined ? null : { before, after: after.map((values): Rule => ruleOfValues(values)) };
}
