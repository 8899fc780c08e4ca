import { type Address, addressBits, type Family, type Prefix } from "../address/address.ts";
import { comparePrefixes, prefixOf } from "../address/prefix.ts";
import { lastAddress } from "../address/range.ts";

/** The cost of listing the addresses of a prefix that is not in the set; Infinity forbids it. */
export interface Weight {
  readonly prefix: Prefix;
  readonly cost: number;
}

/** How costs are counted. */
export interface Costs {
  /** The cost of one more IPv4 address, or of as many IPv6 addresses as a /64 has. */
  readonly ofAddress: number;
  /** The costs of prefixes that do not overlap the set, in order. */
  readonly weights: readonly Weight[];
  /** Wider prefixes are never used. */
  readonly shortest: Readonly<Record<Family, number>>;
}

/**
 * The prefixes of a set as the leaves of a binary tree, in which an inner node is the longest prefix that covers its
 * leaves. Whatever covers the set with fewer prefixes is a choice of nodes, one on the way from each leaf to the root:
 * of all prefixes that cover the same leaves, the node has the fewest other addresses.
 *
 *     leaves     10.0.0.0/26   10.0.0.128/26   10.0.0.192/27
 *     nodes                          10.0.0.128/25 (3)
 *                        10.0.0.0/24 (4)
 *
 * Leaves are 0 to n - 1, inner nodes follow them; children come before their parents, and the root is the last.
 */
export interface CoverTree {
  readonly leaves: readonly Prefix[];
  /** The children of inner node n + i. */
  readonly left: Int32Array;
  readonly right: Int32Array;
  /** The prefix length of inner nodes. */
  readonly length: Uint8Array;
  /** One leaf below each inner node. */
  readonly leafOf: Int32Array;
  /** What it costs to list all addresses of an inner node: those of the weights, and `ofAddress` for each other one. */
  readonly cost: Float64Array;
  /** The two apart, to be compared one after the other: the sum of the weights, and how many other addresses there are. */
  readonly weighed: Float64Array;
  readonly others: Float64Array;
}

/** Steps between two pauses: a few hundred microseconds. */
export const STEP = 1 << 12;

/**
 * The tree of prefixes of one family that are in order and do not overlap; there is at least one. O(n log weights). Can
 * be interrupted, as everything about trees.
 */
export function* coverTree(leaves: readonly Prefix[], costs: Costs): Generator<undefined, CoverTree, undefined> {
  const inner = leaves.length - 1;
  const tree: CoverTree = {
    leaves,
    left: new Int32Array(inner),
    right: new Int32Array(inner),
    length: new Uint8Array(inner),
    leafOf: new Int32Array(inner),
    cost: new Float64Array(inner),
    weighed: new Float64Array(inner),
    others: new Float64Array(inner),
  };
  yield* join(tree);
  yield* addCosts(tree, costs);
  return tree;
}

/**
 * Invariant of the stack: the nodes on it cover all leaves so far, in order, and neighbours have common lengths that
 * grow upwards. A leaf whose common length with the last one is shorter completes the nodes with longer ones.
 */
function* join({ leaves, left, right, length, leafOf }: CoverTree): Generator<undefined, void, undefined> {
  const nodes: number[] = [0];
  const common: number[] = [];
  let made = 0;
  const complete = (until: number): void => {
    while (common.length > 0 && common.at(-1)! > until) {
      right[made] = nodes.pop()!;
      left[made] = nodes.pop()!;
      length[made] = common.pop()!;
      leafOf[made] = right[made]! < leaves.length ? right[made]! : leafOf[right[made]! - leaves.length]!;
      nodes.push(leaves.length + made++);
    }
  };
  for (let at = 1; at < leaves.length; at++) {
    const shared = commonBits(leaves[at - 1]!, leaves[at]!);
    complete(shared);
    common.push(shared);
    nodes.push(at);
    if (at % STEP === 0) yield;
  }
  complete(-1);
}

function* addCosts(tree: CoverTree, { ofAddress, weights, shortest }: Costs): Generator<undefined, void, undefined> {
  const { leaves, left, right, length, leafOf, cost, weighed, others } = tree;
  const family = leaves[0]!.family;
  const sums = yield* WeightSums.of(weights, family);
  const listed = new Float64Array(length.length);
  const listedIn = (node: number): number =>
    node < leaves.length ? sizeOf(family, leaves[node]!.length) : listed[node - leaves.length]!;
  for (let at = 0; at < length.length; at++) {
    listed[at] = listedIn(left[at]!) + listedIn(right[at]!);
    others[at] = sizeOf(family, length[at]!) - listed[at]!;
    weighed[at] =
      length[at]! < shortest[family]
        ? Number.POSITIVE_INFINITY
        : sums.within(prefixOf(leaves[leafOf[at]!]!, length[at]!));
    cost[at] = others[at]! * ofAddress + weighed[at]!;
    if (at % STEP === 0) yield;
  }
}

/** The size of a prefix, in IPv4 addresses or in IPv6 networks of length 64. */
function sizeOf(family: Family, length: number): number {
  return 2 ** ((family === 4 ? 32 : 64) - length);
}

/** Sums of the costs of weights in a prefix. */
class WeightSums {
  readonly #prefixes: Prefix[] = [];
  /** The sum of the finite costs before each weight, and how many are infinite. */
  readonly #finite: number[] = [0];
  readonly #infinite: number[] = [0];

  /** The sums of the weights of a family. */
  static *of(weights: readonly Weight[], family: Family): Generator<undefined, WeightSums, undefined> {
    const sums = new WeightSums();
    for (const [at, weight] of weights.entries()) {
      if (weight.prefix.family === family) sums.#add(weight);
      if (at % STEP === 0) yield;
    }
    return sums;
  }

  #add({ prefix, cost }: Weight): void {
    const isFinite = Number.isFinite(cost);
    this.#prefixes.push(prefix);
    this.#finite.push(this.#finite.at(-1)! + (isFinite ? cost : 0));
    this.#infinite.push(this.#infinite.at(-1)! + (isFinite ? 0 : 1));
  }

  /** Weights do not overlap the set, so none covers a prefix with addresses of it: each is inside or outside. */
  within(prefix: Prefix): number {
    const from = this.#before(prefix, 0);
    const to = this.#before(lastAddress(prefix), addressBits(prefix.family) + 1);
    if (this.#infinite[to]! > this.#infinite[from]!) return Number.POSITIVE_INFINITY;
    return this.#finite[to]! - this.#finite[from]!;
  }

  /** How many weights come before the prefix of this address and length. */
  #before(address: Address, length: number): number {
    const wanted: Prefix = { ...address, length };
    let low = 0;
    let high = this.#prefixes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (comparePrefixes(this.#prefixes[middle]!, wanted) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** How many leading bits two addresses have in common. */
function commonBits(a: Address, b: Address): number {
  if (a.w0 !== b.w0 || a.family === 4) return Math.clz32(a.w0 ^ b.w0);
  if (a.w1 !== b.w1) return 32 + Math.clz32(a.w1 ^ b.w1);
  if (a.w2 !== b.w2) return 64 + Math.clz32(a.w2 ^ b.w2);
  return 96 + Math.clz32(a.w3 ^ b.w3);
}

/** The prefix of a node. */
export function prefixOfNode({ leaves, length, leafOf }: CoverTree, node: number): Prefix {
  const inner = node - leaves.length;
  return inner < 0 ? leaves[node]! : prefixOf(leaves[leafOf[inner]!]!, length[inner]!);
}
