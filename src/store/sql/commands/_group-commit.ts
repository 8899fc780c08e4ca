import type { Selectable, Transaction } from "kysely";
import { type Answer, type GroupAnswer, rejectionOf } from "../../_answer.ts";
import { keyOfPrefix } from "../../_prefix-key.ts";
import { type Change, stampOf } from "../../change.ts";
import { type Command, takesLong } from "../../command.ts";
import type { Decision, Recorded } from "../../decide/_decision.ts";
import { decideRules, prefixesOf } from "../../decide/_rule-commands.ts";
import type { RulesetDraft } from "../../decide/_ruleset-draft.ts";
import { StoreError } from "../../store-error.ts";
import type { StoreLimits } from "../../store-options.ts";
import { appendChanges, type Note, rulesetIdOf } from "../history/_changes.ts";
import { appendExpiries, draftOfRow, lockDueRulesets, saveExpiryMarks } from "./_due-expiries.ts";
import { moveMarksBack, readAnnounced } from "./_announced-expiries.ts";
import { deleteRuleset } from "./_delete-ruleset.ts";
import { type Engine, GivenRows, lockPart, statement } from "../_engine.ts";
import { executeEntityCommand, lockNumbers } from "./_entity-commands.ts";
import type { Group } from "./_group.ts";
import { eventOf, GroupEvents } from "./_group-events.ts";
import { IdempotencyKeys } from "./_idempotency.ts";
import { importRules } from "./_import-rules.ts";
import { replaceRules } from "./_replace-rules.ts";
import { restoreRules, restoreRuleset } from "./_restore-rules.ts";
import { deleteRules, readRulesOf, ruleOfRow, upsertRules } from "../_rule-rows.ts";
import type { RulesetRow, Tables } from "../_tables.ts";

/** Items of a batch that are decided and written in a few milliseconds. */
const LONG_BATCH = 1000;

/**
 * Executes commands in one transaction, which the caller commits. First it locks what they concern and reads the rules
 * that they touch, all in one query, and appends the expiries that are due to the feed; then it decides one command after the other, each seeing the effects of those
 * before it; then it writes all results, in few statements. A rejected command has no effect. Servers take locks in one
 * order: idempotency keys, rulesets, then the one row that numbers the changes, which is held until the commit, so that
 * the numbers are in the order of commits.
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
    limits,
    ruleset: (command) => draftOf(drafts, command),
    add: (draft) => void locked.set(draft.ruleset.id, draft),
  };
  const at = Math.max(...commands.map((command) => command.at));
  // A list takes long, so it does not lock other rulesets meanwhile.
  const others =
    engine.name === "postgres" && commands.some(takesLong) ? [] : await lockDueRulesets(engine, within, at);
  const locked = new Map([...others, ...drafts.values()].map((draft) => [draft.ruleset.id, draft]));
  const events = new GroupEvents();
  await moveMarksBack(within, drafts, commands, at);
  await appendExpiries(engine, within, locked.values(), at, events);
  await readAnnounced(engine, within, drafts, commands);
  const pause = commands.some(isLong) ? () => engine.pause() : async () => {};
  await pause();
  const answers: Answer[] = [];
  const changes: Omit<Change, "sequence" | "stamp">[] = [];
  const notes: Note[] = [];
  for (const command of commands) {
    const { answer, decision } = await answerTo(group, keys, command);
    answers.push(answer);
    // What a list had written before it was rejected has not happened. It is alone in its group.
    if ("rejection" in answer && takesLong(command)) for (const draft of drafts.values()) draft.rewritten.clear();
    const organisationId = decision?.organisationId ?? ("organisationId" in command ? command.organisationId : "");
    if (decision !== undefined) addEvents(events, decision, organisationId, command.at);
    for (const { change, ruleEvents: _ruleEvents, ...note } of decision?.changes ?? []) {
      changes.push({ at: command.at, actor: decision!.actor ?? command.actor, organisationId, ...change });
      notes.push({
        command: decision!.command ?? command.kind,
        old: undefined,
        oldRules: undefined,
        ruleCount: undefined,
        kept: null,
        summary: undefined,
        ...note,
      });
    }
  }
  await pause();
  await writeRules(engine, within, drafts);
  await saveExpiryMarks(engine, within, locked.values());
  const numbered = await numberChanges(engine, within, changes, stampOf(transaction));
  if (numbered.length === 0 && !events.isEmpty) await lockNumbers({ engine, within });
  const organisations = await events.append(engine, within, limits, at);
  await pause();
  await appendChanges(engine, within, transaction, numbered, notes, limits.auditDays);
  await pause();
  await keys.write(engine, within, commands[0]!.at);
  return {
    answers,
    changes: numbered,
    organisations,
    sequence: numbered.at(-1)?.sequence ?? (await lastSequence(within)),
  };
}

/** Adds to the feed what a command has done. */
function addEvents(events: GroupEvents, decision: Decision, organisationId: string, at: number): void {
  const { changes, eventParts = [], events: bodies = [], eventsOfAll } = decision;
  for (const recorded of changes) {
    const rulesetId = rulesIdOf(recorded);
    if (rulesetId !== null) {
      const ruleset = { id: rulesetId, organisationId };
      events.addParts(ruleset, at, eventParts);
      events.addRules(ruleset, at, recorded.ruleEvents ?? []);
    }
    const body = eventOf(recorded);
    if (body !== undefined) events.addBody(organisationId, at, body);
  }
  for (const body of bodies) events.addBody(organisationId, at, body);
  for (const id of eventsOfAll?.organisationIds ?? []) events.addBody(id, at, eventsOfAll!.body);
}

