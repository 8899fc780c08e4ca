import { formatPrefix } from "../../address/prefix.ts";
import { CatalogueError } from "../catalogue-error.ts";
import type { CatalogueTree } from "../catalogue-tree.ts";
import { rowsOf } from "./_rows.ts";

/** nginx reads its configuration through a buffer of 4096 bytes and refuses longer words. */
const MOST_BYTES = 4000;

/**
 * The inside of a `geo` block of nginx, to be included in one: `geo $cbs { default ""; include cbs.conf; }`. The variable is then the
 * ids of all nodes of the client's address, with commas between them. nginx takes the most specific prefix only, so that each
 * line carries the nodes of the prefixes around it too. @throws CatalogueError "unexportable" for more ids than nginx can read
 */
export function exportNginx(tree: CatalogueTree): Generator<string> {
  return rowsOf(tree, (match) => quoted(tree, match), (prefix, value) => `${formatPrefix(prefix)} ${value};\n`);
}

function quoted(tree: CatalogueTree, match: number): string {
  const ids = tree.catalogue.nodesOf(match).map(({ id }) => id.replace(/["\\]/g, "\\$&")).join(",");
  const { length } = new TextEncoder().encode(ids);
  if (length <= MOST_BYTES) return `"${ids}"`;
  throw new CatalogueError("unexportable", ids, `nginx reads words of up to ${MOST_BYTES} bytes, and one prefix has nodes whose ids take ${length}: ${ids.slice(0, 80)}...; choose another format`);
}
