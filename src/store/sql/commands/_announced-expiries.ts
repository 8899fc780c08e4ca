/**
 * Rules whose expiry is in the feed although, by the clock of now, it is still to come: the clock of a server was ahead
 * for a while. What was announced cannot be taken back, so these rules are remembered, each until it is written again
 * or its expiry comes.
 */
import { sql, type Transaction } from "kysely";
import { type Command, takesLong } from "../../command.ts";
import type { RulesetDraft } from "../../decide/_ruleset-draft.ts";
import { type Engine, jsonRows } from "../_engine.ts";
import type { Tables } from "../_tables.ts";

type Within = Transaction<Tables>;

/**
 * Moves marks back to `at` where a command writes a rule that expires between the two: its expiry is still to come, so
 * it must not count as announced. What has been announced of this time is remembered rule by rule. Marks of other
 * rulesets stay ahead, so servers whose clocks differ a little do not move them back and forth.
 */
export async function moveMarksBack(
  within: Within,
  drafts: ReadonlyMap<string, RulesetDraft>,
  commands: readonly Command[],
  at: number,
): Promise<void> {
  for (const [id, draft] of drafts) {
    const { number, expiredUntil } = draft;
    if (at >= expiredUntil) continue;
    const isBetween = (expiresAt: number | null | undefined): boolean =>
      expiresAt !== null && expiresAt !== undefined && expiresAt > at && expiresAt <= expiredUntil;
    const own = commands.filter((command) => "rulesetId" in command && command.rulesetId === id);
    const isNeeded =
      own.some((command) => takesLong(command) || expiriesIn(command).some(isBetween)) ||
      draft.expiries().some(isBetween);
    if (!isNeeded) continue;
    await sql`
      insert into announced_expiries (ruleset, prefix, expires_at)
      select ruleset, prefix, expires_at from rules
      where ruleset = ${number} and expires_at is not null and expires_at > ${at} and expires_at <= ${expiredUntil}
      on conflict (ruleset, prefix) do update set expires_at = excluded.expires_at`.execute(within);
    draft.moveBack(at);
  }
}

/** The expiries that a command gives to rules. */
function expiriesIn(command: Command): (number | null | undefined)[] {
  switch (command.kind) {
    case "add-rule":
      return [command.request.expiresAt];
    case "update-rule":
      return [command.changes.expiresAt];
    case "batch-rules":
      return command.items.map((item) => ("add" in item ? item.add.expiresAt : null));
    default:
      return [];
  }
}

/** Reads which rules that the commands may touch have been announced before their time: usually none. */
export async function readAnnounced(
  engine: Engine,
  within: Within,
  drafts: ReadonlyMap<string, RulesetDraft>,
  commands: readonly Command[],
): Promise<void> {
  const isWhole = commands.some(takesLong);
  for (const draft of drafts.values()) {
    if (!draft.hasAnnounced) continue;
    if (isWhole) await readAll(engine, within, draft);
    else await readSome(engine, within, draft, draft.keys());
  }
}

async function readAll(engine: Engine, within: Within, draft: RulesetDraft): Promise<void> {
  for (let after = ""; ;) {
    const { rows } = await sql<{ prefix: string; expires_at: number }>`
      select prefix, expires_at from announced_expiries where ruleset = ${draft.number} and prefix > ${after}
      order by prefix limit ${engine.rowsAtOnce}`.execute(within);
    for (const { prefix, expires_at } of rows) draft.announced.set(prefix, expires_at);
    if (rows.length < engine.rowsAtOnce) return;
    after = rows.at(-1)!.prefix;
    await engine.pause();
  }
}

async function readSome(engine: Engine, within: Within, draft: RulesetDraft, keys: readonly string[]): Promise<void> {
  for (let at = 0; at < keys.length; at += engine.rowsAtOnce) {
    const given = keys.slice(at, at + engine.rowsAtOnce).map((key) => [key]);
    const { rows } = await sql<{ prefix: string; expires_at: number }>`
      select announced_expiries.* from ${jsonRows(engine, given)} as given cross join announced_expiries
      where announced_expiries.ruleset = ${draft.number} and announced_expiries.prefix = given.value ->> 0`.execute(
      within,
    );
    for (const { prefix, expires_at } of rows) draft.announced.set(prefix, expires_at);
  }
}

/** Of a query of rules: only those that have not been announced before their time. */
export const NOT_ANNOUNCED = sql<boolean>`not exists (
  select 1 from announced_expiries where announced_expiries.ruleset = rules.ruleset
  and announced_expiries.prefix = rules.prefix and announced_expiries.expires_at = rules.expires_at)`;

/** Deletes what need not be remembered any more: rules that have been written again, or whose expiry has come. */
export async function saveAnnounced(engine: Engine, within: Within, draft: RulesetDraft): Promise<void> {
  const { number, expiredUntil, rewritten } = draft;
  const keys = [...rewritten];
  for (let at = 0; at < keys.length; at += engine.rowsAtOnce) {
    const given = keys.slice(at, at + engine.rowsAtOnce).map((key) => [key]);
    await sql`
      delete from announced_expiries where ruleset = ${number}
      and prefix in (select value ->> 0 from ${jsonRows(engine, given)} as given)`.execute(within);
  }
  await within
    .deleteFrom("announced_expiries")
    .where("ruleset", "=", number)
    .where("expires_at", "<=", expiredUntil)
    .execute();
}
