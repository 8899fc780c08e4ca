import { chosenTarget, TARGET_NOTE } from "../../rulesets/chosen-target.ts";
import type { Arguments, Command } from "../../runner/command.ts";
import { KEEP_OPTION } from "../../rulesets/kept-versions.ts";
import { applyPlanned } from "../../rulesets/planned-replacement.ts";
import { REPLACE_OPTIONS, replacementOf } from "../../rulesets/rule-replacement.ts";
import { CONNECTION_OPTIONS, KEY_NOTE } from "../../server/service-connection.ts";
import { UsageError } from "../../runner/usage-error.ts";

export const restoreCommand: Command = {
  name: "ruleset restore",
  summary: "show what an earlier version of a ruleset would change, and restore its rules after confirmation",
  operands: "RULESET VERSION",
  options: [
    { name: "yes", help: "restore the rules without asking" },
    ...REPLACE_OPTIONS,
    KEEP_OPTION,
    ...CONNECTION_OPTIONS,
  ],
  notes: [
    TARGET_NOTE,
    '"ipsieve ruleset versions" lists the versions. The plan lists every change: + added, - removed, ~ changed. Prefixes, names and expiries are restored; rules that had been removed get a new creation time.',
    "The version before the restore is kept too, so a restore can be undone the same way.",
    KEY_NOTE,
    "Exit code: 0 if the ruleset now has the rules of that version, 1 if it was not restored (you did not agree, or too many rules would be removed), 2 after an error.",
  ],
  examples: [
    { command: "ipsieve ruleset restore blocklist.ipsieve 41", what: "review the plan, then answer y" },
    { command: "ipsieve ruleset restore Blocklist 1207", what: "on a server" },
  ],
  run,
};

async function run(args: Arguments): Promise<number> {
  const [ruleset, version] = args.operands as [string, string];
  if (!/^\d{1,15}$/.test(version))
    throw new UsageError(
      `${version}: a version is a number; "ipsieve ruleset versions ${ruleset}" lists those that are kept`,
    );
  const target = await chosenTarget(args, ruleset);
  return applyPlanned(target, await target.rulesOf(Number(version)), replacementOf(args), args.has("yes"));
}
