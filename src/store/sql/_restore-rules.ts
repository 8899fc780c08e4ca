import {
  areRulesKept,
  countChangedRules,
  deleteAddedRules,
  HAS_OLD_RULES,
  isAsLeft,
  type KeptRows,
  keptRows,
  writeOldRules,
} from "./_kept-rules.ts";
import type { RuleValues } from "./_engine.ts";
import type { Decision, Group, Recorded } from "./_group-commit.ts";
import { prefixOfKey } from "../_prefix-key.ts";
import { checkOrganisation } from "../decide/_organisation-commands.ts";
import { rulesetOf } from "./_read-state.ts";
import { checkRoomForRuleset } from "./_room.ts";
import { ruleOfValues, wholeRuleset } from "./_rule-rows.ts";
import { tooManyRules } from "../decide/_ruleset-draft.ts";
import type { ChangeRow } from "./_tables.ts";
import { changedRulesOf, inverseOf, type RulesSummary } from "../decide/_rules-summary.ts";
import { MAX_LISTED_RULES } from "./_touched-rules.ts";
import type { RestoreRulesCommand, RestoreRulesetCommand } from "../command.ts";
import type { Ruleset } from "../state.ts";
import { StoreError } from "../store-error.ts";

type StoredChange = Pick<ChangeRow, "sequence" | "kind" | "ruleset_id" | "rule_count" | "old" | "told">;

/** Makes the rules that a change touched what they were before it. It is in a group of its own. */
export async function restoreRules(group: Group, command: RestoreRulesCommand): Promise<Decision> {
  const { engine, within } = group;
  const draft = group.ruleset(command);
  const { id, number } = draft.row;
  const change = await keptChange(
    group,
    command,
    ({ kind, ruleset_id }) => (kind === "rules" || kind === "rules-replaced") && ruleset_id === id,
  );
  if (!(await isAsLeft(engine, within, change, number)))
    throw new StoreError("rules-changed", `rules that change ${command.sequence} touched have been changed since`);
  const told = change.told === null ? undefined : (JSON.parse(change.told) as RulesSummary);
  const { added, changed, deleted } =
    told === undefined ? await countChangedRules(engine, within, change) : changedRulesOf(told);
  const count = added.count + changed.count + deleted.count;
  if (count === 0) return { outcome: {}, changes: [] };
  if (deleted.count > 0 && draft.count - added.count + deleted.count > group.rulesPerRuleset)
    throw tooManyRules(group.rulesPerRuleset);
  await deleteAddedRules(engine, within, change, number);
  await writeOldRules(engine, within, change, number, command.at);
  draft.count += deleted.count - added.count;
  return { outcome: {}, changes: [await recorded(group, draft.row, change, count, command.at)] };
}

/**
 * What there was before a change that takes another back is kept only where it is shown: nothing takes it back in turn.
 */
async function recorded(
  group: Group,
  { id, number }: { readonly id: string; readonly number: number },
  change: StoredChange,
  count: number,
  at: number,
): Promise<Recorded> {
  const { engine, within } = group;
  const told = change.told === null ? undefined : inverseOf(JSON.parse(change.told) as RulesSummary, at);
  if (count > MAX_LISTED_RULES)
    return {
      change: { kind: "rules-replaced", rulesetId: id, rules: await wholeRuleset(engine, within, number) },
      ruleCount: count,
      told,
    };
  const { before, after } = await readRows(group, change);
  const wanted = new Set(before.map(([key]) => key));
  const left = new Map(after.map((row) => [row[0], row]));
  const removed = after.filter(([key]) => !wanted.has(key));
  const updated = before.map(([key]) => left.get(key)).filter((row) => row !== undefined);
  const deletes = removed.map(([key]) => prefixOfKey(key));
  return {
    change: { kind: "rules", rulesetId: id, upserts: restored(before, at), deletes },
    oldRules: { rules: [...removed, ...updated] },
  };
}

/** Makes a ruleset that was deleted once more. It is in a group of its own. */
export async function restoreRuleset(group: Group, command: RestoreRulesetCommand): Promise<Decision> {
  const { engine, within } = group;
  const { organisationId, at } = command;
  const change = await keptChange(group, command, ({ kind, old }) => kind === "ruleset-deleted" && old !== null);
  const { id, name, purpose, description, createdAt } = JSON.parse(change.old!) as Ruleset;
  const count = change.rule_count!;
  if (count > group.rulesPerRuleset) throw tooManyRules(group.rulesPerRuleset);
  await checkOrganisation(group, organisationId);
  await checkRoomForRuleset(group, organisationId);
  const row = {
    id,
    organisation_id: organisationId,
    name,
    purpose,
    description,
    created_at: createdAt,
    updated_at: at,
    version: 0,
    rule_count: count,
  };
  const made = await within
    .insertInto("rulesets")
    .values(row)
    .onConflict((conflict) => conflict.column("id").doNothing())
    .returningAll()
    .executeTakeFirst();
  if (made === undefined) throw new StoreError("ruleset-exists", `there is a ruleset ${id} already`);
  await writeOldRules(engine, within, change, made.number, at);
  const ruleset = rulesetOf(made);
  const changes: Recorded[] = [{ change: { kind: "ruleset", ruleset } }];
  if (count > MAX_LISTED_RULES)
    changes.push({
      change: { kind: "rules-replaced", rulesetId: id, rules: await wholeRuleset(engine, within, made.number) },
      ruleCount: count,
    });
  else if (count > 0)
    changes.push({
      change: {
        kind: "rules",
        rulesetId: id,
        upserts: restored((await readRows(group, change)).before, at),
        deletes: [],
      },
    });
  return { outcome: { ruleset }, changes };
}

/** Throws StoreError (`change-not-kept`). */
async function keptChange(
  { within }: Group,
  { organisationId, sequence }: { readonly organisationId: string; readonly sequence: number },
  isWanted: (change: StoredChange) => boolean,
): Promise<StoredChange> {
  const change = await within
    .selectFrom("changes")
    .select(["sequence", "kind", "ruleset_id", "rule_count", "old", "told"])
    .select(HAS_OLD_RULES.as("has_old_rules"))
    .where("organisation_id", "=", organisationId)
    .where("sequence", "=", sequence)
    .executeTakeFirst();
  if (change !== undefined && isWanted(change) && areRulesKept(change)) return change;
  throw new StoreError("change-not-kept", `there is no change ${sequence} whose rules are kept`);
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

function restored(rows: readonly RuleValues[], updatedAt: number) {
  return rows.map((row) => ({ ...ruleOfValues(row), updatedAt }));
}
