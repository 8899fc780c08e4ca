import { LIST_FIELDS } from "../../../service/lists/list-fields.ts";
import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { rejectTakenList } from "../../external-lists/chosen-list.ts";
import { fieldOptions, fieldValues } from "../../options/field-options.ts";
import { printText } from "../../runner/standard-output.ts";
import { CONNECTION_OPTIONS, KEY_NOTE, ServiceConnection } from "../../server/service-connection.ts";

export const createCommand: Command = {
  name: "list create",
  summary: "have a server fetch a list that others publish, on a schedule",
  operands: "NAME URL",
  operandWords: [],
  options: [...fieldOptions(LIST_FIELDS, ["url", "active"]), ...CONNECTION_OPTIONS],
  notes: [
    "Prints the id. The list is fetched within seconds, and checked before it is used. Deployments include it as list:NAME. Admins set credentials for the URL in the dashboard.",
    KEY_NOTE,
    "Exit code: 0 if the list was created, 2 if not.",
  ],
  examples: [{ command: "ipsieve list create drop https://feeds.example.net/drop.txt --schedule 6h", what: "new" }],
  run,
};

async function run(args: Arguments): Promise<number> {
  const [name, url] = args.operands as [string, string];
  const body = { ...fieldValues(LIST_FIELDS, args), name, url };
  const { id } = await new ServiceConnection(args).use(async (client) => {
    await rejectTakenList(client, name);
    return client.post("/v1/edl/lists/", { body });
  });
  await printText(`${id}\n`);
  return EXIT.matched;
}
