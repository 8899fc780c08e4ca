import type { CatalogueTree } from "../../cbs/catalogue-tree.ts";
import { listRanges } from "../../cbs/ranges.ts";
import { type Gathered, gathering } from "../gathered.ts";

/**
 * The prefixes of a node of the catalogue and of all below it, as of the catalogue's own moment. O(prefixes of the
 * catalogue).
 * @throws CatalogueError "unknown-id"
 */
export function* gatheringNode(
  name: string,
  tree: CatalogueTree,
  id: string,
): Generator<undefined, Gathered, undefined> {
  const ranges = yield* listRanges(tree, id);
  return yield* gathering(name, ranges.prefixes(), tree.catalogue.unchangedWithin().until);
}
