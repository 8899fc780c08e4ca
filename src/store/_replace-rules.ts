import { planReplacement, type WantedRule } from "../rulesets/plan-replacement.ts";
import type { Rule } from "../rulesets/rule.ts";
import type { RuleColumns } from "../rulesets/rule-columns.ts";
import { columnsOf, deleteRules, readAllRules, ruleOfValues, upsertRules, valuesOfRule } from "./_rule-rows.ts";
import { MOST_OLD_RULES, type OldRules } from "./_changes.ts";
import type { Decision, Group, Recorded } from "./_group.ts";
import type { RuleValues } from "./_engine.ts";
import { keyOfPrefix } from "./_prefix-key.ts";
import { checkName, checkVersion, tooManyRules } from "./_ruleset-draft.ts";
import type { ChangeBody } from "./change.ts";
import type { ReplacementCounts, ReplaceRulesCommand } from "./command.ts";

/** So many changed rules are told one by one; more, as the whole ruleset. */
const TOLD_SINGLY = 10_000;

/** Writes the difference between the rules as they are and as they shall be. It is in a group of its own. */
export async function replaceRules(group: Group, command: ReplaceRulesCommand): Promise<Decision> {
  const draft = group.ruleset(command);
  const { number, id } = draft.row;
  checkVersion(draft.row, command.ifVersion);
  checkWanted(command.rules, group.rulesPerRuleset);
  const { engine, within } = group;
  const current: (readonly RuleValues[])[] = [];
  for await (const rows of readAllRules(engine, within, number)) current.push(rows);
  const plan = planReplacement(current.values().flatMap((rows) => rows.values().map(ruleOfValues)), eachRule(command.rules), command.at);
  const counts: ReplacementCounts = { added: plan.added.length, updated: plan.updated.length, removed: plan.removed.length, unchanged: plan.unchanged };
  const upserts = [...plan.added, ...plan.updated.map(({ after }) => after)];
  const deletes = plan.removed.map(({ prefix }) => prefix);
  if (upserts.length + deletes.length === 0) return { outcome: counts, changes: [] };
  await deleteRules(engine, within, deletes.map((prefix) => [number, keyOfPrefix(prefix)]));
  await upsertRules(engine, within, upserts.map((rule) => [number, ...valuesOfRule(rule)]));
  draft.count = counts.added + counts.updated + counts.unchanged;
  const before = [...plan.updated.map((each) => each.before), ...plan.removed];
  return { outcome: counts, changes: [await changeOf(group, number, { kind: "rules", rulesetId: id, upserts, deletes }, before)] };
}

/** What readers are told: many rules as the whole ruleset, which has them already. `before`: the rules that it touched, as they were. */
export async function changeOf({ engine, within }: Pick<Group, "engine" | "within">, number: number, change: ChangeBody & { kind: "rules" }, before: readonly Rule[]): Promise<Recorded> {
  const { rulesetId, upserts, deletes } = change;
  const ruleCount = upserts.length + deletes.length;
  const old = (): OldRules => ({ rules: before.map(valuesOfRule) });
  if (ruleCount <= TOLD_SINGLY) return { change, oldRules: old() };
  const rules: RuleColumns[] = [];
  for await (const rows of readAllRules(engine, within, number)) rules.push(...columnsOf(rows));
  const whole: ChangeBody = { kind: "rules-replaced", rulesetId, rules };
  if (ruleCount > MOST_OLD_RULES) return { change: whole, ruleCount };
  return { change: whole, ruleCount, oldRules: { ...old(), upserts: upserts.map(valuesOfRule), deletes: deletes.map(keyOfPrefix) } };
}

/** Throws StoreError (`too-many-rules`, `invalid-text`). */
function checkWanted(parts: readonly RuleColumns[], most: number): void {
  if (parts.reduce((sum, { lengths }) => sum + lengths.length, 0) > most) throw tooManyRules(most);
  for (const { names } of parts) for (const name of names) checkName(name);
}

export function* eachRule(parts: readonly RuleColumns[]): Generator<WantedRule> {
  for (const { family, words, lengths, names, expiresAt } of parts) {
    for (let i = 0; i < lengths.length; i++) {
      const at = family === 4 ? i : 4 * i;
      const [w1, w2, w3] = family === 4 ? [0, 0, 0] : [words[at + 1]!, words[at + 2]!, words[at + 3]!];
      const prefix = { family, w0: words[at]!, w1, w2, w3, length: lengths[i]! };
      yield { prefix, name: names[i]!, expiresAt: expiresAt[i] === Number.POSITIVE_INFINITY ? null : expiresAt[i]! };
    }
  }
}