function rulesIdOf({ change }: Recorded): string | null {
  return change.kind === "rules" || change.kind === "rules-replaced" ? change.rulesetId : null;
}

/** Whether each step of a command takes some milliseconds or more. */
function isLong(command: Command): boolean {
  return command.kind === "batch-rules" && command.items.length > LONG_BATCH;
}

async function lastSequence(within: Transaction<Tables>): Promise<number> {
  return (await within.selectFrom("store").select("sequence").executeTakeFirstOrThrow()).sequence;
}

/** Decides a command, unless its idempotency key already has an answer. */
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
    answer = { rejection: rejectionOf(error) };
    keys.remember(command, answer);
    return { answer };
  }
}

async function decide(group: Group, command: Command): Promise<Decision> {
  switch (command.kind) {
    case "add-rule":
    case "update-rule":
    case "delete-rule":
    case "batch-rules":
      return withPauses(group.engine, decideRules(command, group.ruleset(command), group.limits.rulesPerRuleset));
    case "expire-rules":
      return { outcome: {}, changes: [] };
    case "replace-rules":
      return replaceRules(group, command);
    case "import-rules":
      return importRules(group, command);
    case "restore-rules":
      return restoreRules(group, command);
    case "restore-ruleset":
      return restoreRuleset(group, command);
    case "delete-ruleset":
      return deleteRuleset(group, command);
    default:
      return executeEntityCommand(group, command);
  }
}

/** Does work that can be interrupted, with a pause at each interruption. */
async function withPauses<Result>(engine: Engine, work: Generator<undefined, Result, undefined>): Promise<Result> {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
    await engine.pause();
  }
}

async function lockRulesets(
  engine: Engine,
  within: Transaction<Tables>,
  commands: readonly Command[],
): Promise<Map<string, RulesetDraft>> {
  const ids = [...new Set(commands.flatMap((command) => ("rulesetId" in command ? [command.rulesetId] : [])))];
  if (ids.length === 0) return new Map();
  const given = new GivenRows(ids.map((id) => [id]));
  const rows = await statement<Selectable<RulesetRow>>(engine, within)`
    select * from rulesets where id in (select value ->> 0 from ${given} as given) order by number ${lockPart(engine)}`;
  const drafts = new Map(rows.map((row) => [row.id, draftOfRow(row)]));
  const byNumber = new Map([...drafts.values()].map((draft) => [draft.number, draft]));
  const touched = commands.flatMap((command) => {
    const draft = "rulesetId" in command ? drafts.get(command.rulesetId) : undefined;
    return draft === undefined
      ? []
      : prefixesOf(command).map((prefix): [number, string] => [draft.number, keyOfPrefix(prefix)]);
  });
  for (const row of await readRulesOf(engine, within, touched))
    byNumber.get(row.ruleset)!.read(row.prefix, ruleOfRow(row));
  return drafts;
}

function draftOf(
  drafts: ReadonlyMap<string, RulesetDraft>,
  { organisationId, rulesetId }: { readonly organisationId: string; readonly rulesetId: string },
): RulesetDraft {
  const draft = drafts.get(rulesetId);
  if (draft === undefined || draft.ruleset.organisationId !== organisationId) {
    throw new StoreError("ruleset-not-found", `unknown ruleset ${rulesetId}`);
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
  const counts = all.filter(({ isCountChanged }) => isCountChanged).map(({ number, count }) => [number, count]);
  if (counts.length === 0) return;
  await statement(engine, within)`
    update rulesets set rule_count = cast(given.value ->> 1 as bigint) from ${new GivenRows(counts)} as given
    where rulesets.number = cast(given.value ->> 0 as bigint)`;
}

/** Numbers the changes, and writes the versions of the rulesets that they change. */
async function numberChanges(
  engine: Engine,
  within: Transaction<Tables>,
  changes: readonly Omit<Change, "sequence" | "stamp">[],
  stamp: string,
): Promise<Change[]> {
  if (changes.length === 0) return [];
  const [store] = await statement<{ sequence: number }>(engine, within)`
    update store set sequence = sequence + ${changes.length} returning sequence`;
  const last = store!.sequence;
  const numbered = changes.map(
    (change, index) => ({ sequence: last - changes.length + 1 + index, stamp, ...change }) as Change,
  );
  const versions = new Map<string, [id: string, version: number, updatedAt: number]>();
  for (const change of numbered) {
    const { sequence, at } = change;
    // The same object is in the command's outcome.
    if (change.kind === "ruleset") Object.assign(change.ruleset, { version: sequence, stamp });
    const id = rulesetIdOf(change);
    if (id !== null) versions.set(id, [id, sequence, at]);
  }
  if (versions.size === 0) return numbered;
  const given = new GivenRows([...versions.values()]);
  await statement(engine, within)`
    update rulesets set version = cast(given.value ->> 1 as bigint), stamp = ${stamp}, updated_at = cast(given.value ->> 2 as bigint)
    from ${given} as given where rulesets.id = given.value ->> 0`;
  return numbered;
}
