import type { Prefix } from "../address/address.ts";
import { comparePrefixes, formatPrefix } from "../address/prefix.ts";
import type { InParts } from "./in-parts.ts";
import { finished } from "../turns/finished.ts";
import { compareTexts } from "./_node-id.ts";
import { prefixAt } from "./_prefix-list.ts";
import { type CatalogueTree, type Extent, ROOT } from "./catalogue-tree.ts";
import type { MatchId } from "../table/match-id.ts";

/** How the prefixes that lists name for one node changed, without those of the nodes below it. */
export interface NodeChange {
  readonly id: string;
  readonly ipv4_added: number;
  readonly ipv4_removed: number;
  readonly ipv6_added: number;
  readonly ipv6_removed: number;
  /** IPv4 addresses of the node and all nodes below it; 0 if there is no such node. */
  readonly ipv4_addresses_before: number;
  readonly ipv4_addresses_after: number;
}

/** A prefix that has other nodes in one catalogue than in the other. */
export interface PrefixChange {
  readonly cidr: string;
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** What changed between two catalogues: their sizes, the nodes, by id, and the prefixes. */
export interface CatalogueDiff {
  readonly before: Extent;
  readonly after: Extent;
  readonly nodes_added: readonly string[];
  readonly nodes_removed: readonly string[];
  readonly nodes_renamed: readonly { readonly id: string; readonly before: string; readonly after: string }[];
  /** Prefixes that only one of them has, and prefixes that both have, but for other nodes. */
  readonly prefixes_added: number;
  readonly prefixes_removed: number;
  readonly prefixes_moved: number;
  /** Each node with prefixes added or removed, by id. */
  readonly nodes: readonly NodeChange[];
  /** Each prefix with other nodes than before, by address. */
  readonly prefixes: readonly PrefixChange[];
}

/** The changes that turn one catalogue into the other. O(prefixes + nodes log nodes). */
export function diffCatalogues(before: CatalogueTree, after: CatalogueTree): CatalogueDiff {
  return finished(diffingCatalogues(before, after));
}

/** As `diffCatalogues`, in parts. */
export function* diffingCatalogues(before: CatalogueTree, after: CatalogueTree): InParts<CatalogueDiff> {
  const prefixes: Change[] = [];
  const held = ({ catalogue }: CatalogueTree, prefix: Prefix): boolean =>
    catalogue.ownNodesOf(catalogue.table.get(prefix)).length > 0;
  let [added, removed, count] = [0, 0, 0];
  for (const change of prefixChanges(before, after)) {
    if (++count % AT_ONCE === 0) yield;
    if (change === undefined) continue;
    prefixes.push(change);
    if (!held(before, change.prefix)) added++;
    if (!held(after, change.prefix)) removed++;
  }
  const documents: PrefixChange[] = [];
  for (const change of prefixes) {
    documents.push({ cidr: formatPrefix(change.prefix), added: change.added, removed: change.removed });
    if (documents.length % AT_ONCE === 0) yield;
  }
  return {
    before: before.extent(ROOT),
    after: after.extent(ROOT),
    nodes_added: missingIn(before, after),
    nodes_removed: missingIn(after, before),
    nodes_renamed: renamed(before, after),
    prefixes_added: added,
    prefixes_removed: removed,
    prefixes_moved: prefixes.length - added - removed,
    nodes: yield* nodeChanges(before, after, prefixes),
    prefixes: documents,
  };
}

/** Prefixes, or nodes, looked at between two pauses: less than a millisecond. */
const AT_ONCE = 512;

interface Change {
  readonly prefix: Prefix;
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** Walks both lists in parallel; they are in the same order. Undefined stands for a prefix that has not changed. */
function* prefixChanges(before: CatalogueTree, after: CatalogueTree): Generator<Change | undefined> {
  for (const family of [4, 6] as const) {
    const [a, b] = [before.prefixes(family), after.prefixes(family)];
    const changeOf = matchChanges(before, after);
    for (let atA = 0, atB = 0; atA < a.count || atB < b.count;) {
      const order = atA === a.count ? 1 : atB === b.count ? -1 : comparePrefixes(prefixAt(a, atA), prefixAt(b, atB));
      const prefix = order <= 0 ? prefixAt(a, atA) : prefixAt(b, atB);
      const change = changeOf(order <= 0 ? a.matches[atA++]! : 0, order >= 0 ? b.matches[atB++]! : 0);
      yield change.added.length + change.removed.length > 0 ? { prefix, ...change } : undefined;
    }
  }
}

/** The change from one match to another, 0 for none; many prefixes share the result. */
function matchChanges(before: CatalogueTree, after: CatalogueTree): (a: number, b: number) => Omit<Change, "prefix"> {
  const known = new Map<number, Omit<Change, "prefix">>();
  return (a, b) => {
    const key = a * (after.catalogue.table.matchCount + 1) + b;
    let change = known.get(key);
    if (change === undefined) {
      const old = before.catalogue.ownNodesOf(a as MatchId).map(({ id }) => id);
      const now = after.catalogue.ownNodesOf(b as MatchId).map(({ id }) => id);
      const [inOld, inNow] = [new Set(old), new Set(now)];
      known.set(
        key,
        (change = { added: now.filter((id) => !inOld.has(id)), removed: old.filter((id) => !inNow.has(id)) }),
      );
    }
    return change;
  };
}

/** The ids of `tree` that are not in `other`. */
function missingIn(other: CatalogueTree, tree: CatalogueTree): string[] {
  return tree.catalogue.nodes
    .map(({ id }) => id)
    .filter((id) => !other.has(id))
    .sort(compareTexts);
}

function renamed(before: CatalogueTree, after: CatalogueTree): CatalogueDiff["nodes_renamed"] {
  return after.catalogue.nodes
    .filter(({ id, name }) => before.has(id) && before.node(before.valueOf(id)).name !== name)
    .map(({ id, name }) => ({ id, before: before.node(before.valueOf(id)).name, after: name }))
    .sort((a, b) => compareTexts(a.id, b.id));
}

function* nodeChanges(before: CatalogueTree, after: CatalogueTree, changes: readonly Change[]): InParts<NodeChange[]> {
  const counts = new Map<string, [added4: number, removed4: number, added6: number, removed6: number]>();
  const count = (id: string, which: number): void => {
    const own = counts.get(id) ?? [0, 0, 0, 0];
    own[which]!++;
    counts.set(id, own);
  };
  for (const [index, { prefix, added, removed }] of changes.entries()) {
    if (index % AT_ONCE === 0) yield;
    const first = prefix.family === 4 ? 0 : 2;
    for (const id of added) count(id, first);
    for (const id of removed) count(id, first + 1);
  }
  const addresses = (tree: CatalogueTree, id: string): number =>
    tree.has(id) ? tree.extent(tree.valueOf(id)).ipv4_addresses : 0;
  return [...counts]
    .sort(([a], [b]) => compareTexts(a, b))
    .map(([id, [ipv4_added, ipv4_removed, ipv6_added, ipv6_removed]]) => ({
      id,
      ipv4_added,
      ipv4_removed,
      ipv6_added,
      ipv6_removed,
      ipv4_addresses_before: addresses(before, id),
      ipv4_addresses_after: addresses(after, id),
    }));
}
