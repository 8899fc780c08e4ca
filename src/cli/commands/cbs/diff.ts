import { type CatalogueDiff, diffCatalogues } from "../../../cbs/diff.ts";
import { openNetworks } from "../../../datasets/open-networks.ts";
import { diffNetworks, type NetworkMove } from "../../../networks/diff-networks.ts";
import { NETWORKS_KIND } from "../../../networks/networks-kind.ts";
import type { Networks } from "../../../networks/networks.ts";
import { readSnapshotHead } from "../../../snapshot/read-head.ts";
import { networkText } from "../../output/network-text.ts";
import { fileOrGeneration } from "../../snapshots/catalogue-history.ts";
import { openTree } from "../../snapshots/catalogue-tree.ts";
import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { columnLines } from "../../output/columns.ts";
import { counted, grouped } from "../../../words/numbers.ts";
import { joined, printChunks } from "../../output/print-chunks.ts";
import { type Style, styleFor } from "../../output/style.ts";

export const diffCommand: Command = {
  name: "cbs diff",
  summary: "compare two catalogues: nodes, prefixes and addresses",
  operands: "OLD NEW",
  options: [
    {
      name: "prefixes",
      help: "print a line for each prefix that a node gained (+) or lost (-) instead of the overview",
    },
    { name: "json", help: "print everything as one JSON document" },
  ],
  notes: [
    "OLD and NEW are files, of two catalogues or of two datasets of networks (whose prefixes moved from one AS number or country to another). A date (until its end, UTC), or a date and time with a zone, stands for the newest catalogue in the update history that was made no later; its name is printed on stderr.",
    "Exit code: 0 if they differ, 1 if they do not, 2 after an error.",
  ],
  examples: [
    { command: "ipsieve cbs diff old.ipsieve new.ipsieve", what: "nodes, and how many prefixes each gained and lost" },
    { command: "ipsieve cbs diff --prefixes old.ipsieve new.ipsieve", what: "the prefixes themselves" },
    { command: "ipsieve cbs diff --prefixes old-networks.ipsieve networks.ipsieve", what: "which prefixes moved" },
    { command: "ipsieve cbs diff 2026-06-30 2026-07-31", what: "what updates changed in July" },
  ],
  run,
};

async function run(args: Arguments): Promise<number> {
  const [old, now] = args.operands as [string, string];
  const head = await readSnapshotHead(old).catch(() => undefined); // what is wrong is reported when it is opened
  if (head?.kind === NETWORKS_KIND) return runNetworks(args, await openNetworks(old), await openNetworks(now));
  const [before, after] = [await openTree(await fileOrGeneration(old)), await openTree(await fileOrGeneration(now))];
  const diff = diffCatalogues(before, after);
  const lines = args.has("json")
    ? [`${JSON.stringify(diff)}\n`]
    : args.has("prefixes")
      ? prefixLines(diff, styleFor(process.stdout))
      : [overview(diff, styleFor(process.stdout))];
  await printChunks(joined(lines));
  const isSame =
    diff.prefixes.length + diff.nodes_added.length + diff.nodes_removed.length + diff.nodes_renamed.length === 0;
  return isSame ? EXIT.nothing : EXIT.matched;
}

async function runNetworks(args: Arguments, before: Networks, after: Networks): Promise<number> {
  const diff = diffNetworks(before, after);
  const style = styleFor(process.stdout);
  const counts = `${counted(diff.prefixes_added, "prefix", "prefixes")} added, ${grouped(diff.prefixes_removed)} removed, ${grouped(diff.prefixes_moved)} moved to other networks or countries\n`;
  const lines = args.has("json")
    ? [`${JSON.stringify(diff)}\n`]
    : args.has("prefixes")
      ? diff.prefixes.values().map((move) => moveLine(move, style))
      : [counts];
  await printChunks(joined(lines));
  return diff.prefixes.length === 0 ? EXIT.nothing : EXIT.matched;
}

function moveLine({ cidr, before, after }: NetworkMove, style: Style): string {
  const [was, is] = [before, after].map((owner) => owner && networkText(owner));
  if (was === null) return `${style("green", `+ ${cidr}\t${is}`)}\n`;
  if (is === null) return `${style("red", `- ${cidr}\t${was}`)}\n`;
  return `${style("yellow", `~ ${cidr}`)}\t${was} -> ${is}\n`;
}

function* prefixLines({ prefixes }: CatalogueDiff, style: Style): Generator<string> {
  for (const { cidr, added, removed } of prefixes) {
    for (const id of removed) yield `${style("red", `- ${cidr}\t${id}`)}\n`;
    for (const id of added) yield `${style("green", `+ ${cidr}\t${id}`)}\n`;
  }
}

function overview(diff: CatalogueDiff, style: Style): string {
  const { before, after } = diff;
  const totals = [
    ["", "before", "after", "change"],
    ...(["ipv4_count", "ipv6_count", "ipv4_addresses"] as const).map((member, i) => [
      ["IPv4 prefixes", "IPv6 prefixes", "IPv4 addresses"][i]!,
      grouped(before[member]),
      grouped(after[member]),
      signed(after[member] - before[member]),
    ]),
  ];
  const lines = [
    ...columnLines(totals, new Set([1, 2, 3]), style),
    `  ${counted(diff.prefixes_added, "prefix", "prefixes")} added, ${grouped(diff.prefixes_removed)} removed, ${grouped(diff.prefixes_moved)} moved to other nodes`,
    ...diff.nodes_removed.map((id) => `  ${style("red", `- ${id}`)}`),
    ...diff.nodes_added.map((id) => `  ${style("green", `+ ${id}`)}`),
    ...diff.nodes_renamed.map(({ id, before, after }) => `  ${style("yellow", `~ ${id}`)}  ${before} -> ${after}`),
  ];
  if (diff.nodes.length > 0) {
    const rows = diff.nodes.map((node) => [
      node.id,
      `+${grouped(node.ipv4_added)} -${grouped(node.ipv4_removed)}`,
      `+${grouped(node.ipv6_added)} -${grouped(node.ipv6_removed)}`,
      signed(node.ipv4_addresses_after - node.ipv4_addresses_before),
    ]);
    lines.push("", ...columnLines([["node", "IPv4", "IPv6", "IPv4 addresses"], ...rows], new Set([1, 2, 3]), style));
  }
  return `${lines.join("\n")}\n`;
}

function signed(value: number): string {
  return value > 0 ? `+${grouped(value)}` : value < 0 ? `-${grouped(-value)}` : "0";
}
