import { formatPrefix } from "../../address/prefix.ts";
import type { CatalogueTree } from "../catalogue-tree.ts";
import { joinedIds, rowsOf } from "./_rows.ts";

/** nginx reads its configuration through a buffer of 4096 bytes and refuses longer words. */
const MOST_BYTES = 4000;

/**
 * The inside of a `geo` block of nginx, to be included in one: `geo $cbs { default ""; include cbs.conf; }`. The variable is then the
 * ids of all nodes of the client's address, with commas between them. nginx takes the most specific prefix only, so that each
 * line carries the nodes of the prefixes around it too. @throws CatalogueError "unexportable" for more ids than nginx can read
 */
export function exportNginx(tree: CatalogueTree): Generator<string> {
  const escape = (id: string): string => id.replace(/["\\]/g, "\\$&");
  return rowsOf(tree, (match) => joinedIds(tree, match, "nginx", MOST_BYTES, escape), (prefix, ids) => `${formatPrefix(prefix)} "${ids}";\n`);
}
