import { type CoverTree, STEP } from "./_cover-tree.ts";
import { sorting } from "./_sorting.ts";

/** Work that can be interrupted every few hundred microseconds. */
type Work<Result> = Generator<undefined, Result, undefined>;

/** Nodes of each tree that cover all of its leaves, and what they cost together. */
export interface Choice {
  readonly nodes: readonly (readonly number[])[];
  readonly count: number;
  readonly cost: number;
  /** A lower bound: no choice of this many nodes costs less. */
  readonly bound: number;
}

/** The fewest nodes that cover all leaves at a finite cost. O(n) */
export function* fewestNodes(trees: readonly CoverTree[]): Work<number> {
  return totals(yield* priced(trees, Number.MAX_VALUE)).count;
}

/** The lowest cost below each node if every chosen node costs `price` more. */
interface Priced {
  /** The costs without the prices, and how many nodes are chosen. */
  readonly costs: Float64Array;
  readonly counts: Int32Array;
}

/**
 * The cheapest choice where each node has a price: the higher the price, the fewer nodes. A node is chosen itself, or
 * the best choices of its children are; of equals, it is. That is the best of all choices below it: whatever covers the
 * leaves of a node without choosing it is a choice for one child and a choice for the other, and their costs add up.
 */
function* priced(trees: readonly CoverTree[], price: number, into = unpriced(trees)): Work<Priced[]> {
  for (const [at, tree] of trees.entries()) yield* priceTree(tree, price, into[at]!);
  return into;
}

/** Arrays that are reused for each price: with new ones, garbage collection would take most of the time. */
function unpriced(trees: readonly CoverTree[]): Priced[] {
  return trees.map(({ leaves, cost }) => ({
    costs: new Float64Array(leaves.length + cost.length),
    counts: new Int32Array(leaves.length + cost.length).fill(1, 0, leaves.length),
  }));
}

function* priceTree({ leaves, left, right, cost }: CoverTree, price: number, { costs, counts }: Priced): Work<void> {
  for (let at = 0, node = leaves.length; at < cost.length; at++, node++) {
    const [a, b] = [left[at]!, right[at]!];
    const apart = costs[a]! + costs[b]!;
    const count = counts[a]! + counts[b]!;
    // cost + price <= apart + price * count, without the difference of two large sums. The children are numbered before
    // their node, so that both are priced.
    const isWhole = cost[at]! < Infinity && cost[at]! - apart <= price * (count - 1);
    costs[node] = isWhole ? cost[at]! : apart;
    counts[node] = isWhole ? 1 : count;
    if (at % PRICED === 0) yield;
  }
}

/** Nodes priced between two pauses. */
const PRICED = 1 << 14;

/**
 * A choice of at most so many nodes, and a bound that shows how far from the best one it can be (Lagrange): at any
 * price, the cheapest choice with prices costs no more than the best choice of `most` nodes with theirs. With C the
 * cheapest one at the price p, and B any of at most `most` nodes:
 *
 *     cost(C) + p count(C)  <=  cost(B) + p count(B)  <=  cost(B) + p most
 *     cost(B)  >=  cost(C) - p (most - count(C))                              the bound
 *
 * A higher price never gives more nodes, so the lowest price at which few enough are cheapest is found by halving the
 * range of all doubles, in 64 steps. O(64 n)
 */
export function* chosenByPrice(trees: readonly CoverTree[], most: number): Work<Choice> {
  const found = unpriced(trees);
  let low = 0n;
  let high = bitsOf(Number.MAX_VALUE);
  while (low < high) {
    const middle = (low + high) / 2n;
    if (totals(yield* priced(trees, doubleOf(middle), found)).count <= most) high = middle;
    else low = middle + 1n;
  }
  const price = doubleOf(high);
  yield* priced(trees, price, found);
  const { cost, count } = totals(found);
  const bound = price === Number.MAX_VALUE ? 0 : Math.max(0, cost - price * (most - count));
  return yield* filled(trees, found, { most, bound });
}

function totals(found: readonly Priced[]): { cost: number; count: number } {
  let cost = 0;
  let count = 0;
  for (const { costs, counts } of found) {
    cost += costs.at(-1)!;
    count += counts.at(-1)!;
  }
  return { cost, count };
}

/**
 * The chosen nodes; nodes that are left over split the chosen ones that gain the most for each. No chosen node lies below
 * another, so a split changes neither the gain nor the number of any other.
 */
