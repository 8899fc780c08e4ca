import { type Selectable, sql, type Transaction } from "kysely";
import { expiredEvent } from "../../decide/_rule-events.ts";
import { RulesetDraft } from "../../decide/_ruleset-draft.ts";
import type { RuleEvent } from "../../packed-events.ts";
import type { RuleValues } from "../../_rule-values.ts";
import { type Engine, lockPart, statement } from "../_engine.ts";
import { RULESET } from "../_entities.ts";
import { EventParts } from "../events/_event-parts.ts";
import { NOT_ANNOUNCED, saveAnnounced } from "./_announced-expiries.ts";
import type { GroupEvents } from "./_group-events.ts";
import type { RuleRow, RulesetRow, Tables } from "../_tables.ts";

/** Expiries that are sorted over all rulesets; more are appended ruleset by ruleset. */
const MAX_SORTED = 10_000;
/** Sorts after every key of a prefix. */
const LAST_KEY = "~";

/**
 * The rulesets with an expiry that is due, locked; without those that another server has locked, which appends theirs.
 * No server waits here, whatever it has locked already.
 */
export async function lockDueRulesets(
  engine: Engine,
  within: Transaction<Tables>,
  at: number,
): Promise<RulesetDraft[]> {
  const rows = await statement<Selectable<RulesetRow>>(engine, within)`
    select * from rulesets where next_expiry <= ${at} order by number ${lockPart(engine, true)}`;
  return rows.map(draftOfRow);
}

export function draftOfRow(row: Selectable<RulesetRow>): RulesetDraft {
  return new RulesetDraft(row.number, RULESET.entityOf(row), row.rule_count, {
    expiredUntil: row.expired_until,
    nextExpiry: row.next_expiry,
    announcedUntil: row.announced_until,
  });
}

/**
 * Appends the expiries up to `at` of locked rulesets to the feed, and moves their marks to `at`. In the order of the
 * expiries, unless there are more than can be sorted. O(expiries).
 */
export async function appendExpiries(
  engine: Engine,
  within: Transaction<Tables>,
  drafts: Iterable<RulesetDraft>,
  at: number,
  events: GroupEvents,
): Promise<void> {
  const few: [RulesetDraft, RuleEvent][] = [];
  for (const draft of drafts) {
    if (draft.nextExpiry !== null && draft.nextExpiry <= at) {
      const parts = new EventParts(within, at);
      for await (const rules of dueRules(engine, within, draft, at)) {
        const expired = rules.map(expiredEvent);
        if (parts.written.length === 0 && few.length + expired.length <= MAX_SORTED)
          few.push(...expired.map((event): [RulesetDraft, RuleEvent] => [draft, event]));
        else await parts.write(expired);
        await engine.pause();
      }
      events.addParts(draft.ruleset, at, parts.written);
      draft.isDue = true;
      draft.nextExpiry = null;
    }
    draft.expireUntil(at);
  }
  few.sort(([one, [, key, , expiresAt]], [other, [, otherKey, , otherExpiresAt]]) =>
    expiresAt === otherExpiresAt
      ? one.number - other.number || (key < otherKey ? -1 : 1)
      : expiresAt! - otherExpiresAt!,
  );
  for (const [{ ruleset }, event] of few) events.addRules(ruleset, at, [event]);
}

/** The rules whose expiry is due and not in the feed yet, in the order of the expiries, some thousands at a time. */
async function* dueRules(
  engine: Engine,
  within: Transaction<Tables>,
  { number, expiredUntil, hasAnnounced }: RulesetDraft,
  at: number,
): AsyncGenerator<readonly RuleValues[]> {
  for (let [after, key] = [expiredUntil, LAST_KEY]; ;) {
    const { rows } = await sql<RuleRow>`
      select prefix, name, expires_at, created_at, updated_at from rules
      where ruleset = ${number} and expires_at is not null and expires_at <= ${at} and (expires_at, prefix) > (${after}, ${key})
      ${hasAnnounced ? sql`and ${NOT_ANNOUNCED}` : sql``}
      order by expires_at, prefix limit ${engine.rowsAtOnce}`.execute(within);
    if (rows.length > 0)
      yield rows.map(({ prefix, name, expires_at, created_at, updated_at }): RuleValues => [
        prefix,
        name,
        expires_at,
        created_at,
        updated_at,
      ]);
    if (rows.length < engine.rowsAtOnce) return;
    ({ expires_at: after, prefix: key } = rows.at(-1)! as { expires_at: number; prefix: string });
  }
}

/** Writes the time up to which the expiries of these rulesets are in the feed, and when the next one is due. */
export async function saveExpiryMarks(
  engine: Engine,
  within: Transaction<Tables>,
  drafts: Iterable<RulesetDraft>,
): Promise<void> {
  for (const draft of drafts) {
    const { number, expiredUntil, nextExpiry, announcedUntil, hasAnnounced, isDue, areMarksChanged } = draft;
    if (!isDue && !areMarksChanged) continue;
    if (announcedUntil !== null) await saveAnnounced(engine, within, draft);
    const next = isDue
      ? sql`(select min(expires_at) from rules where rules.ruleset = ${number} and rules.expires_at > ${expiredUntil}
        ${hasAnnounced ? sql`and ${NOT_ANNOUNCED}` : sql``})`
      : sql`${nextExpiry}`;
    await sql`
      update rulesets set expired_until = ${expiredUntil}, next_expiry = cast(${next} as bigint),
      announced_until = cast(${hasAnnounced ? announcedUntil : null} as bigint) where number = ${number}`.execute(
      within,
    );
  }
}
