import { LIST_FIELDS } from "../../../service/lists/list-fields.ts";
import { chosenList, LIST_NOTE, rejectTakenList } from "../../external-lists/chosen-list.ts";
import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { fieldOptions, fieldValues } from "../../options/field-options.ts";
import { oneLine } from "../../runner/one-line.ts";
import { printText } from "../../runner/standard-output.ts";
import { CONNECTION_OPTIONS, KEY_NOTE, ServiceConnection } from "../../server/service-connection.ts";
import { UsageError } from "../../runner/usage-error.ts";

export const updateCommand: Command = {
  name: "list update",
  summary: "change an external list: only what is given",
  operands: "LIST",
  operandWords: [],
  options: [{ name: "name", value: "NAME", help: "a new name" }, ...fieldOptions(LIST_FIELDS), ...CONNECTION_OPTIONS],
  notes: [LIST_NOTE, KEY_NOTE, "Exit code: 0 if the list is now as given, 2 after an error."],
  examples: [{ command: "ipsieve list update drop --schedule 15m", what: "fetch it more often" }],
  run,
};

async function run(args: Arguments): Promise<number> {
  const body = {
    ...fieldValues(LIST_FIELDS, args),
    ...(args.has("name") && { name: args.value("name")! }),
  };
  if (Object.keys(body).length === 0)
    throw new UsageError('say what to change; "ipsieve help list update" lists the options');
  const { name } = await new ServiceConnection(args).use(async (client) => {
    const { id } = await chosenList(client, args.operands[0]!);
    if (body.name !== undefined) await rejectTakenList(client, body.name, id);
    return client.patch("/v1/edl/lists/{list_id}", { params: { path: { list_id: id } }, body });
  });
  await printText(`${oneLine(name)}: changed\n`);
  return EXIT.matched;
}
