import { EXIT } from "../runner/command.ts";
import { confirm } from "../runner/confirm.ts";
import { reportLeftOut, shrinkText } from "../rule-lists/list-rejection.ts";
import { joined, printChunks } from "../output/print-chunks.ts";
import { standardError } from "../runner/standard-error.ts";
import { reportWarnings } from "./report-warnings.ts";
import { printText } from "../runner/standard-output.ts";
import { styleFor } from "../output/style.ts";
import { differenceLine } from "./rule-lines.ts";
import { replacedText } from "./rule-replacement.ts";
import type { RuleSource } from "../rule-lists/rule-source.ts";
import type { ListReplacement, ReplaceReport, RulesetTarget } from "./ruleset-target.ts";

/** What a plan would change, whatever it is the plan of. */
export type PlannedReport = Pick<ReplaceReport, "added" | "updated" | "removed" | "unchanged" | "dry_run" | "plan">;

/**
 * Prints what a list would change in a ruleset, asks unless `isAgreed`, and replaces the rules if nothing has changed
 * since. `open` gives the list, which is read twice. Returns the exit code. Throws UsageError.
 */
export async function applyPlanned(
  target: RulesetTarget,
  open: () => RuleSource,
  how: ListReplacement,
  isAgreed: boolean,
): Promise<number> {
  const tag = await target.tag();
  const list = open();
  const plan = await target.replace(list, { ...how, dry_run: true }, tag);
  reportLeftOut(list, plan);
  await printPlan(target.name, plan);
  reportWarnings(target.name, plan.warnings);
  const { added, updated, removed, refusal = null } = plan;
  if (refusal !== null) {
    standardError().write(`ipsieve: ${list.name}: ${shrinkText(refusal)}\n`);
    return EXIT.nothing;
  }
  if (added + updated + removed === 0) return EXIT.matched;
  if (!isAgreed && !(await confirm(`Replace the rules of ${target.name}?`, "--yes"))) return EXIT.nothing;
  await printText(`${target.name}: ${replacedText(await target.replace(open(), how, tag))}\n`);
  return EXIT.matched;
}

/** Prints every change of a plan, then the counts. */
export async function printPlan(ruleset: string, report: PlannedReport): Promise<void> {
  const style = styleFor(process.stdout);
  const { added, updated, removed, truncated } = report.plan!;
  const differences = [
    ...removed.map((before) => ({ before, after: null })),
    ...updated,
    ...added.map((after) => ({ before: null, after })),
  ];
  const lines = differences.map((each) => `${differenceLine(each, style)}\n`);
  if (truncated) lines.push("... only the first 1,000 changes of each kind are listed\n");
  await printChunks(joined([...lines, `${ruleset}: ${replacedText(report)}\n`]));
}
