import { ShrinkGuard, type Shrinkage } from "../../../rulesets/shrink-guard.ts";
import type { ReplaceRulesCommand } from "../../command.ts";
import type { Decision } from "../../decide/_decision.ts";
import { checkMatch } from "../../decide/_match.ts";
import { Replacement } from "../../decide/_replacement.ts";
import { checkRules, countOf } from "../../decide/_rule-limits.ts";
import type { RulesetDraft } from "../../decide/_ruleset-draft.ts";
import { RuleEvents } from "../../decide/_rule-events.ts";
import { TouchedRules } from "../../decide/_touched-rules.ts";
import { StoreError } from "../../store-error.ts";
import type { Group } from "./_group.ts";
import { readAllRules } from "../_rule-rows.ts";
import { withSavepoint } from "./_savepoint.ts";
import { TouchedRulesWriter } from "./_touched-rules-writer.ts";

/** Writes the difference between the current and the desired rules. It is in a group of its own. */
export async function replaceRules(group: Group, command: ReplaceRulesCommand): Promise<Decision> {
  const draft = group.ruleset(command);
  const { number, ruleset } = draft;
  checkMatch(ruleset, command.ifMatch);
  checkRules(command.rules, group.limits.rulesPerRuleset);
  const touched = new TouchedRules(new RuleEvents(draft, command.at));
  const writer = new TouchedRulesWriter(group.engine, group.within, number, touched, command.at);
  const counts = await withSavepoint(group.within, () => writeDifference(group, draft, command, touched, writer));
  const outcome = { ...counts, isKept: touched.isKept, ...(command.about && { about: command.about }) };
  if (touched.count === 0) return { outcome, changes: [] };
  draft.count = counts.added + counts.updated + counts.unchanged;
  // The desired rules are in place now, with the times that `replacement` has filled in.
  const note = { skipped: counts.unchanged, digest: command.digest };
  const recorded = touched.recorded(ruleset.id, command.rules, note, writer.kept);
  return { outcome, changes: [recorded], eventParts: writer.eventParts };
}

/** Throws StoreError (`shrinks-too-much`). If the limit is exceeded, the rest is counted but no longer written. */
async function writeDifference(
  { engine, within }: Group,
  { count, number }: RulesetDraft,
  { rules, shrink = {}, at }: ReplaceRulesCommand,
  touched: TouchedRules,
  writer: TouchedRulesWriter,
): Promise<Shrinkage> {
  const guard = new ShrinkGuard(count, countOf(rules), shrink);
  const replacement = new Replacement(touched, rules, at);
  const write = async (): Promise<void> => {
    if (touched.removed > guard.maxRemoved) touched.writeNoMore();
    await writer.write();
  };
  for await (const rows of readAllRules(engine, within, number)) {
    for (const each of rows) {
      if (replacement.meet(each)) await write();
    }
  }
  while (replacement.addRest()) await write();
  const { added, updated, removed } = touched;
  const counts = { added, updated, removed, unchanged: replacement.unchanged };
  const rejection = guard.rejectionOf(counts);
  if (rejection !== undefined) throw new StoreError("shrinks-too-much", rejection.message, { shrink: rejection });
  await writer.writeRest();
  return counts;
}
