import { chosenList, LIST_NOTE } from "../../external-lists/chosen-list.ts";
import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { listCard } from "../../external-lists/list-card.ts";
import { printText } from "../../runner/standard-output.ts";
import { styleFor } from "../../output/style.ts";
import { CONNECTION_OPTIONS, KEY_NOTE, ServiceConnection } from "../../server/service-connection.ts";
import { UsageError } from "../../runner/usage-error.ts";

export const fetchCommand: Command = {
  name: "list fetch",
  summary: "fetch an external list now, and show the outcome",
  operands: "LIST",
  operandWords: [],
  options: [
    { name: "accept", help: "accept the content that was refused because it had changed too much" },
    { name: "json", help: "print one JSON document" },
    ...CONNECTION_OPTIONS,
  ],
  notes: [
    LIST_NOTE,
    'With --accept, only the content that was refused is accepted: if the URL now has other content, that is checked again. "ipsieve list show" says why it was refused.',
    KEY_NOTE,
    "Exit code: 0 if the fetch was good, 1 if it failed or was refused, 2 after an error.",
  ],
  examples: [
    { command: "ipsieve list fetch drop", what: "now, not on its schedule" },
    { command: "ipsieve list fetch drop --accept", what: "the change is right" },
  ],
  run,
};

async function run(args: Arguments): Promise<number> {
  const list = await new ServiceConnection(args).use(async (client) => {
    const { id, problem } = await chosenList(client, args.operands[0]!);
    const digest = problem?.digest ?? null;
    if (args.has("accept") && digest === null)
      throw new UsageError("--accept: the list has no refused content to accept; leave it out");
    const body = args.has("accept") ? { accept: digest! } : {};
    return client.post("/v1/edl/lists/{list_id}:refresh", { params: { path: { list_id: id } }, body });
  });
  await printText(args.has("json") ? `${JSON.stringify(list)}\n` : listCard(list, styleFor(process.stdout)));
  return list.state === "ok" ? EXIT.matched : EXIT.nothing;
}
