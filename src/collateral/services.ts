import { type CatalogueTree, ROOT } from "../cbs/catalogue-tree.ts";
import { listRangesOf } from "../cbs/ranges.ts";
import { AddressSet } from "../sets/address-set.ts";
import { classOf, type NodeClass, type ProtectedClass } from "./node-classes.ts";
import { ANY_LENGTH, makingGroup, NETWORKS, type Protected, type ProtectedGroup } from "./protected.ts";

/** Of which classes the services are protected, and from which widths; the others are not. */
const PROTECTED: readonly (readonly [ProtectedClass, ProtectedGroup["longest"]])[] = [
  ["serving", ANY_LENGTH],
  ["rented", NETWORKS],
];
/** What people block on purpose, even inside what is protected. */
const NOT_PROTECTED: ReadonlySet<NodeClass> = new Set(["anonymiser", "scanner"]);

/**
 * The services of a catalogue that blocklists should not block, each with what is below its node and of its class
 * (`classOf`): those on the second level of the tree, such as `/cdn/cloudflare`, and nodes of the first one that have none
 * below them. O(services x prefixes of the catalogue), a nanosecond each.
 */
export function* protectingServices(tree: CatalogueTree): Generator<undefined, ProtectedGroup[], undefined> {
  const except = yield* addressesOf(tree, ofClasses(tree, ROOT, NOT_PROTECTED));
  const groups: ProtectedGroup[] = [];
  for (const [wanted, longest] of PROTECTED) {
    const members: Protected[] = [];
    for (const value of servicesOf(tree)) {
      const nodes = ofClasses(tree, value, new Set([wanted]));
      if (!nodes.includes(1)) continue;
      const { id, name } = tree.node(value);
      const all = yield* addressesOf(tree, nodes);
      const addresses = yield* all.combining("difference", except);
      if (!addresses.isEmpty) members.push({ kind: "service", id, name, class: wanted, addresses });
    }
    groups.push(yield* makingGroup(members, longest));
  }
  return groups;
}

/** By number, whether a node is this one or below it, and of one of the classes. */
function ofClasses(tree: CatalogueTree, value: number, classes: ReadonlySet<NodeClass>): Uint8Array {
  const nodes = tree.below(value);
  for (let at = nodes.indexOf(1); at >= 0; at = nodes.indexOf(1, at + 1))
    if (at === ROOT || !classes.has(classOf(tree.node(at).id))) nodes[at] = 0;
  return nodes;
}

function servicesOf(tree: CatalogueTree): number[] {
  return tree.children(ROOT).flatMap((top) => {
    const below = tree.children(top);
    return below.length === 0 ? [top] : [...below];
  });
}

function* addressesOf(tree: CatalogueTree, nodes: Uint8Array): Generator<undefined, AddressSet, undefined> {
  const ranges = yield* listRangesOf(tree, nodes);
  return yield* AddressSet.collecting(ranges.prefixes());
}
