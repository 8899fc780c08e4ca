import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Address, Prefix } from "../../src/address/address.ts";
import { comparePrefixes, formatPrefix, parsePrefix, prefixContains, prefixOf } from "../../src/address/prefix.ts";
import { lastAddress } from "../../src/address/range.ts";
import { bestChoice, type Choice, chosenByPrice, fewestNodes } from "../../src/sets/_cover-choices.ts";
import { type CoverTree, coverTree } from "../../src/sets/_cover-tree.ts";
import { AddressSet } from "../../src/sets/address-set.ts";
import { fit, FitError, type FitOptions } from "../../src/sets/fit.ts";
import { finished } from "../../src/turns/finished.ts";
import { rounds } from "../rounds.ts";

/** From 0 to 1, the same on each run. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const UNIVERSE = parsePrefix("10.0.0.0/29");
const ANYWHERE = { 4: 0, 6: 0 } as const;

function halves(prefix: Prefix): [Prefix, Prefix] {
  const length = prefix.length + 1;
  return [prefixOf(prefix, length), prefixOf(lastAddress(prefix), length)];
}

function four(number: number): Address {
  return { family: 4, w0: UNIVERSE.w0 + number, w1: 0, w2: 0, w3: 0 };
}

const hostOf = (number: number): Prefix => ({ ...four(number), length: 32 });
const numbersIn = (prefix: Prefix): number[] =>
  [...Array(8).keys()].filter((number) => prefixContains(prefix, hostOf(number)));

/** A small case: which of eight addresses are listed, which must never be, and how often each was seen. */
interface Small {
  readonly listed: ReadonlySet<number>;
  readonly never: ReadonlySet<number>;
  readonly seen: readonly number[];
}

/**
 * Every way to cover what is listed below a prefix: the prefix itself, or any combination of the ways for its halves.
 */
function* covers(prefix: Prefix, listed: ReadonlySet<number>): Generator<Prefix[]> {
  if (!numbersIn(prefix).some((number) => listed.has(number))) return void (yield []);
  yield [prefix];
  if (prefix.length === 32) return;
  const [first, second] = halves(prefix);
  for (const one of covers(first, listed)) for (const other of covers(second, listed)) yield [...one, ...other];
}

/** Found by trying all covers; undefined if none is possible. */
function lowestCost({ listed, never, seen }: Small, most: number, isSeen: boolean): number | undefined {
  let lowest: number | undefined;
  for (const cover of covers(UNIVERSE, listed)) {
    if (cover.length > most) continue;
    const added = cover.flatMap(numbersIn).filter((number) => !listed.has(number));
    if (added.some((number) => never.has(number))) continue;
    const cost = added.reduce((sum, number) => sum + (isSeen ? seen[number]! : 1), 0);
    if (lowest === undefined || cost < lowest) lowest = cost;
  }
  return lowest;
}

function smallCase(random: () => number): Small {
  const some = (share: number): Set<number> => new Set([...Array(8).keys()].filter(() => random() < share));
  return { listed: some(0.4), never: some(0.1), seen: Array.from({ length: 8 }, () => Math.floor(random() * 5)) };
}

function setOf(numbers: Iterable<number>): AddressSet {
  return AddressSet.of([...numbers].map(hostOf));
}

function fitted(small: Small, most: number, isSeen: boolean, fitting = fit): number | undefined {
  const options: FitOptions = {
    loss: "add",
    never: setOf(small.never),
    shortest: ANYWHERE,
    ...(isSeen && { seen: small.seen.map((count, number) => [four(number), count] as const) }),
  };
  try {
    const { prefixes, cost, added, removed } = fitting(setOf(small.listed), most, options);
    assert.ok(prefixes.length <= most && removed.isEmpty);
    const listed = AddressSet.of(prefixes);
    assert.ok(setOf(small.listed).isSubsetOf(listed) && added.equals(listed.difference(setOf(small.listed))));
    assert.ok([...small.never].every((number) => small.listed.has(number) || !listed.has(four(number))));
    return cost;
  } catch (error) {
    assert.ok(error instanceof FitError && error.fewest > most, String(error));
    return undefined;
  }
}

