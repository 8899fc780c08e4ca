import type { ImportRulesCommand } from "../../command.ts";
import type { Decision } from "../../decide/_decision.ts";
import { Import, partsOf, undecidedRules } from "../../decide/_import.ts";
import { checkMatch } from "../../decide/_match.ts";
import { checkNames } from "../../decide/_rule-limits.ts";
import { RuleEvents } from "../../decide/_rule-events.ts";
import { TouchedRules } from "../../decide/_touched-rules.ts";
import type { Group } from "./_group.ts";
import { wholeRuleset } from "../_rule-rows.ts";
import { existingRules } from "./_existing-rules.ts";
import { withSavepoint } from "./_savepoint.ts";
import { TouchedRulesWriter } from "./_touched-rules-writer.ts";

/** Adds a list of rules, writing what changes. It is in a group of its own. */
export async function importRules(group: Group, command: ImportRulesCommand): Promise<Decision> {
  const { engine, within, limits } = group;
  const draft = group.ruleset(command);
  const { number, ruleset } = draft;
  checkMatch(ruleset, command.ifMatch);
  checkNames(command.rules);
  const touched = new TouchedRules(new RuleEvents(draft, command.at));
  const writer = new TouchedRulesWriter(engine, within, number, touched, command.at);
  const list = new Import(touched, command, draft.count, limits.rulesPerRuleset);
  const { rules, skipped: known } = undecidedRules(command, ruleset.version);
  list.skipped = known;
  await withSavepoint(within, async () => {
    for (const part of partsOf(rules, engine.rowsAtOnce)) {
      list.add(part, await existingRules(engine, within, number, part));
      await writer.write();
    }
    await writer.writeRest();
  });
  draft.count += touched.added;
  const { skipped } = list;
  const outcome = { created: touched.added, updated: touched.updated, skipped, isKept: touched.isKept };
  if (touched.count === 0) return { outcome, changes: [] };
  const whole = touched.isListed ? [] : await wholeRuleset(engine, within, number);
  const recorded = touched.recorded(ruleset.id, whole, { skipped, digest: command.digest }, writer.kept);
  return { outcome, changes: [recorded], eventParts: writer.eventParts };
}
