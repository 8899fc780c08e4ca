import type { CoverTree } from "./_cover-tree.ts";

/** Nodes of each tree that cover all of its leaves, and what they cost together. */
export interface Choice {
  readonly nodes: readonly (readonly number[])[];
  readonly count: number;
  readonly cost: number;
  /** No choice of so many nodes costs less. */
  readonly bound: number;
}

/** The fewest nodes that cover all leaves at a finite cost. O(n) */
export function fewestNodes(trees: readonly CoverTree[]): number {
  return priced(trees, Number.MAX_VALUE).reduce((sum, { counts }) => sum + counts.at(-1)!, 0);
}

/** What each node costs at best if every node chosen costs `price` more. */
interface Priced {
  /** The costs without the prices, and how many nodes are chosen. */
  readonly costs: Float64Array;
  readonly counts: Int32Array;
}

/**
 * The cheapest choice where each node has a price: the higher the price, the fewer nodes. A node is chosen itself, or
 * the best choices of its children are; of equals, it is.
 */
function priced(trees: readonly CoverTree[], price: number): Priced[] {
  return trees.map(({ leaves, left, right, cost }) => {
    const costs = new Float64Array(leaves.length + cost.length);
    const counts = new Int32Array(leaves.length + cost.length).fill(1, 0, leaves.length);
    for (let at = 0, node = leaves.length; at < cost.length; at++, node++) {
      const [a, b] = [left[at]!, right[at]!];
      const apart = costs[a]! + costs[b]!;
      const count = counts[a]! + counts[b]!;
      const isWhole = cost[at]! < Infinity && cost[at]! - apart <= price * (count - 1);
      costs[node] = isWhole ? cost[at]! : apart;
      counts[node] = isWhole ? 1 : count;
    }
    return { costs, counts };
  });
}

/**
 * A choice of at most so many nodes, and a bound that shows how far from the best one it can be (Lagrange): at any
 * price, the cheapest choice with prices costs no more than the best choice of `most` nodes with theirs. The lowest
 * price at which few enough nodes are cheapest is found by halving the range of all doubles, in 64 steps. O(64 n)
 */