function* filled(
  trees: readonly CoverTree[],
  found: readonly Priced[],
  { most, bound }: { most: number; bound: number },
): Work<Choice> {
  let { cost, count } = totals(found);
  const flags = trees.map(({ leaves, cost: { length } }) => new Uint8Array(leaves.length + length));
  const splits: Split[] = [];
  for (const [at, tree] of trees.entries()) {
    yield* setFlags(flags[at]!, chosenBelow(tree, found[at]!, tree.leaves.length + tree.cost.length - 1));
    for (const node of yield* flagged(flags[at]!, tree.leaves.length))
      if (splits.push(splitOf(tree, found[at]!, { at, node })) % STEP === 0) yield;
  }
  for (const { at, node, gain, more } of yield* sorting(splits, (a, b) => b.gain / b.more - a.gain / a.more)) {
    if (count + more > most || gain <= 0) continue;
    const { leaves, left, right } = trees[at]!;
    flags[at]![node] = 0;
    for (const child of [left[node - leaves.length]!, right[node - leaves.length]!])
      yield* setFlags(flags[at]!, chosenBelow(trees[at]!, found[at]!, child));
    cost -= gain;
    count += more;
  }
  const nodes: number[][] = [];
  for (const each of flags) nodes.push(yield* flagged(each, 0));
  return { nodes, count, cost, bound };
}

function* setFlags(flags: Uint8Array, nodes: Iterable<number>): Work<void> {
  let steps = 0;
  for (const node of nodes) {
    flags[node] = 1;
    if (++steps % STEP === 0) yield;
  }
}

/** The nodes from this one on whose flag is set. */
function* flagged(flags: Uint8Array, from: number): Work<number[]> {
  const nodes: number[] = [];
  for (let node = from; node < flags.length; node++) {
    if (flags[node] === 1) nodes.push(node);
    if (node % PRICED === 0) yield;
  }
  return nodes;
}

/** From left to right. */
function* chosenBelow({ leaves, left, right }: CoverTree, { counts }: Priced, top: number): Generator<number> {
  const open = [top];
  for (let node = open.pop(); node !== undefined; node = open.pop())
    if (counts[node] === 1) yield node;
    else open.push(right[node - leaves.length]!, left[node - leaves.length]!);
}

/** The gain of replacing a chosen inner node by the best choice below it, and how many more nodes that takes. */
interface Split {
  /** The number of its tree. */
  readonly at: number;
  readonly node: number;
  readonly gain: number;
  readonly more: number;
}

function splitOf(
  { leaves, left, right, cost }: CoverTree,
  { costs, counts }: Priced,
  place: Pick<Split, "at" | "node">,
): Split {
  const inner = place.node - leaves.length;
  const [a, b] = [left[inner]!, right[inner]!];
  return { ...place, gain: cost[inner]! - costs[a]! - costs[b]!, more: counts[a]! + counts[b]! - 1 };
}

const view = new DataView(new ArrayBuffer(8));

/** Of doubles that are not negative, the order of their bits as whole numbers is their own. */
function bitsOf(double: number): bigint {
  view.setFloat64(0, double);
  return view.getBigUint64(0);
}

function doubleOf(bits: bigint): number {
  view.setBigUint64(0, bits);
  return view.getFloat64(0);
}

/**
 * The best choice of at most so many nodes: for each node and every number of nodes, the cheapest choice below it. The
 * tables of two children are combined by every way to share the number among them. With `isWeighed`, the cost of a node
 * is the sum of its weights alone, and the number of its other addresses decides among equals: one number could not hold
 * both, as addresses of IPv6 are too many beside counts. O(n most) time and memory
 */
export function* bestChoice(trees: readonly CoverTree[], most: number, isWeighed = false): Work<Choice> {
  const tables: Tables[] = [];
  for (const tree of trees) tables.push(yield* tablesOf(tree, most, isWeighed));
  let total: Table = { costs: new Float64Array([0]), sizes: new Float64Array(1), shares: new Int32Array(1) };
  const sums: Table[] = [];
  for (const table of tables) sums.push((total = yield* combinedTable(total, topTable(table), most)));
  let count = total.costs.length - 1;
  for (let fewer = count - 1; fewer > 0; fewer--) if (!isLess(total, count, fewer)) count = fewer;
  const cost = total.costs[count]!;
  const nodes: number[][] = [];
  for (let at = trees.length - 1, left = count; at >= 0; at--) {
    const before = sums[at]!.shares[left]!;
    nodes.unshift(yield* backtracked(trees[at]!, tables[at]!, left - before));
    left = before;
  }
  return { nodes, count, cost, bound: cost };
}

/** Whether the cost of so many nodes is lower than that of another number. */
function isLess({ costs, sizes }: Table, one: number, other: number): boolean {
  const difference = costs[one]! - costs[other]!;
  return difference < 0 || (difference === 0 && sizes[one]! < sizes[other]!);
}

/**
 * By number of nodes: the lowest cost, of equals the fewest addresses, and how many of the nodes the first of two parts
 * takes (0: the node itself).
 */
interface Table {
  readonly costs: Float64Array;
  readonly sizes: Float64Array;
  readonly shares: Int32Array;
}

/** The tables of all nodes one after the other, because millions of small arrays would take ten times the memory. */
interface Tables extends Table {
  /**
   * Where the table of each inner node begins, and the end of the last one; before the first one is the table of every
   * leaf.
   */
  readonly starts: Int32Array;
}

