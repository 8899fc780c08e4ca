import { type CatalogueTree, ROOT } from "../cbs/catalogue-tree.ts";
import { listRangesOf } from "../cbs/ranges.ts";
import { AddressSet } from "../sets/address-set.ts";
import { classOf, GUARDED_CLASSES, NODE_CLASSES, type NodeClass } from "./node-classes.ts";
import { ANY_LENGTH, makingGroup, NETWORKS, type Protected, type ProtectedGroup } from "./protected.ts";

/** From which widths the services of a class are protected. */
const WIDTHS: Readonly<Record<NodeClass, ProtectedGroup["longest"]>> = {
  serving: ANY_LENGTH,
  rented: NETWORKS,
  anonymiser: ANY_LENGTH,
  scanner: ANY_LENGTH,
  access: NETWORKS,
};
/** What people block on purpose, even inside what is protected, unless it is protected itself. */
const NAMED_ONLY: readonly NodeClass[] = ["anonymiser", "scanner"];

/** Those of `NAMED_ONLY` that guards of these classes let through. */
export function letThrough(classes: readonly NodeClass[]): NodeClass[] {
  return NAMED_ONLY.filter((each) => !classes.includes(each));
}

/**
 * The services of a catalogue that blocklists should not block, by class. O(services x prefixes of the catalogue) for
 * each class, a nanosecond each.
 */
export function* protectingServices(
  tree: CatalogueTree,
  classes: readonly NodeClass[] = GUARDED_CLASSES,
): Generator<undefined, ProtectedGroup[], undefined> {
  const groups: ProtectedGroup[] = [];
  for (const each of NODE_CLASSES.filter((one) => classes.includes(one)))
    groups.push(yield* protectingClass(tree, each, letThrough(classes)));
  return groups;
}

/**
 * The services of one class without the addresses of others, each with what is below its node and of the class
 * (`classOf`): those on the second level of the tree, such as `/cdn/cloudflare`, and nodes of the first one that have none
 * below them.
 */
export function* protectingClass(
  tree: CatalogueTree,
  wanted: NodeClass,
  others: readonly NodeClass[],
): Generator<undefined, ProtectedGroup, undefined> {
  const except = yield* addressesOf(tree, ofClasses(tree, ROOT, others));
  const members: Protected[] = [];
  for (const value of servicesOf(tree)) {
    const nodes = ofClasses(tree, value, [wanted]);
    if (!nodes.includes(1)) continue;
    const { id, name } = tree.node(value);
    const all = yield* addressesOf(tree, nodes);
    const addresses = yield* all.combining("difference", except);
    if (!addresses.isEmpty) members.push({ kind: "service", id, name, class: wanted, addresses });
  }
  return yield* makingGroup(members, WIDTHS[wanted]);
}

/** By number, whether a node is this one or below it, and of one of the classes. */
function ofClasses(tree: CatalogueTree, value: number, classes: readonly NodeClass[]): Uint8Array {
  const nodes = tree.below(value);
  for (let at = nodes.indexOf(1); at >= 0; at = nodes.indexOf(1, at + 1))
    if (at === ROOT || !classes.includes(classOf(tree.node(at).id))) nodes[at] = 0;
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
