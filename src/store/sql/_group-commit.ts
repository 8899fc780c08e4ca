import { sql, type Selectable, type Transaction } from "kysely";
import { type Answer, type GroupAnswer, refusalOf } from "../_answer.ts";
import { appendChanges, type Note, type OldRules, rulesetIdOf } from "./_changes.ts";
import { type Engine, forUpdate, jsonRows } from "./_engine.ts";
import { IdempotencyKeys } from "./_idempotency.ts";
import { decideOrganisation } from "../decide/_organisation-commands.ts";
import { importRules } from "./_import-rules.ts";
import { keyOfPrefix } from "../_prefix-key.ts";
import { replaceRules } from "./_replace-rules.ts";
import { deleteRules, readRulesOf, ruleOfValues, upsertRules } from "./_rule-rows.ts";
import { restoreRules, restoreRuleset } from "./_restore-rules.ts";
import { decideRules, isRuleCommand, prefixesOf } from "../decide/_rule-commands.ts";
import { RulesetDraft } from "../decide/_ruleset-draft.ts";
import type { RulesetRow, Tables } from "./_tables.ts";
import type { RulesSummary } from "../decide/_rules-summary.ts";
import { decideUser, isUserCommand } from "../decide/_user-commands.ts";
import type { Change, ChangeBody } from "../change.ts";
import type { Command, Outcome } from "../command.ts";
import { StoreError } from "../store-error.ts";
import type { StoreLimits } from "../store.ts";

/** What deciding a command needs. */
export interface Group {
  readonly engine: Engine;
  readonly within: Transaction<Tables>;
  readonly rulesPerRuleset: number;
  readonly rulesetsPerOrganisation: number;
  /** The ruleset, locked. Throws StoreError (`ruleset-not-found`), also for another organisation's. */
  ruleset(command: { readonly organisationId: string; readonly rulesetId: string }): RulesetDraft;
}

/** What a command changed, and what was there before. */
export interface Recorded {
  readonly change: ChangeBody;
  /** Of other things than rules. */
  readonly old?: object | undefined;
  /** None where they are too many to be kept. As JSON where they are many. */
  readonly oldRules?: OldRules | string | undefined;
  /** How many rules it touched, where the change does not tell. */
  readonly ruleCount?: number;
  /** The id of parts in `kept_rules`. */
  readonly kept?: string | null;
  readonly told?: RulesSummary | undefined;
}

/** A command that is carried out: its outcome and what it changed. */
export interface Decision {
  readonly outcome: Outcome;
  readonly changes: readonly Recorded[];
  /** Whose change it is and by whom, where the command does not say. */
  readonly organisationId?: string;
  readonly actor?: string;
}

/**
 * Carries out commands in one transaction, which the caller commits. First it locks what they concern and reads the
 * rules that they touch, all in one query; then it decides one command after the other, each seeing what those before
 * it left; then it writes what came of them all, in few statements. A refused command leaves nothing. Servers take
 * locks in one order: idempotency keys, rulesets, then the one row that numbers the changes, which is held until the
 * commit, so that numbers have the order of commits.
 */
export async function executeGroup(
  engine: Engine,
  within: Transaction<Tables>,
  commands: readonly Command[],
  limits: StoreLimits,
  transaction: string,
): Promise<GroupAnswer> {
  const keys = await IdempotencyKeys.claim(engine, within, commands);
  const drafts = await lockRulesets(engine, within, commands);
  const group: Group = {
    engine,
    within,
    rulesPerRuleset: limits.rulesPerRuleset,
    rulesetsPerOrganisation: limits.rulesetsPerOrganisation,
    ruleset: (command) => rulesetOf(drafts, command),
  };
  const answers: Answer[] = [];
  const changes: Omit<Change, "sequence">[] = [];
  const notes: Note[] = [];
  for (const command of commands) {
    const { answer, decision } = await answerTo(group, keys, command);
    answers.push(answer);
    for (const { change, ...note } of decision?.changes ?? []) {
      const organisationId = decision!.organisationId ?? ("organisationId" in command ? command.organisationId : "");
      changes.push({ at: command.at, actor: decision!.actor ?? command.actor, organisationId, ...change });
      notes.push({
        command: command.kind,
        old: undefined,
        oldRules: undefined,
        ruleCount: undefined,
        kept: null,
        told: undefined,
        ...note,
      });
    }
  }
  await writeRules(engine, within, drafts);
  const numbered = await numberChanges(engine, within, changes);
  await appendChanges(engine, within, transaction, numbered, notes, limits.auditDays);
  await keys.write(engine, within, commands[0]!.at);
  return { answers, changes: numbered, sequence: numbered.at(-1)?.sequence ?? (await lastSequence(within)) };
}

async function lastSequence(within: Transaction<Tables>): Promise<number> {
  return (await within.selectFrom("store").select("sequence").executeTakeFirstOrThrow()).sequence;
}

