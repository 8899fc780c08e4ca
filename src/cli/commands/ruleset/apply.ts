import { chosenTarget } from "../../rulesets/chosen-target.ts";
import type { Arguments, Command } from "../../runner/command.ts";
import { LIST_GUARD_OPTIONS } from "../../rulesets/file-guard.ts";
import { KEEP_OPTION } from "../../rulesets/kept-versions.ts";
import { listNotes } from "../../rulesets/list-changes.ts";
import { LIST_OPTIONS } from "../../rule-lists/list-options.ts";
import { applyPlanned } from "../../rulesets/planned-replacement.ts";
import { REPLACE_OPTIONS, replacementOf } from "../../rulesets/rule-replacement.ts";
import { fileSource } from "../../rule-lists/list-file.ts";
import { CONNECTION_OPTIONS } from "../../server/service-connection.ts";
import { UsageError } from "../../runner/usage-error.ts";

export const applyCommand: Command = {
  name: "ruleset apply",
  summary: "show what a list would change in a ruleset, and replace the rules after confirmation",
  operands: "RULESET FILE",
  options: [
    { name: "yes", help: "replace the rules without asking" },
    ...REPLACE_OPTIONS,
    ...LIST_OPTIONS,
    ...LIST_GUARD_OPTIONS,
    KEEP_OPTION,
    ...CONNECTION_OPTIONS,
  ],
  notes: listNotes(
    "The plan lists every change: + added, - removed, ~ changed. If the ruleset changes after the plan was made, nothing is written. A list replaces all rules at once or none",
    "Exit code: 0 if the ruleset now has the rules of the list, 1 if it was not replaced (you did not agree, or too many rules would be removed), 2 after an error.",
  ),
  examples: [
    { command: "ipsieve ruleset apply Blocklist blocklist.csv", what: "review the plan, then answer y" },
    {
      command: "ipsieve ruleset apply Blocklist blocklist.csv --yes",
      what: "in a pipeline, once the list has been reviewed",
    },
  ],
  run,
};

async function run(args: Arguments): Promise<number> {
  const [ruleset, file] = args.operands as [string, string];
  if (file === "-") throw new UsageError("the list is read twice, for the plan and for the change; save it to a file");
  const how = replacementOf(args);
  fileSource(args, file).close();
  const target = await chosenTarget(args, ruleset);
  return applyPlanned(target, () => fileSource(args, file), how, args.has("yes"));
}
