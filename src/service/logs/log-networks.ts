import type { AddressCounts } from "../../batch/engine/address-counts.ts";
import { type NetworkCounts, networkCounts } from "../../networks/lines-by.ts";
import type { NetworkView } from "../datasets/network-view.ts";
import { partsOf, STEP } from "./compare-rulesets.ts";

/** Who announces the addresses of a log, in slices: O(addresses). */
export function* countingNetworks(
  counts: AddressCounts,
  view: NetworkView,
): Generator<undefined, NetworkCounts, undefined> {
  const perMatch = new Float64Array(view.networks.table.matchCount + 1);
  const matches = new Uint32Array(STEP);
  for (const { family, words, lines } of partsOf(counts)) {
    view.lookupInto(family, words, matches, lines.length);
    for (let index = 0; index < lines.length; index++) perMatch[matches[index]!]! += lines[index]!;
    yield;
  }
  return networkCounts(view.networks, perMatch);
}