/** Decides a command, unless its idempotency key has an answer already. */
async function answerTo(
  group: Group,
  keys: IdempotencyKeys,
  command: Command,
): Promise<{ answer: Answer; decision?: Decision }> {
  let answer: Answer;
  try {
    const earlier = keys.answerOf(command);
    if (earlier !== undefined) return { answer: earlier };
    const decision = await decide(group, command);
    answer = { outcome: decision.outcome };
    keys.remember(command, answer);
    return { answer, decision };
  } catch (error) {
    answer = { refusal: refusalOf(error) };
    keys.remember(command, answer);
    return { answer };
  }
}

async function decide(group: Group, command: Command): Promise<Decision> {
  if (command.kind === "replace-rules") return replaceRules(group, command);
  if (command.kind === "import-rules") return importRules(group, command);
  if (command.kind === "restore-rules") return restoreRules(group, command);
  if (command.kind === "restore-ruleset") return restoreRuleset(group, command);
  if (isRuleCommand(command)) return decideRules(group, command);
  return isUserCommand(command) ? decideUser(group, command) : decideOrganisation(group, command);
}

async function lockRulesets(
  engine: Engine,
  within: Transaction<Tables>,
  commands: readonly Command[],
): Promise<Map<string, RulesetDraft>> {
  const ids = [...new Set(commands.flatMap((command) => ("rulesetId" in command ? [command.rulesetId] : [])))];
  if (ids.length === 0) return new Map();
  const { rows } = await sql<Selectable<RulesetRow>>`
    select * from rulesets where id in (select value ->> 0 from ${jsonRows(
      engine,
      ids.map((id) => [id]),
    )} as given)
    order by number ${forUpdate(engine)}`.execute(within);
  const drafts = new Map(rows.map((row) => [row.id, new RulesetDraft(row)]));
  const byNumber = new Map([...drafts.values()].map((draft) => [draft.row.number, draft]));
  const wanted = commands.flatMap((command) => {
    const draft = "rulesetId" in command ? drafts.get(command.rulesetId) : undefined;
    return draft === undefined
      ? []
      : prefixesOf(command).map((prefix): [number, string] => [draft.row.number, keyOfPrefix(prefix)]);
  });
  for (const { ruleset, prefix, name, expires_at, created_at, updated_at } of await readRulesOf(
    engine,
    within,
    wanted,
  )) {
    byNumber.get(ruleset)!.read(prefix, ruleOfValues([prefix, name, expires_at, created_at, updated_at]));
  }
  return drafts;
}

function rulesetOf(
  drafts: ReadonlyMap<string, RulesetDraft>,
  { organisationId, rulesetId }: { readonly organisationId: string; readonly rulesetId: string },
): RulesetDraft {
  const draft = drafts.get(rulesetId);
  if (draft === undefined || draft.row.organisation_id !== organisationId) {
    throw new StoreError("ruleset-not-found", `there is no ruleset ${rulesetId}`);
  }
  return draft;
}

async function writeRules(
  engine: Engine,
  within: Transaction<Tables>,
  drafts: ReadonlyMap<string, RulesetDraft>,
): Promise<void> {
  const all = [...drafts.values()];
  await deleteRules(
    engine,
    within,
    all.flatMap((draft) => draft.deletes()),
  );
  await upsertRules(
    engine,
    within,
    all.flatMap((draft) => draft.upserts()),
  );
  const counts = all.filter(({ count, row }) => count !== row.rule_count).map(({ count, row }) => [row.number, count]);
  if (counts.length === 0) return;
  await sql`
    update rulesets set rule_count = cast(given.value ->> 1 as bigint) from ${jsonRows(engine, counts)} as given
    where rulesets.number = cast(given.value ->> 0 as bigint)`.execute(within);
}

/** Numbers the changes, and writes the versions of the rulesets that they change. */
async function numberChanges(
  engine: Engine,
  within: Transaction<Tables>,
  changes: readonly Omit<Change, "sequence">[],
): Promise<Change[]> {
  if (changes.length === 0) return [];
  const { sequence: last } = await within
    .updateTable("store")
    .set((row) => ({ sequence: row("sequence", "+", changes.length) }))
    .returning("sequence")
    .executeTakeFirstOrThrow();
  const numbered = changes.map(
    (change, index) => ({ sequence: last - changes.length + 1 + index, ...change }) as Change,
  );
  const versions = new Map<string, [id: string, version: number, updatedAt: number]>();
  for (const change of numbered) {
    const { sequence, at } = change;
    // The same object is in the command's outcome.
    if (change.kind === "ruleset") (change.ruleset as { version: number }).version = sequence;
    const id = rulesetIdOf(change);
    if (id !== null) versions.set(id, [id, sequence, at]);
  }
  if (versions.size === 0) return numbered;
  await sql`
    update rulesets set version = cast(given.value ->> 1 as bigint), updated_at = cast(given.value ->> 2 as bigint)
    from ${jsonRows(engine, [...versions.values()])} as given where rulesets.id = given.value ->> 0`.execute(within);
  return numbered;
}
