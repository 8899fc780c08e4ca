import { allRulesets } from "../../chosen-ruleset.ts";
import { type Arguments, type Command, EXIT } from "../../command.ts";
import { columnLines } from "../../output/columns.ts";
import { grouped } from "../../output/numbers.ts";
import { printText } from "../../output/standard-output.ts";
import { styleFor } from "../../output/style.ts";
import { CONNECTION_OPTIONS, KEY_NOTE, withService } from "../../service-connection.ts";

export const listCommand: Command = {
  name: "ruleset list",
  summary: "list the rulesets on a server",
  operands: "",
  minOperands: 0,
  maxOperands: 0,
  options: [{ name: "json", help: "print one JSON document" }, ...CONNECTION_OPTIONS],
  notes: [KEY_NOTE, "Exit code: 0 if there are rulesets, 1 if there are none, 2 after an error."],
  examples: [
    {
      command: "ipsieve ruleset list --server https://lists.example.org --key-file key.txt",
      what: "those of the key's organisation",
    },
  ],
  run,
};

async function run(args: Arguments): Promise<number> {
  const rulesets = await withService(args, allRulesets);
  if (args.has("json")) await printText(`${JSON.stringify(rulesets)}\n`);
  else {
    const rows = rulesets.map(({ id, name, purpose, total_rules: total, active_rules: active }) => [
      id,
      name,
      purpose,
      grouped(total),
      grouped(active),
    ]);
    await printText(
      `${columnLines([["id", "name", "purpose", "rules", "active"], ...rows], new Set([3, 4]), styleFor(process.stdout)).join("\n")}\n`,
    );
  }
  return rulesets.length > 0 ? EXIT.matched : EXIT.nothing;
}
