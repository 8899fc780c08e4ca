import { chosenTarget } from "../../rulesets/chosen-target.ts";
import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { LIST_GUARD_OPTIONS } from "../../rulesets/file-guard.ts";
import { KEEP_OPTION } from "../../rulesets/kept-versions.ts";
import { listNotes, printListChanges } from "../../rulesets/list-changes.ts";
import { LIST_OPTIONS } from "../../rule-lists/list-options.ts";
import { reportLeftOut, shrinkText } from "../../rule-lists/list-rejection.ts";
import { standardError } from "../../runner/standard-error.ts";
import { REPLACE_OPTIONS, replacedText, replacementOf } from "../../rulesets/rule-replacement.ts";
import { fileSource } from "../../rule-lists/list-file.ts";
import { CONNECTION_OPTIONS } from "../../server/service-connection.ts";

export const replaceCommand: Command = {
  name: "ruleset replace",
  summary: "replace all rules of a ruleset with a list",
  operands: "RULESET FILE|-",
  options: [
    { name: "dry-run", help: "print what would change, and change nothing" },
    ...REPLACE_OPTIONS,
    ...LIST_OPTIONS,
    {
      name: "json",
      help: "print the result as JSON; with --dry-run it includes the first rules of each kind",
    },
    ...LIST_GUARD_OPTIONS,
    KEEP_OPTION,
    ...CONNECTION_OPTIONS,
  ],
  notes: listNotes(
    "A list replaces all rules at once or none",
    "Exit code: 0 if the rules were replaced, or would be; 1 if a dry run shows that too many would be removed; 2 after an error.",
  ),
  examples: [
    { command: "ipsieve ruleset replace Blocklist spamhaus.txt --dry-run", what: "what would change?" },
    {
      command: "ipsieve ruleset replace Blocklist feed.ndjson.gz --max-shrink 80",
      what: "a list that may shrink a lot",
    },
  ],
  run,
};

async function run(args: Arguments): Promise<number> {
  const [ruleset, file] = args.operands as [string, string];
  const list = fileSource(args, file);
  const target = await chosenTarget(args, ruleset);
  const report = await target.replace(list, { ...replacementOf(args), ...(args.has("dry-run") && { dry_run: true }) });
  const { added, updated, removed, refusal = null } = report;
  reportLeftOut(list, report);
  await printListChanges(args, target.name, report, replacedText(report), added + updated + removed);
  if (refusal === null) return EXIT.matched;
  standardError().write(`ipsieve: ${list.name}: ${shrinkText(refusal)}\n`);
  return EXIT.nothing;
}