test("the cost is the lowest of all ways to cover the set, with and without seen addresses", () => {
  const random = randomNumbers(20_261_123);
  let lossy = 0;
  for (let round = 0; round < rounds({ short: 400, long: 10_000 }); round++) {
    const small = smallCase(random);
    const most = 1 + Math.floor(random() * 4);
    for (const isSeen of [false, true]) {
      const expected = lowestCost(small, most, isSeen);
      const found = fitted(small, most, isSeen);
      assert.equal(found === undefined, expected === undefined);
      assert.ok(Math.abs((found ?? 0) - (expected ?? 0)) < 1e-6, `${found} instead of ${expected}, round ${round}`);
      if ((expected ?? 0) > 0) lossy++;
    }
  }
  assert.ok(lossy > 200, `${lossy} with a loss`);
});

/** Eight prefixes that a wider one consists of: single addresses of IPv4, or the widest that a list of IPv6 may have. */
const UNIVERSES = [
  { whole: parsePrefix("10.0.0.0/29"), unit: 1 },
  { whole: parsePrefix("2000::/19"), unit: 2 ** (64 - 22) },
] as const;

function partsOf(prefix: Prefix, steps: number): Prefix[] {
  return steps === 0 ? [prefix] : halves(prefix).flatMap((half) => partsOf(half, steps - 1));
}

/** All ways to cover the listed ones of eight parts, each as ranges of their numbers. */
function* rangeCovers(listed: ReadonlySet<number>, from = 0, to = 8): Generator<(readonly [number, number])[]> {
  if (![...listed].some((number) => number >= from && number < to)) return void (yield []);
  yield [[from, to]];
  if (to - from === 1) return;
  const middle = (from + to) / 2;
  for (const one of rangeCovers(listed, from, middle))
    for (const other of rangeCovers(listed, middle, to)) yield [...one, ...other];
}

/** The lowest cost of adding, and of those the fewest added addresses, by trying all covers of both families. */
function lowestOfBoth(
  lists: readonly { listed: ReadonlySet<number>; seen: readonly number[]; unit: number }[],
  most: number,
): readonly [cost: number, size: number] | undefined {
  let best: readonly [number, number] | undefined;
  const tried = lists.map(({ listed, seen, unit }) =>
    Array.from(rangeCovers(listed), (cover) => {
      const added = cover
        .flatMap(([from, to]) => Array.from({ length: to - from }, (_, index) => from + index))
        .filter((number) => !listed.has(number));
      return {
        count: cover.length,
        cost: added.reduce((sum, number) => sum + seen[number]!, 0),
        size: added.length * unit,
      };
    }),
  );
  for (const one of tried[0]!)
    for (const other of tried[1]!) {
      if (one.count + other.count > most) continue;
      const [cost, size] = [one.cost + other.cost, one.size + other.size];
      if (best === undefined || cost < best[0] || (cost === best[0] && size < best[1])) best = [cost, size];
    }
  return best;
}

test("with a log, no number of unseen addresses of either family outweighs a seen one", () => {
  const random = randomNumbers(20_261_127);
  let lossy = 0;
  for (let round = 0; round < rounds({ short: 300, long: 10_000 }); round++) {
    const most = 2 + Math.floor(random() * 4);
    const lists = UNIVERSES.map(({ whole, unit }) => ({
      parts: partsOf(whole, 3),
      listed: new Set([...Array(8).keys()].filter(() => random() < 0.5)),
      seen: Array.from({ length: 8 }, () => Math.floor(random() * 3)),
      unit,
    }));
    const set = AddressSet.of(lists.flatMap(({ parts, listed }) => [...listed].map((number) => parts[number]!)));
    const seen = lists.flatMap(({ parts, seen: counts }) =>
      parts.map((part, number) => [part, counts[number]!] as const),
    );
    const expected = lowestOfBoth(lists, most);
    let found: readonly [number, number] | undefined;
    try {
      const { cost, bound, added } = fit(set, most, { loss: "add", seen, shortest: ANYWHERE });
      assert.equal(cost, bound);
      found = [cost, Number(added.size(4)) + Number(added.size(6) >> 64n)];
    } catch (error) {
      assert.ok(error instanceof FitError);
    }
    assert.deepEqual(found, expected, `round ${round}`);
    if ((expected?.[0] ?? 0) > 0) lossy++;
  }
  assert.ok(lossy > 30, `${lossy} with a loss`);
});

