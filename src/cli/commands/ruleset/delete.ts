import { chosenRuleset } from "../../server/chosen-ruleset.ts";
import { isRulesetFile } from "../../rule-lists/rule-source.ts";
import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { confirm } from "../../runner/confirm.ts";
import { UsageError } from "../../runner/usage-error.ts";
import { counted } from "../../../words/numbers.ts";
import { oneLine } from "../../runner/one-line.ts";
import { printText } from "../../runner/standard-output.ts";
import { sourcesIn } from "../../address-sets/server-source.ts";
import { CONNECTION_OPTIONS, KEY_NOTE, ServiceConnection } from "../../server/service-connection.ts";

export const deleteCommand: Command = {
  name: "ruleset delete",
  summary: "delete a ruleset on a server, with its rules, after confirmation",
  operands: "RULESET",
  operandWords: [],
  options: [{ name: "yes", help: "delete it without asking" }, ...CONNECTION_OPTIONS],
  notes: [
    "RULESET is the name or the id of a ruleset. Deployments that include it are named first: they keep the list that they have published, and publish no other until the ruleset is taken out of them.",
    "It can be undone in the dashboard for as long as the change is kept.",
    KEY_NOTE,
    "Exit code: 0 if it was deleted, 1 if you did not agree, 2 after an error.",
  ],
  examples: [{ command: "ipsieve ruleset delete Outdated", what: "asks first" }],
  run,
};

async function run(args: Arguments): Promise<number> {
  const operand = args.operands[0]!;
  if (isRulesetFile(operand)) throw new UsageError(`${operand} is a file; delete it as any other file`);
  const connection = new ServiceConnection(args);
  const { id, name, total_rules: rules } = await connection.use((client) => chosenRuleset(client, operand));
  const users = await connection.use(async (client) => {
    const found: string[] = [];
    for await (const deployment of client.deployments())
      if (sourcesIn(deployment).some((source) => source.ruleset === id)) found.push(deployment.name);
    return found;
  });
  const used =
    users.length === 0 ? "no deployment uses it" : `used by ${users.map((each) => JSON.stringify(each)).join(", ")}`;
  const question = `Delete ${JSON.stringify(name)} with ${counted(rules, "rule")}, ${used}?`;
  if (!args.has("yes") && !(await confirm(question, "--yes"))) return EXIT.nothing;
  await connection.use((client) =>
    client.delete("/v1/edl/ip-rulesets/{ruleset_id}", { params: { path: { ruleset_id: id } } }),
  );
  await printText(`${oneLine(name)}: deleted\n`);
  return EXIT.matched;
}
