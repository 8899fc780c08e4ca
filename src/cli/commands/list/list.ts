import { allLists } from "../../external-lists/chosen-list.ts";
import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { columnLines } from "../../output/columns.ts";
import { grouped } from "../../../words/numbers.ts";
import { oneLine } from "../../runner/one-line.ts";
import { printText } from "../../runner/standard-output.ts";
import { styleFor } from "../../output/style.ts";
import { CONNECTION_OPTIONS, KEY_NOTE, ServiceConnection } from "../../server/service-connection.ts";

export const listCommand: Command = {
  name: "list list",
  summary: "list the external lists of a server: their state, entries, and when they changed",
  operands: "",
  options: [{ name: "json", help: "print one JSON document" }, ...CONNECTION_OPTIONS],
  notes: [
    '"failed": the latest fetch failed; "refused": the fetched list was not accepted. The last good content stays in use; "ipsieve list show" says why.',
    KEY_NOTE,
    "Exit code: 0 if there are external lists, 1 if there are none, 2 after an error.",
  ],
  examples: [{ command: "ipsieve list list", what: "all" }],
  run,
};

async function run(args: Arguments): Promise<number> {
  const lists = await new ServiceConnection(args).use(allLists);
  if (args.has("json")) await printText(`${JSON.stringify(lists)}\n`);
  else {
    const rows = lists.map(({ id, name, state, ipv4_entries_count: four, ipv6_entries_count: six, changed_at: at }) => {
      return [id, oneLine(name), state, grouped(four + six), at ?? "never"];
    });
    const head = ["id", "name", "state", "entries", "changed"];
    await printText(`${columnLines([head, ...rows], new Set([3]), styleFor(process.stdout)).join("\n")}\n`);
  }
  return lists.length > 0 ? EXIT.matched : EXIT.nothing;
}
