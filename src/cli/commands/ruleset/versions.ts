import { chosenTarget, TARGET_NOTE } from "../../rulesets/chosen-target.ts";
import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { columnLines } from "../../output/columns.ts";
import { grouped } from "../../../words/numbers.ts";
import { printText } from "../../runner/standard-output.ts";
import { styleFor } from "../../output/style.ts";
import { isRulesetFile } from "../../rule-lists/rule-source.ts";
import type { RulesetVersion } from "../../rulesets/ruleset-target.ts";
import { CONNECTION_OPTIONS, KEY_NOTE } from "../../server/service-connection.ts";

export const versionsCommand: Command = {
  name: "ruleset versions",
  summary: "list the kept versions of a ruleset",
  operands: "RULESET",
  options: [{ name: "json", help: "print one JSON document" }, ...CONNECTION_OPTIONS],
  notes: [
    TARGET_NOTE,
    "Versions are listed newest first; the first one is the current one.",
    "In a file, a version's number is the number of rule changes made before it, and the list shows how many rules it has. Commands that change the file keep the version before the change; see their --keep option.",
    "On a server, the list shows which change made a version, and how many rules it added, changed or removed. Versions are kept for 30 days, up to 1,000 per ruleset; a change of several hundred thousand rules ends the list.",
    'To compare a version with the file: "ipsieve ruleset diff FILE.versions/N.ipsieve FILE". "ipsieve ruleset restore" shows the differences of any version before it asks.',
    KEY_NOTE,
    "Exit code: 0 if an earlier version is kept, 1 if none is, 2 after an error.",
  ],
  examples: [{ command: "ipsieve ruleset versions blocklist.ipsieve", what: "which one to restore?" }],
  run,
};

async function run(args: Arguments): Promise<number> {
  const ruleset = args.operands[0]!;
  const versions = await (await chosenTarget(args, ruleset)).versions();
  const isFile = isRulesetFile(ruleset);
  if (args.has("json")) await printText(`${JSON.stringify(versions.map(isFile ? fileDocument : serverDocument))}\n`);
  else await printText(`${tableOf(versions, isFile).join("\n")}\n`);
  return versions.length > 1 ? EXIT.matched : EXIT.nothing;
}

function fileDocument({ version, at, rules }: RulesetVersion): object {
  return { version, saved_at: at, rules };
}

function serverDocument({ version, at, change, changedRules }: RulesetVersion): object {
  return { version, created_at: at, change, changed_rules: changedRules };
}

function tableOf(versions: readonly RulesetVersion[], isFile: boolean): string[] {
  const style = styleFor(process.stdout);
  const rows = versions.map(({ version, at, rules = 0, change = "", changedRules = 0 }) =>
    isFile ? [String(version), at, grouped(rules)] : [String(version), at, change, grouped(changedRules)],
  );
  const header = isFile ? ["version", "saved", "rules"] : ["version", "created", "change", "changed rules"];
  return columnLines([header, ...rows], new Set([0, header.length - 1]), style);
}
