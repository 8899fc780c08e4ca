import { formatPrefix } from "../../address/prefix.ts";
import type { CatalogueTree } from "../catalogue-tree.ts";
import { rowsOf, setsOf } from "./_rows.ts";

/**
 * A JSON document per line for every prefix, with the nodes that lists name for it: `{cidr, cbs_ids, labels, providers,
 * types, services, regions}`.
 */
export function exportJsonl(tree: CatalogueTree): Generator<string> {
  const restOf = (match: number): string => JSON.stringify(setsOf(tree.catalogue.ownNodesOf(match))).slice(1);
  return rowsOf(tree, restOf, (prefix, rest) => `{"cidr":"${formatPrefix(prefix)}",${rest}\n`);
}
