import {
  browse,
  type ChildDocument,
  type ListFilter,
  type ListItem,
  listProviders,
  listRegions,
  listServices,
  type NodeDocument,
} from "../../../cbs/browse.ts";
import type { CatalogueTree, Extent } from "../../../cbs/catalogue-tree.ts";
import { AS_OF_OPTION, chosenMoment, chosenSnapshot } from "../../snapshots/catalogue-history.ts";
import { openTree, SNAPSHOT_OPTION, withIds } from "../../snapshots/catalogue-tree.ts";
import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { columnLines } from "../../output/columns.ts";
import { counted, grouped } from "../../../words/numbers.ts";
import { type Style, styleFor } from "../../output/style.ts";
import { UsageError } from "../../runner/usage-error.ts";

const LISTS = { providers: listProviders, services: listServices, regions: listRegions } as const;
const FILTERS = ["type", "provider", "service", "region"] as const;

export const browseCommand: Command = {
  name: "cbs browse",
  summary: "show a catalogue node, what it holds, and its child nodes",
  operands: "[ID]",
  operandWords: [],
  options: [
    {
      name: "list",
      value: "WHAT",
      choices: Object.keys(LISTS),
      help: "show a flat list of providers, services or regions instead of a node",
    },
    { name: "type", value: "TYPE", help: "with --list: only those of this type, such as cloud" },
    { name: "provider", value: "NAME", help: "with --list: only those of this provider, such as aws" },
    { name: "service", value: "NAME", help: "with --list: only those with this service" },
    { name: "region", value: "NAME", help: "with --list: only those in this region" },
    { name: "json", help: "print one JSON document; for a list, one per line" },
    SNAPSHOT_OPTION,
    AS_OF_OPTION,
  ],
  notes: [
    "Without ID, the root is shown. A node holds its own prefixes and those of all its descendants, each counted once; an address that several of them cover is also counted once. Exit code: 0 if something was shown, 1 if a list is empty, 2 if no node has this ID.",
  ],
  examples: [
    { command: "ipsieve cbs browse", what: "the types" },
    { command: "ipsieve cbs browse /cloud/aws", what: "a provider" },
    { command: "ipsieve cbs browse --list providers --type cdn", what: "all CDNs" },
  ],
  run,
};

async function run(args: Arguments): Promise<number> {
  const list = args.value("list") as keyof typeof LISTS | undefined;
  const [id] = args.operands;
  if (list !== undefined && id !== undefined)
    throw new UsageError(`--list and the id ${id} cannot be combined; give --provider or another filter`);
  const filter = FILTERS.find((name) => args.has(name));
  if (list === undefined && filter !== undefined)
    throw new UsageError(`--${filter} is for lists; add --list ${Object.keys(LISTS).join("|")}`);
  const tree = await openTree(await chosenSnapshot(args), chosenMoment(args));
  return list === undefined ? printNode(tree, id, args) : printList(LISTS[list](tree, filterOf(args)), args);
}

function filterOf(args: Arguments): ListFilter {
  return Object.fromEntries(FILTERS.map((name) => [name, args.value(name)]));
}

function printNode(tree: CatalogueTree, id: string | undefined, args: Arguments): number {
  const node = withIds(tree, () => browse(tree, id));
  process.stdout.write(args.has("json") ? `${JSON.stringify(node)}\n` : nodeText(node, styleFor(process.stdout)));
  return EXIT.matched;
}

function nodeText(node: NodeDocument, style: Style): string {
  const head = node.id === null ? node.name : node.label;
  const id = node.id === null || node.id === head ? "" : `  ${style("dim", node.id)}`;
  const lines = [style("bold", head) + id, `  ${extentText(node)}`];
  if (node.children.length > 0) lines.push("", ...childLines(node.children, style));
  return `${lines.join("\n")}\n`;
}

export function extentText({ ipv4_count, ipv6_count, ipv4_addresses }: Extent): string {
  return [
    counted(ipv4_count, "IPv4 prefix", "IPv4 prefixes"),
    counted(ipv6_count, "IPv6 prefix", "IPv6 prefixes"),
    counted(ipv4_addresses, "IPv4 address", "IPv4 addresses"),
  ].join(", ");
}

function childLines(children: readonly ChildDocument[], style: Style): string[] {
  const rows = children.map((child) => [child.id, child.name, ...extentCells(child)]);
  return columnLines([["id", "name", ...EXTENT_HEAD], ...rows], EXTENT_COLUMNS, style);
}

/** For tables whose first two columns are text. */
export const EXTENT_HEAD = ["IPv4", "IPv6", "IPv4 addresses"];
export const EXTENT_COLUMNS: ReadonlySet<number> = new Set([2, 3, 4]);

export function extentCells({ ipv4_count, ipv6_count, ipv4_addresses }: Extent): string[] {
  return [grouped(ipv4_count), grouped(ipv6_count), grouped(ipv4_addresses)];
}

function printList(items: readonly ListItem[], args: Arguments): number {
  const rows = items.map((item) => [item.id, item.name, ...extentCells(item)]);
  const lines = args.has("json")
    ? items.map((item) => JSON.stringify(item))
    : columnLines([["id", "name", ...EXTENT_HEAD], ...rows], EXTENT_COLUMNS, styleFor(process.stdout));
  if (items.length > 0) process.stdout.write(`${lines.join("\n")}\n`);
  return items.length > 0 ? EXIT.matched : EXIT.nothing;
}
