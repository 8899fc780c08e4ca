import type { CoverTree } from "../../src/sets/_cover-tree.ts";

/**
 * What is joined next: `pair`, the two neighbouring entries that add the fewest addresses; `share`, all entries of the
 * prefix that adds the fewest addresses for each entry it saves.
 */
export type Greed = "pair" | "share";

/** The cost of a list with at most this many entries, made by joining the cheapest entries first. */
export interface Joined {
  readonly count: number;
  readonly cost: number;
}

/** Joins entries of trees until there are at most so many, or no more can be joined. O(n log n) */
export function joinedGreedily(trees: readonly CoverTree[], most: number, greed: Greed): Joined {
  const forest = trees.map((tree) => new Entries(tree));
  const queue = new Queue();
  const offer = (at: number, node: number): void => {
    const price = forest[at]!.price(node, greed);
    if (price < Infinity) queue.push({ price, at, node, version: forest[at]!.version[node]! });
  };
  for (const [at, { tree }] of forest.entries())
    for (let node = tree.leaves.length; node < tree.leaves.length + tree.cost.length; node++) offer(at, node);
  const count = (): number => forest.reduce((sum, { all }) => sum + all, 0);
  while (count() > most) {
    const next = queue.pop();
    if (next === undefined) break;
    const { at, node, version } = next;
    if (forest[at]!.version[node] !== version || forest[at]!.isJoined(node)) continue;
    for (const changed of forest[at]!.join(node)) offer(at, changed);
  }
  return { count: count(), cost: forest.reduce((sum, { added, root }) => sum + added[root]!, 0) };
}

/** How many entries there are below each node of a tree, and what they have added so far. */
class Entries {
  readonly tree: CoverTree;
  readonly root: number;
  readonly added: Float64Array;
  readonly version: Uint32Array;
  readonly #counts: Int32Array;
  readonly #parents: Int32Array;
  readonly #joined: Uint8Array;

  constructor(tree: CoverTree) {
    const { leaves, cost, left, right } = tree;
    const nodes = leaves.length + cost.length;
    this.tree = tree;
    this.root = nodes - 1;
    this.added = new Float64Array(nodes);
    this.version = new Uint32Array(nodes);
    this.#counts = new Int32Array(nodes).fill(1, 0, leaves.length);
    this.#parents = new Int32Array(nodes).fill(-1);
    this.#joined = new Uint8Array(nodes);
    for (let at = 0; at < cost.length; at++) {
      for (const child of [left[at]!, right[at]!]) {
        this.#parents[child] = leaves.length + at;
        this.#counts[leaves.length + at]! += this.#counts[child]!;
      }
    }
  }

  get all(): number {
    return this.#counts[this.root]!;
  }

  /** Of joining all entries below an inner node; Infinity if that is not allowed now. */
  price(node: number, greed: Greed): number {
    const saved = this.#counts[node]! - 1;
    if (saved < 1 || (greed === "pair" && saved > 1)) return Infinity;
    return (this.tree.cost[node - this.tree.leaves.length]! - this.added[node]!) / saved;
  }

  /** Whether it is part of a wider entry. */
  isJoined(node: number): boolean {
    for (let above = node; above >= 0; above = this.#parents[above]!) if (this.#joined[above] === 1) return true;
    return false;
  }

  /** Makes one entry of a node; returns the nodes around it, whose prices are others now. */
  join(node: number): number[] {
    const saved = this.#counts[node]! - 1;
    const more = this.tree.cost[node - this.tree.leaves.length]! - this.added[node]!;
    this.#joined[node] = 1;
    const changed: number[] = [];
    for (let above = node; above >= 0; above = this.#parents[above]!) {
      this.#counts[above]! -= saved;
      this.added[above]! += more;
      this.version[above]!++;
      if (above !== node) changed.push(above);
    }
    return changed;
  }
}

interface Offer {
  readonly price: number;
  readonly at: number;
  readonly node: number;
  readonly version: number;
}

/** The lowest price first. */
class Queue {
  readonly #heap: Offer[] = [];

  push(offer: Offer): void {
    const heap = this.#heap;
    let at = heap.push(offer) - 1;
    for (let above = (at - 1) >> 1; at > 0 && heap[above]!.price > offer.price; above = (at - 1) >> 1) {
      heap[at] = heap[above]!;
      heap[(at = above)] = offer;
    }
  }

  pop(): Offer | undefined {
    const heap = this.#heap;
    const [first] = heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return first;
    let at = 0;
    for (let below = 1; below < heap.length; below = 2 * at + 1) {
      if (below + 1 < heap.length && heap[below + 1]!.price < heap[below]!.price) below++;
      if (heap[below]!.price >= last.price) break;
      heap[at] = heap[below]!;
      at = below;
    }
    heap[at] = last;
    return first;
  }
}
