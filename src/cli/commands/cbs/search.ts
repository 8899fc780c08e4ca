import { SOURCES } from "../../../cbs/importers/sources.ts";
import type { CatalogueNode } from "../../../cbs/catalogue.ts";
import { SearchIndex } from "../../../cbs/search.ts";
import { AS_OF_OPTION, chosenMoment, chosenSnapshot } from "../../snapshots/catalogue-history.ts";
import { openCatalogue } from "../../../datasets/open-catalogue.ts";
import { SNAPSHOT_OPTION } from "../../snapshots/catalogue-tree.ts";
import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { standardError } from "../../output/standard-error.ts";
import { styleFor } from "../../output/style.ts";
import { wholeNumber } from "../../runner/parse-arguments.ts";

const MAX_RESULTS = 100_000;

export const searchCommand: Command = {
  name: "cbs search",
  summary: "find catalogue nodes by name, or by an address they contain",
  operands: "TEXT...",
  operandWords: [],
  options: [
    { name: "limit", value: "N", help: "show at most N nodes; default: 20" },
    { name: "type", value: "TYPE", help: "only nodes of this type, such as cloud" },
    { name: "json", help: "print one JSON document per line" },
    SNAPSHOT_OPTION,
    AS_OF_OPTION,
  ],
  notes: [
    "TEXT is one or more words from names and ids, or their beginnings, in any order; a word that matches nothing is searched again with a typo allowed. An address or prefix finds the nodes it belongs to. The best matches come first. Exit code: 0 if a node was found, 1 if none was, 2 for a malformed address.",
  ],
  examples: [
    { command: "ipsieve cbs search amazon", what: "everything with that name" },
    { command: "ipsieve cbs search cloudflre", what: "with a typo" },
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
  const width = Math.max(...found.map(({ id }) => id.length));
  const lines = found.map((node) =>
    args.has("json")
      ? JSON.stringify(node)
      : node.label === node.id
        ? node.id
        : `${node.id.padEnd(width)}  ${style("dim", node.label)}`,
  );
  if (found.length > 0) process.stdout.write(`${lines.join("\n")}\n`);
  return found.length > 0 ? EXIT.matched : EXIT.nothing;
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
