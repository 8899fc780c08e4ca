import type { Family } from "../address/address.ts";
import type { KindCounts } from "./_kind-counts.ts";
import { walkOf } from "./_host-walk.ts";
import { type FamilyIndex, nodesOnPath } from "./_segment-walk.ts";
import {
  HOST_BUCKETS,
  NODE_BITMAP,
  NODE_HASHED,
  NODE_LIST,
  NODE_POINTS,
  NODE_SKIP,
  NODE_TREE,
  NODE_WIDE,
} from "./layout.ts";
import { LOOKUP_COSTS, type LookupCosts } from "./lookup-costs.ts";

/** The kinds of nodes that an index is made of; `hosts` is its one hash table of single IPv4 addresses. */
export type NodeKind = "bitmap" | "list" | "tree" | "wide" | "skip" | "points" | "hashed" | "hosts";

/** The kinds in the order in which they are shown, with their numbers in tables. */
const KINDS: readonly (readonly [NodeKind, number])[] = [
  ["bitmap", NODE_BITMAP],
  ["list", NODE_LIST],
  ["tree", NODE_TREE],
  ["points", NODE_POINTS],
  ["wide", NODE_WIDE],
  ["skip", NODE_SKIP],
  ["hashed", NODE_HASHED],
  ["hosts", HOST_BUCKETS],
];

/** The nodes of one kind. */
export interface NodeKindUse {
  readonly kind: NodeKind;
  readonly nodes: number;
  readonly bytes: number;
  /** How many of them lead to a segment, on average. */
  readonly perLookup: number;
}

/** How the addresses of one family are indexed. */
export interface TableLayout {
  readonly family: Family;
  readonly rootBits: number;
  readonly rootBytes: number;
  /** Only kinds that occur. */
  readonly kinds: readonly NodeKindUse[];
  /** Root and nodes. */
  readonly bytes: number;
  /** Ranges of addresses with one match or none, as the nodes divide them. */
  readonly segments: number;
  /** Estimated nanoseconds of a lookup in a batch, each segment as often as any other, by `LOOKUP_COSTS`. */
  readonly nanoseconds: number;
}

/** What an index is made of, from its bytes. O(words). @throws TableError for nodes that `freeze` would not have written */
export function layoutOf(index: FamilyIndex, matchCount: number): TableLayout {
  const walk = walkOf(index, matchCount);
  let segments = 0;
  while (walk.advance()) {
    segments++;
    for (const [, kind] of KINDS) walk.use.visits[kind]! += nodesOnPath(walk.path, kind);
  }
  return layoutFrom(index, walk.use, segments);
}

/** What an index is made of, as it was counted. */
export function layoutFrom(
  { family, root, nodes }: Omit<FamilyIndex, "hosts">,
  use: KindCounts,
  segments: number,
): TableLayout {
  const kinds = KINDS.map(([kind, number]) => ({
    kind,
    nodes: use.nodes[number]!,
    bytes: 4 * use.words[number]!,
    perLookup: segments === 0 ? 0 : use.visits[number]! / segments,
  })).filter((each) => each.nodes > 0);
  const rootBytes = root.byteLength;
  const parts = {
    family,
    rootBits: Math.log2(root.length),
    rootBytes,
    kinds,
    bytes: rootBytes + nodes.byteLength,
    segments,
  };
  return { ...parts, nanoseconds: expectedNanoseconds(parts) };
}

/** How often each part of the cost model occurs in a lookup: `expectedNanoseconds` is the sum of their products. */
export function costShares({ kinds, bytes }: Pick<TableLayout, "kinds" | "bytes">): Record<keyof LookupCosts, number> {
  const shares = {
    lookup: 1,
    bitmap: 0,
    list: 0,
    tree: 0,
    wide: 0,
    skip: 0,
    points: 0,
    hashed: 0,
    hosts: 0,
    doubling: 0,
  };
  let reads = 1;
  for (const { kind, perLookup } of kinds) {
    shares[kind] = perLookup;
    reads += perLookup;
  }
  shares.doubling = reads * Math.max(0, Math.log2(bytes / 2 ** 20));
  return shares;
}

/** The estimate of a lookup in an index, by the parts that it passes. */
export function expectedNanoseconds(layout: Pick<TableLayout, "kinds" | "bytes">, costs = LOOKUP_COSTS): number {
  const shares = costShares(layout);
  let sum = 0;
  for (const part of Object.keys(shares) as (keyof LookupCosts)[]) sum += shares[part] * costs[part];
  return sum;
}
