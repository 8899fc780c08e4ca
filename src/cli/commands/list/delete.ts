import { chosenList, LIST_NOTE } from "../../external-lists/chosen-list.ts";
import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { confirm } from "../../runner/confirm.ts";
import { oneLine } from "../../runner/one-line.ts";
import { printText } from "../../runner/standard-output.ts";
import { CONNECTION_OPTIONS, KEY_NOTE, ServiceConnection } from "../../server/service-connection.ts";

export const deleteCommand: Command = {
  name: "list delete",
  summary: "delete an external list after confirmation",
  operands: "LIST",
  operandWords: [],
  options: [{ name: "yes", help: "delete it without asking" }, ...CONNECTION_OPTIONS],
  notes: [
    LIST_NOTE,
    "Deployments that use it keep the lists they have published, and are not updated until it is removed from their sources.",
    KEY_NOTE,
    "Exit code: 0 if it was deleted, 1 if you did not agree, 2 after an error.",
  ],
  examples: [{ command: "ipsieve list delete drop", what: "asks first" }],
  run,
};

async function run(args: Arguments): Promise<number> {
  const connection = new ServiceConnection(args);
  const { id, name } = await connection.use((client) => chosenList(client, args.operands[0]!));
  if (!args.has("yes") && !(await confirm(`Delete the external list ${JSON.stringify(name)}?`, "--yes")))
    return EXIT.nothing;
  await connection.use((client) => client.delete("/v1/edl/lists/{list_id}", { params: { path: { list_id: id } } }));
  await printText(`${oneLine(name)}: deleted\n`);
  return EXIT.matched;
}