test("negative control: joining the nearest neighbours first does not yield the best list", () => {
  const random = randomNumbers(20_261_123);
  let worse = 0;
  for (let round = 0; round < 300; round++) {
    const small = { ...smallCase(random), never: new Set<number>() };
    const most = 1 + Math.floor(random() * 3);
    const joined = joinedGreedily(setOf(small.listed), most);
    const cost = Number(AddressSet.of(joined).difference(setOf(small.listed)).size(4));
    if (cost > lowestCost(small, most, false)!) worse++;
  }
  assert.ok(worse > 0);
});

/** The method of a simple tool: while there are too many prefixes, it widens the narrowest one by a bit. */
function joinedGreedily(addresses: AddressSet, most: number): Prefix[] {
  for (let list = [...addresses.prefixes()]; ;) {
    if (list.length <= most) return list;
    const narrowest = list.toSorted((a, b) => b.length - a.length)[0]!;
    list = [...AddressSet.of([...list, prefixOf(narrowest, narrowest.length - 1)]).prefixes()];
  }
}

describe("large sets, by price", () => {
  const random = randomNumbers(7);
  const hosts = Array.from({ length: 2000 }, (): Prefix => ({
    family: 4,
    w0: ((10 << 24) | Math.floor(random() ** 3 * 2 ** 20)) >>> 0,
    w1: 0,
    w2: 0,
    w3: 0,
    length: 32,
  }));
  const leaves = [...AddressSet.of(hosts).prefixes()];
  const listed = AddressSet.of(leaves);
  const others = hosts
    .map((prefix) => ({ ...prefix, w0: prefix.w0 ^ 0x300 }))
    .filter((prefix) => !listed.has(prefix))
    .sort(comparePrefixes);
  const weights = others.map((prefix, at) => ({ prefix, cost: at % 50 === 0 ? Infinity : at % 7 }));
  const trees = {
    "by addresses": finished(coverTree(leaves, { ofAddress: 1, weights: [], shortest: ANYWHERE })),
    "by what was seen, some never": finished(coverTree(leaves, { ofAddress: 2 ** -33, weights, shortest: ANYWHERE })),
  };

  for (const [name, tree] of Object.entries(trees))
    for (const most of [1, 2, 17, 100, 500, leaves.length - 1].filter((each) => each >= finished(fewestNodes([tree]))))
      test(`${name}, ${most} prefixes: the bound holds, and the cost is close to the best`, () => {
        const [priced, best] = [finished(chosenByPrice([tree], most)), finished(bestChoice([tree], most))];
        assert.ok(priced.count <= most && best.count <= most && Number.isFinite(priced.cost));
        for (const choice of [priced, best]) checkChoice(tree, choice);
        assert.ok(priced.bound >= best.cost / 2, `a bound of ${priced.bound} below ${best.cost}`);
        assert.ok(priced.bound <= best.cost + 1e-6 && best.cost <= priced.cost + 1e-6);
        assert.ok(priced.cost <= best.cost * 1.2 + 1, `${priced.cost} instead of ${best.cost}`);
      });
});

/** Checks that the nodes of a choice cover each leaf once, and have its number and its cost. */
function checkChoice({ leaves, left, right, cost }: CoverTree, choice: Choice): void {
  const [nodes] = choice.nodes as [number[]];
  const costs = nodes.map((node) => (node < leaves.length ? 0 : cost[node - leaves.length]!));
  assert.equal(nodes.length, choice.count);
  assert.ok(Math.abs(costs.reduce((sum, each) => sum + each, 0) - choice.cost) < 1e-6);
  const below = (node: number): number[] =>
    node < leaves.length ? [node] : [...below(left[node - leaves.length]!), ...below(right[node - leaves.length]!)];
  assert.deepEqual(
    nodes.flatMap(below).toSorted((a, b) => a - b),
    Array.from({ length: leaves.length }, (_, at) => at),
  );
}

