import { allRulesets } from "../../server/chosen-ruleset.ts";
import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { columnLines } from "../../output/columns.ts";
import { grouped } from "../../../words/numbers.ts";
import { oneLine } from "../../runner/one-line.ts";
import { printText } from "../../runner/standard-output.ts";
import { styleFor } from "../../output/style.ts";
import { RulesetFile } from "../../rulesets/ruleset-file.ts";
import { CONNECTION_OPTIONS, KEY_NOTE, ServiceConnection } from "../../server/service-connection.ts";

export const listCommand: Command = {
  name: "ruleset list",
  summary: "list the rulesets on a server or in files",
  operands: "[FILE...]",
  options: [{ name: "json", help: "print one JSON document" }, ...CONNECTION_OPTIONS],
  notes: [
    "With FILEs, the rulesets in these files are listed; no server or key is needed.",
    KEY_NOTE,
    "Exit code: 0 if there are rulesets, 1 if there are none, 2 after an error.",
  ],
  examples: [
    {
      command: "ipsieve ruleset list --server https://lists.example.org --key-file key.txt",
      what: "those of the key's organisation",
    },
    { command: "ipsieve ruleset list *.ipsieve", what: "those in files" },
  ],
  run,
};

interface ListedRuleset {
  readonly name: string;
  readonly purpose: string;
  readonly total_rules: number;
  readonly active_rules: number;
}

async function run(args: Arguments): Promise<number> {
  const isOfFiles = args.operands.length > 0;
  const rulesets = isOfFiles ? await rulesetsIn(args.operands) : await new ServiceConnection(args).use(allRulesets);
  if (args.has("json")) await printText(`${JSON.stringify(rulesets)}\n`);
  else {
    const rows = rulesets.map((each: ListedRuleset & { readonly id?: string; readonly file?: string }) => [
      oneLine(each.file ?? each.id!),
      each.name,
      each.purpose,
      grouped(each.total_rules),
      grouped(each.active_rules),
    ]);
    const head = [isOfFiles ? "file" : "id", "name", "purpose", "rules", "active"];
    await printText(`${columnLines([head, ...rows], new Set([3, 4]), styleFor(process.stdout)).join("\n")}\n`);
  }
  return rulesets.length > 0 ? EXIT.matched : EXIT.nothing;
}

async function rulesetsIn(files: readonly string[]): Promise<(ListedRuleset & { readonly file: string })[]> {
  const now = Date.now();
  const rulesets = [];
  for (const file of files) {
    const { ruleset } = await new RulesetFile(file).open();
    const { name, purpose, count } = ruleset;
    rulesets.push({ file, name, purpose, total_rules: count, active_rules: ruleset.activeCount(now) });
  }
  return rulesets;
}
