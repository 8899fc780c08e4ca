import { type Address, addressBits, type Family, type Prefix } from "../address/address.ts";
import { comparePrefixes, prefixContains } from "../address/prefix.ts";
import { finished } from "../turns/finished.ts";
import { bestChoice, type Choice, chosenByPrice, fewestNodes } from "./_cover-choices.ts";
import { coverTree, type CoverTree, prefixOfNode, type Weight } from "./_cover-tree.ts";
import { sorting } from "./_sorting.ts";
import { AddressSet } from "./address-set.ts";

/**
 * What may change so that fewer prefixes suffice: nothing, addresses that are added, or addresses that are left out.
 */
export type FitLoss = "none" | "add" | "remove";

/** What may change, and what each address costs. */
export interface FitOptions {
  readonly loss?: FitLoss;
  /** Addresses that are never added; those that the set itself contains stay. */
  readonly never?: AddressSet;
  /**
   * How often addresses were seen, each address once: then adding or leaving out an address costs that much, one that
   * was not seen costs nothing, and the number of addresses decides among equals. Without it each address costs the same.
   * A /64 of IPv6 counts as much as an IPv4 address.
   */
  readonly seen?: Iterable<readonly [address: Address, count: number]>;
  /** The shortest prefix lengths that adding addresses may produce; 8 and 19 by default. */
  readonly shortest?: Readonly<Record<Family, number>>;
}

/** A list of prefixes that is short enough, and how it differs from the set. */
export interface Fit {
  /** At most the requested number, in order. */
  readonly prefixes: readonly Prefix[];
  /** The number of prefixes of the set itself. */
  readonly exactCount: number;
  /** The addresses that only the prefixes have, and those that only the set has. */
  readonly added: AddressSet;
  readonly removed: AddressSet;
  /**
   * What those cost, and the least that any list of so many prefixes can cost: equal if this one is proven the best.
   */
  readonly cost: number;
  readonly bound: number;
}

/** The addresses do not fit into so many prefixes. */
export class FitError extends RangeError {
  /** The fewest prefixes that are possible. */
  readonly fewest: number;
  /** Why fewer are not possible, such as "some addresses must not be added"; null if no loss is allowed. */
  readonly reason: string | null;

  constructor(message: string, fewest: number, reason: string | null) {
    super(message);
    this.name = "FitError";
    this.fewest = fewest;
    this.reason = reason;
  }
}

/** Entries of tables up to which the best list is computed: about 50 MB and a second. */
const MAX_TABLE = 4_000_000;

/**
 * The best list of at most `most` prefixes for a set: exact if that fits, otherwise with the least cost that the
 * options allow. Adding is optimal if prefixes x `most` is at most four million, otherwise within `cost - bound`;
 * leaving out is always optimal. O(n log n) to leave out, O(n most) or O(64 n) to add.
 * @throws FitError if it does not fit, with the fewest prefixes that are possible; RangeError for `most` below 1
 */
export function fit(addresses: AddressSet, most: number, options: FitOptions = {}): Fit {
  return finished(fitting(addresses, most, options));
}

/**
 * `fit`, which can be interrupted every few hundred microseconds, for programs that must stay responsive.
 * @throws as `fit`
 */
export function* fitting(
  addresses: AddressSet,
  most: number,
  options: FitOptions = {},
): Generator<undefined, Fit, undefined> {
  if (!Number.isInteger(most) || most < 1)
    throw new RangeError(`the number of prefixes must be a whole number from 1, not ${most}`);
  const exact = yield* collected(addresses.prefixes());
  const { loss = "none" } = options;
  if (exact.length <= most) return yield* fitOf(addresses, exact, { prefixes: exact, cost: 0, bound: 0 });
  if (loss === "none")
    throw new FitError(
      `the addresses need ${exact.length} prefixes, more than the ${most} allowed; allow more, or a loss`,
      exact.length,
      null,
    );
  const found = loss === "add" ? yield* added(addresses, exact, most, options) : yield* kept(exact, most, options);
  return yield* fitOf(addresses, exact, found);
}

/** Steps between two pauses. */
const STEP = 1 << 12;

function* collected<Item>(items: Iterable<Item>): Generator<undefined, Item[], undefined> {
  const array: Item[] = [];
  for (const item of items) if (array.push(item) % STEP === 0) yield;
  return array;
}

type Found = Pick<Fit, "prefixes" | "cost" | "bound">;

function* fitOf(
  addresses: AddressSet,
  exact: readonly Prefix[],
  { prefixes, cost, bound }: Found,
): Generator<undefined, Fit, undefined> {
  const listed = yield* AddressSet.collecting(prefixes);
  const more = yield* listed.combining("difference", addresses);
  const fewer = yield* addresses.combining("difference", listed);
  return { prefixes, exactCount: exact.length, added: more, removed: fewer, cost, bound };
}

/** The cheapest prefixes that cover the set and added addresses. */
function* added(
  addresses: AddressSet,
  exact: readonly Prefix[],
  most: number,
  { never = AddressSet.EMPTY, seen, shortest = { 4: 8, 6: 19 } }: FitOptions,
): Generator<undefined, Found, undefined> {
  const weights = yield* weightsOf(addresses, never, seen);
  const isWeighed = seen !== undefined;
  const costs = { ofAddress: isWeighed ? smallBeside(exact) : 1, weights, shortest };
  const trees = yield* treesOf(exact, costs);
  const fewest = yield* fewestNodes(trees);
  if (fewest > most) {
    const reason = yield* reasonOf(fewest, exact, costs);
    throw new FitError(
      `the addresses need at least ${fewest} prefixes, as ${reason}, more than the ${most} allowed; allow ${fewest} or more`,
      fewest,
      reason,
    );
  }
  const isExact = exact.length * most <= MAX_TABLE;
  const choice = yield* isExact ? bestChoice(trees, most, isWeighed) : chosenByPrice(trees, most);
  const prefixes = yield* prefixesOf(trees, choice);
  if (isExact || !isWeighed) return { prefixes, cost: choice.cost, bound: choice.bound };
  // Without the addresses that were not seen, which cost less than one half together.
  return { prefixes, cost: Math.floor(choice.cost), bound: Math.max(0, Math.floor(choice.bound - 0.5)) };
}

