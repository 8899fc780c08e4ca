import { SOURCES } from "../../../cbs/importers/sources.ts";
import type { CatalogueNode } from "../../../cbs/catalogue.ts";
import { isAddressLike, SearchIndex } from "../../../cbs/search.ts";
import { AS_OF_OPTION, chosenMoment, chosenSnapshot } from "../../snapshots/catalogue-history.ts";
import { openCatalogue } from "../../../datasets/open-catalogue.ts";
import { SNAPSHOT_OPTION } from "../../snapshots/catalogue-tree.ts";
import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { type FoundNetwork, searchingNetworks } from "../../../networks/search-networks.ts";
import { oneLine } from "../../runner/one-line.ts";
import { NETWORKS_OPTION, ShownNetworks } from "../../snapshots/chosen-networks.ts";
import { standardError } from "../../runner/standard-error.ts";
import { finished } from "../../../turns/finished.ts";
import { styleFor } from "../../output/style.ts";
import { wholeNumber } from "../../runner/parse-arguments.ts";

const MAX_RESULTS = 100_000;
const DEFAULT_LIMIT = 20;

export const searchCommand: Command = {
  name: "cbs search",
  summary: "find catalogue nodes and networks by name, or nodes by an address they contain",
  operands: "TEXT...",
  operandWords: [],
  options: [
    { name: "limit", value: "N", help: "show at most N nodes; default: 20" },
    { name: "type", value: "TYPE", help: "only nodes of this type, such as cloud" },
    { name: "json", help: "print one JSON document per line" },
    SNAPSHOT_OPTION,
    NETWORKS_OPTION,
    AS_OF_OPTION,
  ],
  notes: [
    "TEXT is one or more words from names and ids, or their beginnings, in any order; a word that matches nothing is searched again with a typo allowed. An address or prefix finds the nodes it belongs to. The best matches come first, then the organisations of networks, as asn:NUMBER; AS15169 finds a number; not with --type. Exit code: 0 if something was found, 1 if none was, 2 for a malformed address.",
  ],
  examples: [
    { command: "ipsieve cbs search amazon", what: "everything with that name" },
    { command: "ipsieve cbs search cloudflre", what: "with a typo" },
    { command: "ipsieve cbs search stanford university", what: "the networks of an organisation" },
    { command: "ipsieve cbs search 1.1.1.1", what: "the nodes of an address" },
  ],
  run,
};

async function run(args: Arguments): Promise<number> {
  const limit = args.has("limit") ? wholeNumber("limit", args.value("limit")!, MAX_RESULTS) : undefined;
  const index = new SearchIndex(await openCatalogue(await chosenSnapshot(args), chosenMoment(args)));
  const text = args.operands.join(" ");
  const found = index.search(text, { limit, type: args.value("type") });
  if (args.value("snapshot") === undefined && args.value("type") === undefined) noteMissingList(text, found);
  const style = styleFor(process.stdout);
  const networks = await foundNetworks(args, text, (limit ?? DEFAULT_LIMIT) - found.length);
  const rows: FoundRow[] = [
    ...found.map((node) => ({ id: node.id, label: node.label, document: node })),
    ...networks.map((network) => ({ id: `asn:${network.asn}`, label: oneLine(network.name), document: network })),
  ];
  const width = Math.max(...rows.map(({ id }) => id.length));
  const lines = rows.map(({ id, label, document }) =>
    args.has("json") ? JSON.stringify(document) : label === id ? id : `${id.padEnd(width)}  ${style("dim", label)}`,
  );
  if (rows.length > 0) process.stdout.write(`${lines.join("\n")}\n`);
  return rows.length > 0 ? EXIT.matched : EXIT.nothing;
}

interface FoundRow {
  readonly id: string;
  readonly label: string;
  readonly document: object;
}

/** Not of an address, whose network lookup shows; and not among nodes of a type. */
async function foundNetworks(args: Arguments, text: string, limit: number): Promise<readonly FoundNetwork[]> {
  if (limit <= 0 || args.has("type") || isAddressLike(text.trim())) return [];
  const { opened } = await ShownNetworks.open(args);
  return opened === null ? [] : finished(searchingNetworks(opened.networks, text, limit)).networks;
}

/** The bundled catalogue has no official lists: a search for one by its name shows how to get it. */
function noteMissingList(text: string, found: readonly CatalogueNode[]): void {
  const source = SOURCES.find(({ id }) => id === text.trim().toLowerCase());
  if (source === undefined) return;
  const node = `/${source.type}/${source.provider}`;
  if (found.some(({ id }) => id === node || id.startsWith(`${node}/`))) return;
  standardError().write(
    `ipsieve: the list "${source.id}" (${node}) is not in this catalogue; "ipsieve cbs update" fetches it\n`,
  );
}