/** A leaf is one node, which costs nothing. */
const LEAF_COSTS = [Infinity, 0];

function* tablesOf(tree: CoverTree, most: number, isWeighed: boolean): Work<Tables> {
  const { leaves, left, right } = tree;
  const cost = isWeighed ? tree.weighed : tree.cost;
  const starts = yield* startsOf(tree, most);
  const costs = new Float64Array(starts.at(-1)!);
  costs.set(LEAF_COSTS);
  const sizes = new Float64Array(costs.length);
  const tables = { starts, costs, sizes, shares: new Int32Array(costs.length) };
  const rangeOf = (node: number): [from: number, to: number] =>
    node < leaves.length ? [0, LEAF_COSTS.length] : [starts[node - leaves.length]!, starts[node - leaves.length + 1]!];
  for (let at = 0; at < cost.length; at++) {
    const [from, to] = rangeOf(leaves.length + at);
    yield* combine(tables, rangeOf(left[at]!), rangeOf(right[at]!), [from, to]);
    costs[from + 1] = cost[at]!;
    if (isWeighed) sizes[from + 1] = tree.others[at]!;
    tables.shares[from + 1] = 0;
    if (at % STEP === 0) yield;
  }
  return tables;
}

/** A table has a cost for each number from 0 to that of the leaves below its node, or to `most`. */
function* startsOf({ leaves, left, right, cost }: CoverTree, most: number): Work<Int32Array> {
  const starts = new Int32Array(cost.length + 1);
  starts[0] = LEAF_COSTS.length;
  const sizeOf = (node: number): number =>
    node < leaves.length ? 1 : starts[node - leaves.length + 1]! - starts[node - leaves.length]! - 1;
  for (let at = 0; at < cost.length; at++) {
    starts[at + 1] = starts[at]! + Math.min(most, sizeOf(left[at]!) + sizeOf(right[at]!)) + 1;
    if (at % STEP === 0) yield;
  }
  return starts;
}

/** The table of the root. */
function topTable({ starts, costs, sizes, shares }: Tables): Table {
  const from = starts.length === 1 ? 0 : starts.at(-2)!;
  return { costs: costs.slice(from), sizes: sizes.slice(from), shares: shares.slice(from) };
}

/** The table of both parts together. */
function* combinedTable(first: Table, second: Table, most: number): Work<Table> {
  const middle = first.costs.length;
  const from = middle + second.costs.length;
  const to = from + Math.min(most, from - 2) + 1;
  const tables = { costs: new Float64Array(to), sizes: new Float64Array(to), shares: new Int32Array(to) };
  tables.costs.set(first.costs);
  tables.costs.set(second.costs, middle);
  tables.sizes.set(first.sizes);
  tables.sizes.set(second.sizes, middle);
  yield* combine(tables, [0, middle], [middle, from], [from, to]);
  return { costs: tables.costs.slice(from), sizes: tables.sizes.slice(from), shares: tables.shares.slice(from) };
}

/**
 * Writes the table of two parts, each of them a range of the same arrays: the lowest cost of `sum` nodes is that of the
 * best way to share them, the minimum of costs[one] + costs[other] over one + other = sum.
 */
function* combine(
  { costs, sizes, shares }: Table,
  [firstFrom, firstTo]: readonly [number, number],
  [secondFrom, secondTo]: readonly [number, number],
  [from, to]: readonly [number, number],
): Work<void> {
  costs.fill(Infinity, from, to);
  let steps = 0;
  for (let one = firstFrom; one < firstTo; one++) {
    for (let other = secondFrom, sum = from + one - firstFrom; other < secondTo && sum < to; other++, sum++) {
      const cost = costs[one]! + costs[other]!;
      if (cost > costs[sum]! || cost === Infinity) continue;
      const size = sizes[one]! + sizes[other]!;
      if (cost === costs[sum]! && size >= sizes[sum]!) continue;
      costs[sum] = cost;
      sizes[sum] = size;
      shares[sum] = one - firstFrom;
    }
    steps += secondTo - secondFrom;
    if (steps < COMBINED) continue;
    steps = 0;
    yield;
  }
}

/** Combinations tried between two pauses. */
const COMBINED = 1 << 17;

/** The nodes of the choice with the lowest cost for this number of nodes. */
function* backtracked({ leaves, left, right }: CoverTree, { starts, shares }: Tables, count: number): Work<number[]> {
  const nodes: number[] = [];
  const open = [{ node: leaves.length + left.length - 1, count }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const at = next.node - leaves.length;
    const share = at < 0 ? 0 : shares[starts[at]! + next.count]!;
    if (share === 0) {
      nodes.push(next.node);
      if (nodes.length % STEP === 0) yield;
    } else open.push({ node: right[at]!, count: next.count - share }, { node: left[at]!, count: share });
  }
  return nodes;
}
