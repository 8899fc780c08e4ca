import type { Rule } from "../rulesets/rule.ts";
import { addRule } from "../rulesets/write-rule.ts";
import type { Decision, Group } from "./_group.ts";
import { keyOfPrefix } from "./_prefix-key.ts";
import { changeOf, eachRule } from "./_replace-rules.ts";
import { reasonOf } from "./_rule-commands.ts";
import { readRulesOf, ruleOfValues, upsertRules, valuesOfRule } from "./_rule-rows.ts";
import { checkName, checkVersion } from "./_ruleset-draft.ts";
import type { BatchResult, ImportRulesCommand } from "./command.ts";
import { StoreError } from "./store-error.ts";

/** The rules that are looked up in one piece. */
const CHUNK = 20_000;

/** Adds a list of rules, writing what changes. It is in a group of its own. */
export async function importRules({ engine, within, rulesPerRuleset, ruleset }: Group, command: ImportRulesCommand): Promise<Decision> {
  const draft = ruleset(command);
  const { number, id } = draft.row;
  checkVersion(draft.row, command.ifVersion);
  const counts = { created: 0, updated: 0, skipped: 0 };
  const upserts: Rule[] = [];
  const before: Rule[] = [];
  const wanted = [...eachRule(command.rules)];
  for (let at = 0; at < wanted.length; at += CHUNK) {
    const part = wanted.slice(at, at + CHUNK).map((rule) => ({ key: keyOfPrefix(rule.prefix), request: { ...rule, mode: command.mode } }));
    const rows = await readRulesOf(engine, within, part.map(({ key }) => [number, key]));
    const existing = new Map(rows.map((row) => [row.prefix, ruleOfValues([row.prefix, row.name, row.expires_at, row.created_at, row.updated_at])]));
    for (const { key, request } of part) {
      checkName(request.name);
      const old = existing.get(key);
      const { action, rule } = addRule(old, request, command.at);
      if (action === "conflict") throw refused({ action, rule });
      if (++counts[action] > rulesPerRuleset - draft.count && action === "created") throw refused({ action: "too-many-rules", prefix: rule.prefix });
      if (action !== "skipped") upserts.push(rule);
      if (action === "updated") before.push(old!);
    }
  }
  if (upserts.length === 0) return { outcome: counts, changes: [] };
  await upsertRules(engine, within, upserts.map((rule) => [number, ...valuesOfRule(rule)]));
  draft.count += counts.created;
  return { outcome: counts, changes: [await changeOf({ engine, within }, number, { kind: "rules", rulesetId: id, upserts, deletes: [] }, before)] };
}

function refused(result: BatchResult): StoreError {
  return new StoreError("batch-refused", `${reasonOf(result)}, so nothing was written`);
}