type Costs = Parameters<typeof coverTree>[1];

/** The tree of each family that has prefixes. */
function* treesOf(exact: readonly Prefix[], costs: Costs): Generator<undefined, CoverTree[], undefined> {
  const trees: CoverTree[] = [];
  for (const leaves of byFamily(exact)) if (leaves.length > 0) trees.push(yield* coverTree(leaves, costs));
  return trees;
}

/** Why so many prefixes are needed. */
function* reasonOf(fewest: number, exact: readonly Prefix[], costs: Costs): Generator<undefined, string, undefined> {
  const families = byFamily(exact).filter((prefixes) => prefixes.length > 0).length;
  if (fewest === families) return "IPv4 and IPv6 have no prefix in common";
  const weights = costs.weights.filter(({ cost }) => cost < Infinity);
  const withoutNever = yield* fewestNodes(yield* treesOf(exact, { ...costs, weights }));
  if (withoutNever < fewest) return "some addresses must not be added";
  return `no prefix may be wider than /${costs.shortest[4]} (IPv4) or /${costs.shortest[6]} (IPv6)`;
}

/** The cost of an address beside the counts of seen ones: all that can be added cost less than half a count together. */
function smallBeside(exact: readonly Prefix[]): number {
  const bits = byFamily(exact).flatMap((prefixes) => {
    const [first] = prefixes;
    return first === undefined ? [] : [first.family === 4 ? 32 : 64];
  });
  return 2 ** -(Math.max(...bits) + 2);
}

/** Splits prefixes in order, in which IPv4 comes first. */
function byFamily(exact: readonly Prefix[]): [ipv4: readonly Prefix[], ipv6: readonly Prefix[]] {
  const first = exact.findIndex(({ family }) => family === 6);
  return first < 0 ? [exact, []] : [exact.slice(0, first), exact.slice(first)];
}

function* prefixesOf(trees: readonly CoverTree[], { nodes }: Choice): Generator<undefined, Prefix[], undefined> {
  const prefixes: Prefix[] = [];
  for (const [at, tree] of trees.entries())
    for (const node of nodes[at]!) if (prefixes.push(prefixOfNode(tree, node)) % STEP === 0) yield;
  return yield* sorting(prefixes, comparePrefixes);
}

/** The weights in order; addresses of the set cost nothing. */
function* weightsOf(
  addresses: AddressSet,
  never: AddressSet,
  seen: FitOptions["seen"] = [],
): Generator<undefined, Weight[], undefined> {
  const weights: Weight[] = [];
  for (const prefix of (yield* never.combining("difference", addresses)).prefixes())
    if (weights.push({ prefix, cost: Infinity }) % STEP === 0) yield;
  let count = 0;
  for (const [address, cost] of seen) {
    if (!addresses.has(address)) weights.push({ prefix: hostOf(address), cost });
    if (++count % STEP === 0) yield;
  }
  return yield* sorting(weights, (a, b) => comparePrefixes(a.prefix, b.prefix));
}

/** The prefixes that cost the most to leave out. Prefixes are never combined, so these are the best list. */
function* kept(exact: readonly Prefix[], most: number, { seen }: FitOptions): Generator<undefined, Found, undefined> {
  const { values, sizes } = yield* valuesOf(exact, seen);
  const order = yield* sorting(
    yield* collected(exact.keys()),
    (a, b) => values[b]! - values[a]! || sizes[b]! - sizes[a]! || a - b,
  );
  let cost = 0;
  for (let at = most; at < order.length; at++) {
    cost += values[order[at]!]!;
    if (at % STEP === 0) yield;
  }
  const first = yield* sorting(order.slice(0, most), (a, b) => a - b);
  return { prefixes: yield* collected(first.values().map((at) => exact[at]!)), cost, bound: cost };
}

/** What each prefix costs to leave out, and how many addresses it has, which decides among equals. */
function* valuesOf(
  exact: readonly Prefix[],
  seen: FitOptions["seen"],
): Generator<undefined, { values: Float64Array; sizes: Float64Array }, undefined> {
  const sizes = new Float64Array(exact.length);
  for (const [index, { family, length }] of exact.entries()) {
    sizes[index] = 2 ** ((family === 4 ? 32 : 64) - length);
    if (index % STEP === 0) yield;
  }
  if (seen === undefined) return { values: sizes, sizes };
  const values = new Float64Array(exact.length);
  const hosts = yield* collected(hostsOf(seen));
  let at = 0;
  let steps = 0;
  for (const { prefix, count } of yield* sorting(hosts, (a, b) => comparePrefixes(a.prefix, b.prefix))) {
    while (at < exact.length && !prefixContains(exact[at]!, prefix) && comparePrefixes(exact[at]!, prefix) < 0) {
      at++;
      if (++steps % STEP === 0) yield;
    }
    if (at < exact.length && prefixContains(exact[at]!, prefix)) values[at]! += count;
    if (++steps % STEP === 0) yield;
  }
  return { values, sizes };
}

function* hostsOf(seen: NonNullable<FitOptions["seen"]>): Generator<{ prefix: Prefix; count: number }> {
  for (const [address, count] of seen) yield { prefix: hostOf(address), count };
}

function hostOf(address: Address): Prefix {
  return { ...address, length: addressBits(address.family) };
}
