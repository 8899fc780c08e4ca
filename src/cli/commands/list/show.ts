import { chosenList, LIST_NOTE } from "../../external-lists/chosen-list.ts";
import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { listCard } from "../../external-lists/list-card.ts";
import { printText } from "../../runner/standard-output.ts";
import { styleFor } from "../../output/style.ts";
import { CONNECTION_OPTIONS, KEY_NOTE, ServiceConnection } from "../../server/service-connection.ts";

export const showCommand: Command = {
  name: "list show",
  summary: "show an external list: its state, why a fetch was refused, and how it changed last",
  operands: "LIST",
  operandWords: [],
  options: [{ name: "json", help: "print one JSON document" }, ...CONNECTION_OPTIONS],
  notes: [
    LIST_NOTE,
    KEY_NOTE,
    "Exit code: 0 if the latest fetch was good, 1 if it was not or there was none yet, 2 after an error.",
  ],
  examples: [{ command: "ipsieve list show drop", what: "why was it refused?" }],
  run,
};

async function run(args: Arguments): Promise<number> {
  const list = await new ServiceConnection(args).use((client) => chosenList(client, args.operands[0]!));
  await printText(args.has("json") ? `${JSON.stringify(list)}\n` : listCard(list, styleFor(process.stdout)));
  return list.state === "ok" ? EXIT.matched : EXIT.nothing;
}