test("both families share the number of prefixes; a /64 counts as one IPv4 address", () => {
  const set = AddressSet.of(
    ["10.0.0.0", "10.0.0.3", "2001:db8::/64", "2001:db8:0:5::/64"].map((text) => parsePrefix(text)),
  );
  const { prefixes, cost, added } = fit(set, 3, { loss: "add" });
  assert.deepEqual([prefixes.map(formatPrefix), cost], [["10.0.0.0/30", "2001:db8::/64", "2001:db8:0:5::/64"], 2]);
  assert.deepEqual([added.size(4), added.size(6)], [2n, 0n]);
});

test("an error names the reason for so many prefixes: the families, widths, or addresses that must not be added", () => {
  const setOf = (...texts: string[]): AddressSet => AddressSet.of(texts.map((text) => parsePrefix(text)));
  const reasonOf = (set: AddressSet, most: number, never = AddressSet.EMPTY): string => {
    let reason = "";
    assert.throws(
      () => fit(set, most, { loss: "add", never }),
      (error) => {
        reason = /, as (.*), more than/.exec((error as FitError).message)![1]!;
        return error instanceof FitError;
      },
    );
    return reason;
  };
  const both = setOf("10.0.0.1", "10.0.0.4", "2001:db8::/64");
  assert.equal(reasonOf(both, 1), "IPv4 and IPv6 have no prefix in common");
  assert.equal(reasonOf(both, 2, setOf("10.0.0.2")), "some addresses must not be added");
  assert.equal(reasonOf(setOf("10.0.0.0", "11.0.0.0"), 1), "no prefix may be wider than /8 (IPv4) or /19 (IPv6)");
});

test("nothing is lost if the set fits or no loss is allowed; the error says how many prefixes are needed", () => {
  const set = AddressSet.of(["10.0.0.0/25", "10.0.0.128/25", "10.0.2.0/24"].map((text) => parsePrefix(text)));
  const exact = fit(set, 2);
  assert.deepEqual([exact.prefixes.map(formatPrefix), exact.cost], [["10.0.0.0/24", "10.0.2.0/24"], 0]);
  assert.throws(() => fit(set, 1), {
    name: "FitError",
    fewest: 2,
    message: /need 2 prefixes, more than the 1 allowed/,
  });
  assert.throws(() => fit(set, 0), /a whole number from 1, not 0/);
  assert.deepEqual(fit(AddressSet.EMPTY, 1).prefixes, []);
});

test("addresses that must never be added and the maximum width determine the fewest possible prefixes", () => {
  const set = AddressSet.of(["10.0.0.0/24", "10.0.2.0/24", "20.0.0.0/8"].map((text) => parsePrefix(text)));
  const never = AddressSet.of([parsePrefix("10.0.1.7")]);
  assert.throws(() => fit(set, 2, { loss: "add", never }), { name: "FitError", fewest: 3, message: /allow 3 or more/ });
  assert.deepEqual(fit(set, 2, { loss: "add" }).prefixes.map(formatPrefix), ["10.0.0.0/22", "20.0.0.0/8"]);
  assert.throws(() => fit(set, 1, { loss: "add" }), { fewest: 2 });
  // Addresses of the set itself stay, even if they are in `never`.
  assert.equal(fit(set, 2, { loss: "add", never: AddressSet.of([parsePrefix("10.0.0.7")]) }).prefixes.length, 2);
});

test("leaving out keeps the prefixes with the most addresses, or the most seen ones", () => {
  const set = AddressSet.of(["10.0.0.0/30", "10.1.0.0/24", "10.2.0.1"].map((text) => parsePrefix(text)));
  const kept = fit(set, 2, { loss: "remove" });
  assert.deepEqual([kept.prefixes.map(formatPrefix), kept.cost, kept.bound], [["10.0.0.0/30", "10.1.0.0/24"], 1, 1]);
  assert.deepEqual([...kept.removed.prefixes()].map(formatPrefix), ["10.2.0.1"]);
  const seen = [
    [parsePrefix("10.2.0.1"), 9],
    [parsePrefix("10.0.0.3"), 2],
    [parsePrefix("9.0.0.1"), 99],
  ] as const;
  assert.deepEqual(fit(set, 2, { loss: "remove", seen }).prefixes.map(formatPrefix), ["10.0.0.0/30", "10.2.0.1"]);
});
