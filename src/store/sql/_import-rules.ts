import type { WantedRule } from "../../rulesets/plan-replacement.ts";
import { type RuleColumns, wantedIn } from "../../rulesets/rule-columns.ts";
import { addRule } from "../../rulesets/write-rule.ts";
import type { Decision, Group } from "./_group-commit.ts";
import { keyOfPrefix } from "../_prefix-key.ts";
import { checkNames } from "./_replace-rules.ts";
import { reasonOf } from "../decide/_rule-commands.ts";
import { readRulesOf, ruleOfValues, wholeRuleset } from "./_rule-rows.ts";
import { checkMatch, type RulesetDraft } from "../decide/_ruleset-draft.ts";
import { withSavepoint } from "./_savepoint.ts";
import { TouchedRules } from "./_touched-rules.ts";
import type { BatchResult, ImportRulesCommand } from "../command.ts";
import { StoreError } from "../store-error.ts";

/** Adds a list of rules, writing what changes. It is in a group of its own. */
export async function importRules(group: Group, command: ImportRulesCommand): Promise<Decision> {
  const { engine, within } = group;
  const draft = group.ruleset(command);
  checkMatch(draft.row, command.ifMatch);
  checkNames(command.rules);
  const touched = new TouchedRules(engine, within, draft.row.number, command.at);
  const skipped = await withSavepoint(within, async () => {
    const count = await addAll(group, draft, command, touched);
    await touched.writeRest();
    return count;
  });
  draft.count += touched.added;
  const outcome = { created: touched.added, updated: touched.updated, skipped, isKept: touched.isKept };
  if (touched.count === 0) return { outcome, changes: [] };
  return {
    outcome,
    changes: [
      await touched.recorded(draft.row.id, () => wholeRuleset(engine, within, draft.row.number), {
        skipped,
        digest: command.digest,
      }),
    ],
  };
}

/** Gives how many were skipped. Throws StoreError (`batch-refused`). */
async function addAll(
  { engine, within, rulesPerRuleset }: Group,
  draft: RulesetDraft,
  { rules, mode, at }: ImportRulesCommand,
  touched: TouchedRules,
): Promise<number> {
  let skipped = 0;
  for (const part of batchesOf(rules, engine.rowsAtOnce)) {
    const wanted = part.map((rule) => ({ key: keyOfPrefix(rule.prefix), request: { ...rule, mode } }));
    const rows = await readRulesOf(
      engine,
      within,
      wanted.map(({ key }) => [draft.row.number, key]),
    );
    const existing = new Map(
      rows.map((row) => [
        row.prefix,
        ruleOfValues([row.prefix, row.name, row.expires_at, row.created_at, row.updated_at]),
      ]),
    );
    for (const { key, request } of wanted) {
      const old = existing.get(key);
      const { action, rule } = addRule(old, request, at);
      if (action === "conflict") throw refused({ action, rule }, rulesPerRuleset);
      if (action === "created" && touched.added >= rulesPerRuleset - draft.count)
        throw refused({ action: "too_many_rules", prefix: rule.prefix }, rulesPerRuleset);
      if (action === "created") touched.add(rule);
      else if (action === "updated") touched.update(old!, rule);
      else skipped++;
    }
    await touched.write();
  }
  return skipped;
}

/** Made as they are needed: other servers wait for the locks meanwhile. */
function* batchesOf(parts: readonly RuleColumns[], size: number): Generator<WantedRule[]> {
  for (const part of parts) {
    let batch: WantedRule[] = [];
    for (const rule of wantedIn(part)) {
      if (batch.push(rule) < size) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
  }
}

function refused(result: BatchResult, mostRules: number): StoreError {
  return new StoreError("batch-refused", `${reasonOf(result, mostRules)}, so nothing was written`);
}
