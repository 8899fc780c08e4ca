import { formatPrefix, parsePrefix } from "../../address/prefix.ts";
import { CatalogueError } from "../catalogue-error.ts";
import type { CatalogueTree } from "../catalogue-tree.ts";
import { needsIpv4Stop, rowsOf } from "./_rows.ts";

/** HAProxy reads a map through a buffer of 16384 bytes, and takes what follows for another line. */
const MOST_BYTES = 16_000;

/**
 * IPv6 addresses without an answer that HAProxy looks up again as the IPv4 address inside: IPv4-compatible ones and
 * 6to4.
 */
const UNWRAPPED = ["::/96", "2002::/16"];

/**
 * A map file of HAProxy, for `src,map_ip(cbs.map,-)`: the ids of all nodes of the address, with commas between them.
 * HAProxy takes the most specific prefix only, so that each line carries the nodes of the prefixes around it too. Lines
 * with `-` say that there are none.
 * @throws CatalogueError "unexportable" for more ids than HAProxy can read
 */
export function* exportHaproxy(tree: CatalogueTree): Generator<string> {
  if (needsIpv4Stop(tree)) yield "0.0.0.0/0 -\n";
  for (const text of UNWRAPPED) if (tree.catalogue.table.lookupPrefix(parsePrefix(text)) === 0) yield `${text} -\n`;
  yield* rowsOf(
    tree,
    (match) => joinedIds(tree, match),
    (prefix, ids) => `${formatPrefix(prefix)} ${ids}\n`,
  );
}

function joinedIds({ catalogue }: CatalogueTree, match: number): string {
  const ids = catalogue
    .nodesOf(match)
    .map(({ id }) => id)
    .join(",");
  const { length } = new TextEncoder().encode(ids);
  if (length <= MOST_BYTES) return ids;
  const problem = `HAProxy reads values of up to ${MOST_BYTES} bytes, and one prefix has nodes whose ids take ${length}: ${ids.slice(0, 80)}...; choose another format`;
  throw new CatalogueError("unexportable", ids, problem);
}