export function chosenByPrice(trees: readonly CoverTree[], most: number): Choice {
  let low = 0n;
  let high = bitsOf(Number.MAX_VALUE);
  while (low < high) {
    const middle = (low + high) / 2n;
    if (totals(priced(trees, doubleOf(middle))).count <= most) high = middle;
    else low = middle + 1n;
  }
  const price = doubleOf(high);
  const found = priced(trees, price);
  const { cost, count } = totals(found);
  const bound = price === Number.MAX_VALUE ? 0 : Math.max(0, cost - price * (most - count));
  return filled(trees, found, { most, bound });
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

/** The chosen nodes; nodes that are left over split the chosen ones that gain the most for each. */
function filled(
  trees: readonly CoverTree[],
  found: readonly Priced[],
  { most, bound }: { most: number; bound: number },
): Choice {
  let { cost, count } = totals(found);
  const nodes = trees.map((tree, at) => chosenNodes(tree, found[at]!));
  const splits = trees.flatMap((tree, at) => splitsOf(tree, found[at]!, nodes[at]!).map((split) => ({ at, ...split })));
  for (const { at, node, gain, more } of splits.sort((a, b) => b.gain / b.more - a.gain / a.more)) {
    if (count + more > most || gain <= 0) continue;
    const { leaves, left, right } = trees[at]!;
    nodes[at]!.delete(node);
    for (const child of [left[node - leaves.length]!, right[node - leaves.length]!])
      for (const each of chosenBelow(trees[at]!, found[at]!, child)) nodes[at]!.add(each);
    cost -= gain;
    count += more;
  }
  return { nodes: nodes.map((each) => [...each]), count, cost, bound };
}

function chosenNodes(tree: CoverTree, found: Priced): Set<number> {
  return new Set(chosenBelow(tree, found, tree.leaves.length + tree.cost.length - 1));
}

/** From left to right. */
function* chosenBelow({ leaves, left, right }: CoverTree, { counts }: Priced, top: number): Generator<number> {
  const open = [top];
  for (let node = open.pop(); node !== undefined; node = open.pop())
    if (counts[node] === 1) yield node;
    else open.push(right[node - leaves.length]!, left[node - leaves.length]!);
}

/** What it would gain, and how many nodes more it would take, to choose what is best below a chosen node. */
function splitsOf(
  { leaves, left, right, cost }: CoverTree,
  { costs, counts }: Priced,
  chosen: Iterable<number>,
): { node: number; gain: number; more: number }[] {
  const splits: { node: number; gain: number; more: number }[] = [];
  for (const node of chosen) {
    const at = node - leaves.length;
    if (at < 0) continue;
    const [a, b] = [left[at]!, right[at]!];
    splits.push({ node, gain: cost[at]! - costs[a]! - costs[b]!, more: counts[a]! + counts[b]! - 1 });
  }
  return splits;
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
 * tables of two children are combined by every way to share the number among them. O(n most) time and memory
 */
export function bestChoice(trees: readonly CoverTree[], most: number): Choice {
  const tables = trees.map((tree) => tablesOf(tree, most));
  let total: Table = { costs: new Float64Array([0]), shares: new Int32Array(1) };
  const totals: Table[] = [];
  for (const table of tables) totals.push((total = combinedTable(total, table.at(-1)!, most)));
  let count = total.costs.length - 1;
  for (let fewer = count - 1; fewer > 0; fewer--) if (total.costs[fewer]! <= total.costs[count]!) count = fewer;
  const cost = total.costs[count]!;
  const nodes: number[][] = [];
  for (let at = trees.length - 1, left = count; at >= 0; at--) {
    const before = totals[at]!.shares[left]!;
    nodes.unshift(backtracked(trees[at]!, tables[at]!, left - before));
    left = before;
  }
  return { nodes, count, cost, bound: cost };
}

/** By number of nodes: the lowest cost, and how many of them the first of two parts takes (0: the node itself). */
interface Table {
  readonly costs: Float64Array;
  readonly shares: Int32Array;
}

function tablesOf({ leaves, left, right, cost }: CoverTree, most: number): Table[] {
  const leaf: Table = { costs: new Float64Array([Infinity, 0]), shares: new Int32Array(2) };
  const tables: Table[] = leaves.map(() => leaf);
  for (let at = 0; at < cost.length; at++) {
    const table = combinedTable(tables[left[at]!]!, tables[right[at]!]!, most);
    table.costs[1] = cost[at]!;
    table.shares[1] = 0;
    tables.push(table);
  }
  return tables;
}

function combinedTable(first: Table, second: Table, most: number): Table {
  const size = Math.min(most, first.costs.length + second.costs.length - 2);
  const costs = new Float64Array(size + 1).fill(Infinity);
  const shares = new Int32Array(size + 1);
  for (let one = 0; one < first.costs.length; one++)
    for (let other = 0; other < second.costs.length && one + other <= size; other++) {
      const cost = first.costs[one]! + second.costs[other]!;
      if (cost >= costs[one + other]!) continue;
      costs[one + other] = cost;
      shares[one + other] = one;
    }
  return { costs, shares };
}

/** The nodes that give the lowest cost of a tree with so many. */
function backtracked({ leaves, left, right }: CoverTree, tables: readonly Table[], count: number): number[] {
  const nodes: number[] = [];
  const open = [{ node: tables.length - 1, count }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const at = next.node - leaves.length;
    const share = at < 0 ? 0 : tables[next.node]!.shares[next.count]!;
    if (share === 0) nodes.push(next.node);
    else open.push({ node: right[at]!, count: next.count - share }, { node: left[at]!, count: share });
  }
  return nodes;
}
