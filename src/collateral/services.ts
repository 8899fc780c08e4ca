import { type CatalogueTree, ROOT } from "../cbs/catalogue-tree.ts";
import { listRanges } from "../cbs/ranges.ts";
import { AddressSet } from "../sets/address-set.ts";
import { ANY_LENGTH, makingGroup, NETWORKS, type Protected, type ProtectedGroup } from "./protected.ts";

/** Addresses of subscribers: what lists of attackers are made of. */
const NOT_PROTECTED: ReadonlySet<string> = new Set(["/isp"]);
/** Machines that anyone may rent. */
const RENTED: ReadonlySet<string> = new Set(["/cloud"]);

/**
 * The services of a catalogue that blocklists should not block, each with all that is below its node: those on the
 * second level of the tree, such as `/cdn/cloudflare`, and nodes of the first one that have none below them. Access
 * providers are not among them, and of clouds only whole networks count. O(services x prefixes of the catalogue), a
 * nanosecond each.
 */
export function* protectingServices(tree: CatalogueTree): Generator<undefined, ProtectedGroup[], undefined> {
  const always: Protected[] = [];
  const asNetworks: Protected[] = [];
  for (const top of tree.children(ROOT)) {
    const { id } = tree.node(top);
    if (NOT_PROTECTED.has(id)) continue;
    const below = tree.children(top);
    for (const value of below.length === 0 ? [top] : below)
      (RENTED.has(id) ? asNetworks : always).push(yield* protecting(tree, value));
  }
  return [yield* makingGroup(always, ANY_LENGTH), yield* makingGroup(asNetworks, NETWORKS)];
}

function* protecting(tree: CatalogueTree, value: number): Generator<undefined, Protected, undefined> {
  const { id, name } = tree.node(value);
  const ranges = yield* listRanges(tree, id);
  return { kind: "service", id, name, addresses: yield* AddressSet.collecting(ranges.prefixes()) };
}
