import { openRuleset } from "../../datasets/ruleset-files.ts";
import type { ImportFormat } from "../../rulesets/importers/import-rules.ts";
import { Ruleset } from "../../rulesets/ruleset.ts";
import { formatOf, listName, NO_ENTRIES } from "./list-options.ts";
import { MAX_ERRORS, rejectLines } from "./listed-rules.ts";
import type { Arguments } from "../runner/command.ts";
import { readBytes, rejectBinary } from "./read-list.ts";
import { isRulesetFile } from "./rule-source.ts";
import { UsageError } from "../runner/usage-error.ts";

/** What the files of these commands can be. */
export const RULES_NOTE =
  "RULES is a ruleset file (*.ipsieve) or a list of rules: text (an address, prefix or FIRST-LAST range per line, or several), csv or ndjson, by its extension.";

/**
 * The rules of a ruleset file, or of a list, which may have rules for special-purpose addresses. Bad lines are reported
 * as FILE:LINE. `protects`: a list without rules is an error. Throws UsageError for a list with bad lines, and the errors of reading the file.
 */
export async function openedRules(args: Arguments, path: string, protects = false): Promise<Ruleset> {
  if (isRulesetFile(path)) return openRuleset(path);
  const format = formatOf(args, path);
  if (format === "json") throw new UsageError(`${path}: lists of the format json are not read here; use ndjson`);
  const ruleset = new Ruleset({ allowSpecialPurpose: true });
  const bytes = await readBytes(path);
  rejectBinary(path, bytes);
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  rejectLines(path, ruleset.import(text, format satisfies ImportFormat, { maxErrors: MAX_ERRORS }).errors);
  if (protects && ruleset.count === 0) throw new UsageError(`${listName(path)}: ${NO_ENTRIES}`);
  return ruleset;
}
