import type { RestoreRulesCommand, RestoreRulesetCommand } from "../../command.ts";
import type { Decision, Recorded } from "../../decide/_decision.ts";
import type { EventPart } from "../../decide/_decision.ts";
import { addRestored, RuleEvents } from "../../decide/_rule-events.ts";
import { RulesetDraft } from "../../decide/_ruleset-draft.ts";
import { decideRestoration, restoredFew, restoredRules, restoredWhole } from "../../decide/_restoration.ts";
import { tooManyRules } from "../../decide/_rule-limits.ts";
import { changedRulesOf, type RulesSummary } from "../../decide/_rules-summary.ts";
import { checkRoomForRuleset, newRuleset } from "../../decide/_rulesets.ts";
import { MAX_LISTED_RULES } from "../../decide/_touched-rules.ts";
import type { KeptRows } from "../../_rule-values.ts";
import type { Ruleset } from "../../state.ts";
import { StoreError } from "../../store-error.ts";
import { rowOfRuleset } from "../_entities.ts";
import { EventParts } from "../events/_event-parts.ts";
import { lockNumbers, requireOrganisation } from "./_entity-commands.ts";
import type { Group } from "./_group.ts";
import {
  areRulesKept,
  countChangedRules,
  deleteAddedRules,
  HAS_OLD_RULES,
  isAsLeft,
  keptRows,
  writeOldRules,
} from "../history/_kept-rules.ts";
import { rulesetsOf } from "./_needs.ts";
import { wholeRuleset } from "../_rule-rows.ts";
import type { ChangeRow } from "../_tables.ts";

type StoredChange = Pick<ChangeRow, "sequence" | "kind" | "ruleset_id" | "rule_count" | "old" | "told">;

/** Restores the rules that a change touched to their state before it. It is in a group of its own. */
export async function restoreRules(group: Group, command: RestoreRulesCommand): Promise<Decision> {
  const { engine, within } = group;
  const { at, sequence } = command;
  const draft = group.ruleset(command);
  const { number, ruleset } = draft;
  const change = await keptChange(
    group,
    command,
    ({ kind, ruleset_id }) => (kind === "rules" || kind === "rules-replaced") && ruleset_id === ruleset.id,
  );
  const summary = change.told === null ? undefined : (JSON.parse(change.told) as RulesSummary);
  const done = summary === undefined ? await countChangedRules(engine, within, change) : changedRulesOf(summary);
  const { touched, more } = decideRestoration(done, {
    isAsLeft: await isAsLeft(engine, within, change, number),
    count: draft.count,
    max: group.limits.rulesPerRuleset,
    sequence,
  });
  if (touched === 0) return { outcome: {}, changes: [] };
  await deleteAddedRules(engine, within, change, number);
  await writeOldRules(engine, within, change, number, at);
  draft.count += more;
  const events = new RuleEvents(draft, at);
  if (touched > MAX_LISTED_RULES) {
    const eventParts = await writeRestored(group, change, events, at);
    const whole = await wholeRuleset(engine, within, number);
    return { outcome: {}, changes: [restoredWhole(ruleset.id, whole, touched, summary, at)], eventParts };
  }
  const rows = await readRows(group, change);
  addRestored(events, rows, at);
  return { outcome: {}, changes: [{ ...restoredFew(ruleset.id, rows, at), ruleEvents: events.take() }] };
}

