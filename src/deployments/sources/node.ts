import type { CatalogueTree } from "../../cbs/catalogue-tree.ts";
import { listRanges, rangeExpiries } from "../../cbs/ranges.ts";
import { AddressTimes, type EndingPrefix } from "../../sets/address-times.ts";
import type { Capability } from "../../sets/capability.ts";
import { type Gathered, gathering, endSecondOf } from "../gathered.ts";

/**
 * The prefixes of a node of the catalogue and of all below it, as of the catalogue's own moment; with times, an address
 * ends with the last of them that covers it. O(prefixes of the catalogue).
 * @throws CatalogueError "unknown-id"
 */
export function* gatheringNode(
  name: string,
  tree: CatalogueTree,
  id: string,
  isTimed = false,
  expresses?: Capability,
): Generator<undefined, Gathered, undefined> {
  const ranges = yield* listRanges(tree, id);
  const { until } = tree.catalogue.unchangedWithin();
  const gathered = yield* gathering(name, ranges.prefixes(), until, expresses);
  if (!isTimed || until === Infinity) return gathered;
  return { ...gathered, times: yield* AddressTimes.collecting(endsOf(tree, id), "latest") };
}

function* endsOf(tree: CatalogueTree, id: string): Generator<EndingPrefix | undefined> {
  for (const each of rangeExpiries(tree, id)) yield each && { prefix: each.prefix, end: endSecondOf(each.expiresAt) };
}
