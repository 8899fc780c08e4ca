import { formatPrefix } from "../../address/prefix.ts";
import type { CatalogueTree } from "../catalogue-tree.ts";
import { needsIpv4Stop, rowsOf } from "./_rows.ts";

/**
 * A map file of HAProxy, for `src,map_ip(cbs.map,-)`: the ids of all nodes of the address, with commas between them. HAProxy takes the
 * most specific prefix only, so that each line carries the nodes of the prefixes around it too.
 */
export function* exportHaproxy(tree: CatalogueTree): Generator<string> {
  if (needsIpv4Stop(tree)) yield "0.0.0.0/0 -\n";
  yield* rowsOf(tree, (match) => tree.catalogue.nodesOf(match).map(({ id }) => id).join(","), (prefix, ids) => `${formatPrefix(prefix)} ${ids}\n`);
}
