import type { Prefix } from "../../address/address.ts";
import { prefixContains } from "../../address/prefix.ts";
import { changeOf, type CtiSearch } from "../../cti/search/cti-search.ts";
import type { Query } from "../../cti/search/query.ts";
import { AddressSet } from "../../sets/address-set.ts";
import type { Capability } from "../../sets/capability.ts";
import { PrefixColumns } from "../_prefix-columns.ts";
import { type Gathered, PrefixTally } from "../gathered.ts";

/** Rows between two interruptions: less than a millisecond. */
const STEP = 256;

/**
 * The addresses whose document a query matches: as with other selections, what lies in a prefix that matches, and has a
 * document of its own that does not, is not listed. Edges and levels are those of `gatheringThreats`; as `ip` and networks
 * differ between prefixes of one match, they are of rows. O(rows).
 */
export function* gatheringSearch(
  name: string,
  search: CtiSearch,
  query: Query,
  now: number,
  expresses?: Capability,
): Generator<undefined, Gathered, undefined> {
  const found = yield* search.finding(query, now);
  const edges: PrefixColumns[] = [];
  const prefixes = new PrefixTally(expresses);
  // The prefixes around the current one, from the outside in.
  const around: { readonly prefix: Prefix; readonly level: number }[] = [];
  for (let row = 0; row < search.rowCount; row++) {
    if (row % STEP === 0) yield;
    const prefix = search.prefixAt(row);
    while (around.length > 0 && !prefixContains(around.at(-1)!.prefix, prefix)) around.pop();
    const outer = around.at(-1)?.level ?? 0;
    const level = outer % 2 === (found.has(row) ? 1 : 0) ? outer : outer + 1;
    around.push({ prefix, level });
    if (level % 2 === 1) prefixes.add(prefix);
    if (level !== outer) (edges[level - 1] ??= new PrefixColumns()).push(prefix);
  }
  let addresses = AddressSet.EMPTY;
  for (const level of edges)
    addresses = yield* addresses.combining("symmetricDifference", yield* AddressSet.collecting(level));
  return { name, addresses, prefixes, until: changeOf(query, now), ...(yield* prefixes.finishing()) };
}
