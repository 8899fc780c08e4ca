import type { DeleteRulesetCommand } from "../../command.ts";
import type { Decision, Recorded } from "../../decide/_decision.ts";
import { noTexts } from "../../decide/_kept-texts.ts";
import { checkMatch } from "../../decide/_match.ts";
import { RuleTally } from "../../decide/_rules-summary.ts";
import { ruleOfValues } from "../../_rule-values.ts";
import { keptLength, MAX_KEPT } from "../../kept-length.ts";
import type { Group } from "./_group.ts";
import { KeptParts } from "../history/_kept-parts.ts";
import { readAllRules } from "../_rule-rows.ts";

/** Deletes a ruleset with its rules, which are kept. It is in a group of its own. */
export async function deleteRuleset(group: Group, command: DeleteRulesetCommand): Promise<Decision> {
  const { within } = group;
  const { number, ruleset, count } = group.ruleset(command);
  checkMatch(ruleset, command.ifMatch);
  const kept = await keepAll(group, number, command.at);
  await within.deleteFrom("rules").where("ruleset", "=", number).execute();
  await within.deleteFrom("announced_expiries").where("ruleset", "=", number).execute();
  await within.deleteFrom("rulesets").where("number", "=", number).execute();
  const change = { kind: "ruleset-deleted", rulesetId: ruleset.id } as const;
  return { outcome: {}, changes: [{ change, old: ruleset, ...kept, ruleCount: count }] };
}

/** Keeps all rules of a ruleset as they are read. */
async function keepAll(
  { engine, within }: Group,
  number: number,
  at: number,
): Promise<Pick<Recorded, "kept" | "summary">> {
  const parts = new KeptParts(engine, within, at);
  const tally = new RuleTally();
  let length = 0;
  for await (const rows of readAllRules(engine, within, number)) {
    for (const row of rows) {
      const rule = ruleOfValues(row);
      tally.add(rule, null);
      length += keptLength(rule);
    }
    if (length > MAX_KEPT) await parts.drop();
    else await parts.write({ ...noTexts(), rules: [JSON.stringify(rows).slice(1, -1)] });
  }
  return { kept: parts.id, summary: tally.summary({ isKept: length <= MAX_KEPT }) };
}
