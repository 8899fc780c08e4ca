import { type Address, addressBits, type Family, type Prefix } from "../address/address.ts";
import { comparePrefixes, prefixContains } from "../address/prefix.ts";
import { bestChoice, type Choice, chosenByPrice, fewestNodes } from "./_cover-choices.ts";
import { coverTree, type CoverTree, prefixOfNode, type Weight } from "./_cover-tree.ts";
import { AddressSet } from "./address-set.ts";

/** What may be lost to have few prefixes: nothing, addresses that are added, or addresses that are left out. */
export type FitLoss = "none" | "add" | "remove";

/** What may be lost, and what each address costs. */
export interface FitOptions {
  readonly loss?: FitLoss;
  /** Addresses that are never added; those that the set itself has stay. */
  readonly never?: AddressSet;
  /**
   * How often addresses were seen, none twice: then what is added or left out costs as much, and only where that is
   * equal, the number of addresses counts. Otherwise each address costs the same, a /64 of IPv6 as one of IPv4.
   */
  readonly seen?: Iterable<readonly [address: Address, count: number]>;
  /** Added addresses never make a prefix wider than these; 8 and 19 by default. */
  readonly shortest?: Readonly<Record<Family, number>>;
}

/** A list of prefixes that is short enough, and how it differs from the set. */
export interface Fit {
  /** At most as many as asked for, in order. */
  readonly prefixes: readonly Prefix[];
  /** How many the set itself has. */
  readonly exactCount: number;
  /** The addresses that the prefixes have and the set has not, and the other way round. */
  readonly added: AddressSet;
  readonly removed: AddressSet;
  /** What those cost, and what every list of so many prefixes costs at least: equal if this one is proven the best. */
  readonly cost: number;
  readonly bound: number;
}

/** The addresses do not fit into so many prefixes. */
export class FitError extends RangeError {
  /** The fewest prefixes that are possible. */
  readonly fewest: number;

  constructor(message: string, fewest: number) {
    super(message);
    this.name = "FitError";
    this.fewest = fewest;
  }
}

/** Entries of tables up to which the best list is computed: about 100 MB and a second. */
const MAX_TABLE = 4_000_000;

/**
 * The best list of at most `most` prefixes for a set: without loss if it fits so, otherwise with the least cost that
 * the options allow. Adding is optimal where prefixes x `most` is at most four million, else within `cost - bound`;
 * leaving out is always optimal. O(n log n) to leave out, O(n most) or O(64 n) to add.
 * @throws FitError if it does not fit, with the fewest prefixes that are possible; RangeError for `most` below 1
 */
export function fit(addresses: AddressSet, most: number, options: FitOptions = {}): Fit {
  if (!Number.isInteger(most) || most < 1)
    throw new RangeError(`the number of prefixes must be a whole number from 1, not ${most}`);
  const exact = [...addresses.prefixes()];
  const { loss = "none" } = options;
  if (exact.length <= most) return fitOf(addresses, exact, { prefixes: exact, cost: 0, bound: 0 });
  if (loss === "none")
    throw new FitError(
      `the addresses need ${exact.length} prefixes, more than the ${most} allowed; allow more, or a loss`,
      exact.length,
    );
  return fitOf(addresses, exact, loss === "add" ? added(addresses, exact, most, options) : kept(exact, most, options));
}

function fitOf(
  addresses: AddressSet,
  exact: readonly Prefix[],
  { prefixes, cost, bound }: Pick<Fit, "prefixes" | "cost" | "bound">,
): Fit {
  const listed = AddressSet.of(prefixes);
  const [more, fewer] = [listed.difference(addresses), addresses.difference(listed)];
  return { prefixes, exactCount: exact.length, added: more, removed: fewer, cost, bound };
}

/** Prefixes that cover more than the set. */
function added(
  addresses: AddressSet,
  exact: readonly Prefix[],
  most: number,
  { never = AddressSet.EMPTY, seen, shortest = { 4: 8, 6: 19 } }: FitOptions,
): Pick<Fit, "prefixes" | "cost" | "bound"> {
  const costs = { ofAddress: seen === undefined ? 1 : SMALL, weights: weightsOf(addresses, never, seen), shortest };
  const trees = ([4, 6] as const)
    .map((family) => exact.filter((prefix) => prefix.family === family))
    .filter((leaves) => leaves.length > 0)
    .map((leaves) => coverTree(leaves, costs));
  const fewest = fewestNodes(trees);
  if (fewest > most)
    throw new FitError(
      `the addresses need at least ${fewest} prefixes, as some must not be added, more than the ${most} allowed; allow ${fewest} or more`,
      fewest,
    );
  const choice = exact.length * most <= MAX_TABLE ? bestChoice(trees, most) : chosenByPrice(trees, most);
  return { prefixes: prefixesOf(trees, choice), cost: choice.cost, bound: choice.bound };
}

/** Next to numbers of times that an address was seen, less than one for all of IPv4. */
const SMALL = 2 ** -33;

function prefixesOf(trees: readonly CoverTree[], { nodes }: Choice): Prefix[] {
  return trees.flatMap((tree, at) => nodes[at]!.map((node) => prefixOfNode(tree, node))).sort(comparePrefixes);
}

/** In order; what the set has costs nothing. */
function weightsOf(addresses: AddressSet, never: AddressSet, seen: FitOptions["seen"]): Weight[] {
  const weights: Weight[] = [...never.difference(addresses).prefixes()].map((prefix) => ({ prefix, cost: Infinity }));
  for (const [address, cost] of seen ?? [])
    if (!addresses.has(address)) weights.push({ prefix: hostOf(address), cost });
  return weights.sort((a, b) => comparePrefixes(a.prefix, b.prefix));
}

/** The prefixes that cost the most to leave out: none is made from two, so the best ones are the best list. */
function kept(exact: readonly Prefix[], most: number, { seen }: FitOptions): Pick<Fit, "prefixes" | "cost" | "bound"> {
  const values = valuesOf(exact, seen);
  const order = [...exact.keys()].sort((a, b) => values[b]! - values[a]! || a - b);
  const cost = order.slice(most).reduce((sum, at) => sum + values[at]!, 0);
  const prefixes = order
    .slice(0, most)
    .sort((a, b) => a - b)
    .map((at) => exact[at]!);
  return { prefixes, cost, bound: cost };
}

/** What each prefix costs to leave out. */
function valuesOf(exact: readonly Prefix[], seen: FitOptions["seen"]): number[] {
  const values = exact.map(
    ({ family, length }) => 2 ** ((family === 4 ? 32 : 64) - length) * (seen === undefined ? 1 : SMALL),
  );
  const sorted = [...(seen ?? [])].map(([address, count]) => ({ prefix: hostOf(address), count }));
  let at = 0;
  for (const { prefix, count } of sorted.sort((a, b) => comparePrefixes(a.prefix, b.prefix))) {
    while (at < exact.length && !prefixContains(exact[at]!, prefix) && comparePrefixes(exact[at]!, prefix) < 0) at++;
    if (at < exact.length && prefixContains(exact[at]!, prefix)) values[at]! += count;
  }
  return values;
}

function hostOf(address: Address): Prefix {
  return { ...address, length: addressBits(address.family) };
}
