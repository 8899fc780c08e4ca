import type { ImportAnswer } from "../../client/client.ts";
import { TARGET_NOTE } from "./chosen-target.ts";
import type { Arguments } from "../runner/command.ts";
import { LIST_NOTE } from "../rule-lists/list-options.ts";
import { reportWarnings } from "./report-warnings.ts";
import { counted } from "../../words/numbers.ts";
import { printText } from "../runner/standard-output.ts";
import type { ReplaceReport } from "./ruleset-target.ts";
import { KEY_NOTE } from "../server/service-connection.ts";

/** The notes of a command that writes a list to a ruleset; `effect` says what it does with a list, `exit` the exit codes. */
export function listNotes(effect: string, exit: string): readonly string[] {
  return [
    TARGET_NOTE,
    LIST_NOTE,
    `${effect}. Invalid lines are reported as FILE:LINE, the first 20 of them. A line that repeats another, with the same name and expiry, counts once.`,
    KEY_NOTE,
    exit,
  ];
}

/** Prints the report as JSON, or its warnings and `counts`, the sentence about it; `changed`: how many rules were. */
export async function printListChanges(
  args: Arguments,
  ruleset: string,
  report: ImportAnswer | ReplaceReport,
  counts: string,
  changed: number,
): Promise<void> {
  const { invalid = 0, repeated = 0, can_undo: canUndo, warnings } = report;
  if (!args.has("json")) reportWarnings(ruleset, warnings);
  const skipped = invalid === 0 ? "" : `; ${counted(invalid, "line")} left out`;
  const again = repeated === 0 ? "" : `; ${counted(repeated, "line")} ${repeated === 1 ? "repeats" : "repeat"} another`;
  const undo = canUndo || changed === 0 ? "" : "; it cannot be undone";
  await printText(
    args.has("json") ? `${JSON.stringify(report)}\n` : `${ruleset}: ${counts}${skipped}${again}${undo}\n`,
  );
}
