import { listProviders } from "../../../cbs/browse.ts";
import { catalogueStats } from "../../../cbs/stats.ts";
import { AS_OF_OPTION, chosenMoment, chosenSnapshot } from "../../snapshots/catalogue-history.ts";
import { openTree, SNAPSHOT_OPTION } from "../../snapshots/catalogue-tree.ts";
import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { columnLines } from "../../output/columns.ts";
import { counted } from "../../../words/numbers.ts";
import { styleFor } from "../../output/style.ts";
import { EXTENT_COLUMNS, EXTENT_HEAD, extentCells, extentText } from "./browse.ts";

const PROVIDERS_SHOWN = 15;

export const statsCommand: Command = {
  name: "cbs stats",
  summary: "count what the catalogue holds, by type and provider",
  operands: "",
  options: [{ name: "json", help: "print one JSON document, with all providers" }, SNAPSHOT_OPTION, AS_OF_OPTION],
  notes: ["Each prefix, and each address, counts once for every type and provider it belongs to."],
  examples: [{ command: "ipsieve cbs stats --snapshot ours.ipsieve", what: "of a catalogue of your own" }],
  run,
};

async function run(args: Arguments): Promise<number> {
  const tree = await openTree(await chosenSnapshot(args), chosenMoment(args));
  const stats = catalogueStats(tree);
  const providers = listProviders(tree);
  if (args.has("json")) {
    process.stdout.write(`${JSON.stringify({ ...stats, providers })}\n`);
    return EXIT.matched;
  }
  const style = styleFor(process.stdout);
  const largest = [...providers].sort((a, b) => b.ipv4_addresses - a.ipv4_addresses).slice(0, PROVIDERS_SHOWN);
  const rows = [
    ["type", "nodes", ...EXTENT_HEAD],
    ...stats.types.map((item) => [item.name, String(item.nodes), ...extentCells(item)]),
    ["", "", "", "", ""],
    [counted(providers.length, "provider"), "", "", "", ""],
    ...largest.map((item) => [item.provider_name, "", ...extentCells(item)]),
  ];
  const more = providers.length - largest.length;
  process.stdout.write(
    [
      style("bold", stats.title),
      `  made ${stats.created_at}; ${counted(stats.nodes, "node")}, ${counted(stats.sources, "source")}`,
      `  ${extentText(stats)}`,
      "",
      ...columnLines(rows, new Set([1, ...EXTENT_COLUMNS]), style).map((line) => line.trimEnd()),
      ...(more > 0 ? [style("dim", `  and ${counted(more, "more provider")}`)] : []),
      "",
    ].join("\n"),
  );
  return EXIT.matched;
}
