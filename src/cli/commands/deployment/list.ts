import { allDeployments } from "../../deployments/chosen-deployment.ts";
import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { entriesOf, stateOf } from "../../deployments/deployment-card.ts";
import { columnLines } from "../../output/columns.ts";
import { grouped } from "../../../words/numbers.ts";
import { oneLine } from "../../runner/one-line.ts";
import { printText } from "../../runner/standard-output.ts";
import { styleFor } from "../../output/style.ts";
import { CONNECTION_OPTIONS, KEY_NOTE, ServiceConnection } from "../../server/service-connection.ts";

export const listCommand: Command = {
  name: "deployment list",
  summary: "list the deployments on a server: their state, entries and last pull",
  operands: "",
  options: [{ name: "json", help: "print one JSON document" }, ...CONNECTION_OPTIONS],
  notes: [
    '"refused": the latest list was not published, and devices keep the previous one; "ipsieve deployment show" says why. "not pulled": no device has fetched the list for three intervals.',
    KEY_NOTE,
    "Exit code: 0 if there are deployments, 1 if there are none, 2 after an error.",
  ],
  examples: [{ command: "ipsieve deployment list --server https://lists.example.org --key-file key.txt", what: "all" }],
  run,
};

async function run(args: Arguments): Promise<number> {
  const deployments = await new ServiceConnection(args).use(allDeployments);
  if (args.has("json")) await printText(`${JSON.stringify(deployments)}\n`);
  else {
    const rows = deployments.map((each) => [
      each.id,
      oneLine(each.name),
      each.firewall_format,
      stateOf(each),
      grouped(entriesOf(each)),
      each.last_accessed ?? "never",
    ]);
    const head = ["id", "name", "format", "state", "entries", "last pull"];
    await printText(`${columnLines([head, ...rows], new Set([4]), styleFor(process.stdout)).join("\n")}\n`);
  }
  return deployments.length > 0 ? EXIT.matched : EXIT.nothing;
}