/** Restores a deleted ruleset. It is in a group of its own. */
export async function restoreRuleset(group: Group, command: RestoreRulesetCommand): Promise<Decision> {
  const { engine, within, limits } = group;
  const { organisationId, at } = command;
  const change = await keptChange(group, command, ({ kind, old }) => kind === "ruleset-deleted" && old !== null);
  const count = change.rule_count!;
  if (count > limits.rulesPerRuleset) throw tooManyRules(limits.rulesPerRuleset);
  await requireOrganisation(group, organisationId);
  await lockNumbers(group);
  checkRoomForRuleset((await rulesetsOf(within, organisationId)).length, limits.rulesetsPerOrganisation);
  const old = JSON.parse(change.old!) as Ruleset;
  const ruleset: Ruleset = { ...newRuleset(old.id, { ...old, organisationId, at }), createdAt: old.createdAt };
  const made = await within
    .insertInto("rulesets")
    .values(rowOfRuleset(ruleset, count))
    .onConflict((conflict) => conflict.column("id").doNothing())
    .returning("number")
    .executeTakeFirst();
  if (made === undefined) throw new StoreError("ruleset-exists", `a ruleset ${old.id} already exists`);
  await writeOldRules(engine, within, change, made.number, at);
  const draft = new RulesetDraft(made.number, ruleset, count);
  draft.expireUntil(at);
  draft.areMarksChanged = true;
  group.add(draft);
  const events = new RuleEvents(draft, at);
  const changes: Recorded[] = [{ change: { kind: "ruleset", ruleset } }];
  if (count > MAX_LISTED_RULES) {
    const eventParts = await writeRestored(group, change, events, at);
    changes.push(restoredWhole(old.id, await wholeRuleset(engine, within, made.number), count, undefined, at));
    return { outcome: { ruleset }, changes, eventParts };
  }
  const { before } = await readRows(group, change);
  addRestored(events, { before, after: [] }, at);
  if (count > 0) changes.push({ ...restoredRules(old.id, before, at), ruleEvents: events.take() });
  return { outcome: { ruleset }, changes };
}

/** Throws StoreError (`change-not-kept`). */
async function keptChange(
  { within }: Group,
  { organisationId, sequence }: { readonly organisationId: string; readonly sequence: number },
  isMeant: (change: StoredChange) => boolean,
): Promise<StoredChange> {
  const change = await within
    .selectFrom("changes")
    .select(["sequence", "kind", "ruleset_id", "rule_count", "old", "told"])
    .select(HAS_OLD_RULES.as("has_old_rules"))
    .where("organisation_id", "=", organisationId)
    .where("sequence", "=", sequence)
    .executeTakeFirst();
  if (change !== undefined && isMeant(change) && areRulesKept(change)) return change;
  throw new StoreError("change-not-kept", `the rules of change ${sequence} are not kept`);
}

/** Writes the events of restoring many rules, from one part of what was kept after the other. */
async function writeRestored(
  { engine, within }: Group,
  { sequence }: StoredChange,
  events: RuleEvents,
  at: number,
): Promise<readonly EventPart[]> {
  const parts = new EventParts(within, at);
  const row = await within
    .selectFrom("changes")
    .select(["kind", "body", "old_rules", "kept"])
    .where("sequence", "=", sequence)
    .executeTakeFirstOrThrow();
  addRestored(events, keptRows(row), at);
  for (let part = 0, isLast = row.kept === null; !isLast; part++) {
    const kept = within.selectFrom("kept_rules").select("rules").where("id", "=", row.kept);
    const found = await kept.where("part", "=", part).executeTakeFirst();
    if (found !== undefined) addRestored(events, keptRows({ ...row, old_rules: null, kind: "" }, [found.rules]), at);
    await parts.write(events.take());
    await engine.pause();
    isLast = found === undefined;
  }
  await parts.write(events.take());
  return parts.written;
}

/** Of few rules. */
async function readRows({ within }: Group, { sequence }: StoredChange): Promise<KeptRows> {
  const row = await within
    .selectFrom("changes")
    .select(["kind", "body", "old_rules", "kept"])
    .where("sequence", "=", sequence)
    .executeTakeFirstOrThrow();
  const parts =
    row.kept === null
      ? []
      : await within.selectFrom("kept_rules").select("rules").where("id", "=", row.kept).orderBy("part").execute();
  return keptRows(
    row,
    parts.map(({ rules }) => rules),
  );
}
