import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Address, Family, Prefix } from "../../src/address/address.ts";
import { parseAddress } from "../../src/address/parse-address.ts";
import { formatPrefix, parsePrefix, prefixOf, rejectMappedBlock } from "../../src/address/prefix.ts";
import { parseRange } from "../../src/address/range.ts";
import { AddressSet, type AddressRange, type SetOperation } from "../../src/sets/address-set.ts";
import { finished } from "../../src/turns/finished.ts";
import { rounds } from "../rounds.ts";
import { anyPrefix } from "../trie/operations.ts";

function setOf(...parts: string[]): AddressSet {
  return AddressSet.of(parts.map((part) => (part.includes("-") ? parseRange(part) : parsePrefix(part))));
}

function texts(set: AddressSet, family?: Family, shortest?: number): string[] {
  return [...set.prefixes(family, shortest)].map(formatPrefix);
}

test("by example", () => {
  const one = setOf("10.0.0.0/24", "10.0.2.0/24", "2001:db8::/33");
  const other = setOf("10.0.1.0/24", "10.0.2.128/25", "2001:db8::/32");
  assert.deepEqual(texts(one.union(other)), ["10.0.0.0/23", "10.0.2.0/24", "2001:db8::/32"]);
  assert.deepEqual(texts(one.intersection(other)), ["10.0.2.128/25", "2001:db8::/33"]);
  assert.deepEqual(texts(one.difference(other)), ["10.0.0.0/24", "10.0.2.0/25"]);
  assert.deepEqual(texts(one.symmetricDifference(other)), ["10.0.0.0/23", "10.0.2.0/25", "2001:db8:8000::/33"]);
  assert.deepEqual(texts(AddressSet.EMPTY), []);
});

test("sizes are exact, even for many ranges and for a part that reaches the end of the space", () => {
  const hosts = (family: Family) =>
    Array.from({ length: 5000 }, (_, at): Prefix => ({
      family,
      w0: (0xffff_ffff - 3 * at) >>> 0,
      w1: at % 2,
      w2: at % 7 === 0 ? 0xffff_ffff : 0,
      w3: 0xffff_ffff,
      length: family === 4 ? 32 : 128 - (at % 40),
    })).map((prefix) => ({ ...prefix, ...(family === 4 && { w1: 0, w2: 0, w3: 0 }) }));
  const six = hosts(6).map((prefix) => prefixOf(prefix, prefix.length));
  const set = AddressSet.of([...hosts(4), ...six]);
  assert.equal(set.size(4), 5000n);
  let size = 0n;
  for (const { length } of set.prefixes(6)) size += 1n << BigInt(128 - length);
  assert.equal(set.size(6), size);
  assert.ok(set.has(parseAddress("255.255.255.255")));
});

test("the ends of both address spaces", () => {
  const all = setOf("0.0.0.0/0", "::/0");
  assert.deepEqual(texts(all), ["0.0.0.0/0", "::/0"]);
  assert.equal(all.size(4), 2n ** 32n);
  assert.equal(all.size(6), 2n ** 128n);
  assert.equal(texts(all.difference(setOf("255.255.255.255")), 4).length, 32);
  assert.deepEqual(texts(setOf("255.255.255.255", "255.255.255.254", "0.0.0.0")), ["0.0.0.0", "255.255.255.254/31"]);
  assert.deepEqual(texts(setOf("ffff:ffff:ffff:ffff:ffff:ffff:ffff:fffe-ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff")), [
    "ffff:ffff:ffff:ffff:ffff:ffff:ffff:fffe/127",
  ]);
  assert.ok(all.has(parseAddress("255.255.255.255")));
  assert.ok(all.has(parseAddress("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff")));
});

test("the size of many ranges is exact, even if the last one reaches the end", () => {
  const count = 2 ** 19 + 3;
  const ranges = Array.from({ length: count }, (_, i): Prefix => {
    const high = 0xffff_fff0;
    return { family: 6, w0: high, w1: high, w2: high, w3: 4 * i, length: 127 };
  });
  const set = AddressSet.of(ranges);
  assert.equal(set.size(6), 2n * BigInt(count));
  assert.equal(setOf("::/0").difference(set).size(6), 2n ** 128n - 2n * BigInt(count));
});

test("a /8 without one address takes 24 prefixes", () => {
  const rest = setOf("10.0.0.0/8").difference(setOf("10.1.2.3"));
  assert.equal(texts(rest).length, 24);
  assert.equal(rest.size(4), 2n ** 24n - 1n);
});

test("the part of a set within a prefix equals the intersection with it", () => {
  fc.assert(
    fc.property(fc.array(anyPrefix, { maxLength: 12 }), anyPrefix, (parts, prefix) => {
      const set = AddressSet.of(parts);
      assert.deepEqual(texts(set.within(prefix)), texts(set.intersection(AddressSet.of([prefix]))));
      assert.ok(set.within(prefix).equals(set.intersection(AddressSet.of([prefix]))));
    }),
    { numRuns: rounds({ short: 300, long: 20_000 }) },
  );
  const all = setOf("0.0.0.0/0", "::/0");
  for (const text of ["255.255.255.0/24", "0.0.0.0/0", "ffff::/16", "::/0"])
    assert.deepEqual(texts(all.within(parsePrefix(text))), [text]);
});

test("with a shortest length no prefix becomes shorter", () => {
  assert.deepEqual(texts(setOf("10.0.0.0/7"), 4, 8), ["10.0.0.0/8", "11.0.0.0/8"]);
  assert.deepEqual(texts(setOf("2001:db8::/31"), 6, 32), ["2001:db8::/32", "2001:db9::/32"]);
  assert.throws(() => texts(setOf("10.0.0.0/7"), 4, 33), /must be 0 to 32, not 33/);
});

test("an IPv6 set yields no prefix of IPv4-mapped addresses", () => {
  const around = setOf("::/80").difference(setOf("::fffe:0:0/96"));
  assert.ok(texts(around).every((text) => !text.startsWith("::ffff:")));
  assert.ok(texts(around).length > 0);
});

/*
 * The oracle. A universe of 512 addresses is placed where words meet and at the ends of the address spaces. A set is a
 * JavaScript Set of numbers; its fewest prefixes are found from the top down, by checking whether all of a prefix is in
 * it.
 */
interface Universe {
  readonly name: string;
  readonly family: Family;
  readonly place: (low: number) => Address;
  readonly bits: number;
}

const BITS = 9;
const UNIVERSES: readonly Universe[] = [
  { name: "the first addresses of IPv4", family: 4, bits: 32, place: (low) => ipv4(low) },
  { name: "the last addresses of IPv4", family: 4, bits: 32, place: (low) => ipv4(2 ** 32 - 2 ** BITS + low) },
  { name: "the last addresses of IPv6", family: 6, bits: 128, place: (low) => ipv6((1n << 128n) - 512n + BigInt(low)) },
  { name: "the sides of the middle of IPv6", family: 6, bits: 128, place: (low) => ipv6(middle + BigInt(low)) },
];
const middle = (0x20010db8n << 96n) + (1n << 64n) - 256n;

function ipv4(number: number): Address {
  return { family: 4, w0: number, w1: 0, w2: 0, w3: 0 };
}

function ipv6(number: bigint): Address {
  const word = (shift: bigint): number => Number((number >> shift) & 0xffffffffn);
  return { family: 6, w0: word(96n), w1: word(64n), w2: word(32n), w3: word(0n) };
}

const range = fc
  .tuple(fc.nat({ max: 2 ** BITS - 1 }), fc.oneof(fc.nat({ max: 2 ** BITS - 1 }), fc.nat({ max: 3 })))
  .map(([first, length]) => [first, Math.min(2 ** BITS - 1, first + length)] as const);
const ranges = fc.array(range, { maxLength: 10 });
type Ranges = readonly (readonly [number, number])[];

function numbersIn(list: Ranges): Set<number> {
  const numbers = new Set<number>();
  for (const [first, last] of list) for (let each = first; each <= last; each++) numbers.add(each);
  return numbers;
}

function placed({ place }: Universe, list: Ranges): AddressSet {
  return AddressSet.of(list.map(([first, last]): AddressRange => ({ first: place(first), last: place(last) })));
}

/** The fewest prefixes, each as its first number and the exponent of its size; blocks are aligned to the universe. */
function fewest(numbers: Set<number>, first: number, exponent: number): string[] {
  let held = 0;
  for (let each = first; each < first + 2 ** exponent; each++) if (numbers.has(each)) held++;
  if (held === 0) return [];
  if (held === 2 ** exponent) return [`${first} ${exponent}`];
  return [...fewest(numbers, first, exponent - 1), ...fewest(numbers, first + 2 ** (exponent - 1), exponent - 1)];
}

function numbered({ place, bits }: Universe, prefixes: Iterable<Prefix>): string[] {
  const base = place(0);
  return [...prefixes].map(({ family, w0, w3, length }) => {
    const low = family === 4 ? w0 - base.w0 : (w3 - base.w3) >>> 0;
    return `${low} ${bits - length}`;
  });
}

const OPERATIONS: Readonly<Record<SetOperation, (one: Set<number>, other: Set<number>) => Set<number>>> = {
  union: (one, other) => new Set([...one, ...other]),
  intersection: (one, other) => only(one, (each) => other.has(each)),
  difference: (one, other) => only(one, (each) => !other.has(each)),
  symmetricDifference: (one, other) => only(new Set([...one, ...other]), (each) => one.has(each) !== other.has(each)),
};

function only(numbers: Set<number>, keeps: (number: number) => boolean): Set<number> {
  return new Set([...numbers].filter(keeps));
}

/** Asserts that the operation gives the same addresses and the same prefixes on both representations. */
function agrees(universe: Universe, name: SetOperation, one: Ranges, other: Ranges): void {
  const expected = OPERATIONS[name](numbersIn(one), numbersIn(other));
  const [a, b] = [placed(universe, one), placed(universe, other)];
  const result = a[name](b);
  // The middle is not an aligned block: it is cut into two that are.
  const blocks =
    universe.place(0).w3 % 2 ** BITS === 0
      ? fewest(expected, 0, BITS)
      : [...fewest(expected, 0, BITS - 1), ...fewest(expected, 2 ** (BITS - 1), BITS - 1)];
  assert.deepEqual(numbered(universe, result.prefixes(universe.family)), blocks);
  assert.equal(result.size(universe.family), BigInt(expected.size));
  assert.equal(a.isSubsetOf(b), OPERATIONS.difference(numbersIn(one), numbersIn(other)).size === 0);
  assert.equal(a.isDisjointFrom(b), OPERATIONS.intersection(numbersIn(one), numbersIn(other)).size === 0);
  assert.ok(AddressSet.of(result.prefixes()).equals(result));
  if (universe.family === 4) assert.deepEqual(visited(result), [...result.prefixes(4)]);
}

/** Asserts that the same addresses have the votes, counted one by one. */
function agreesInVotes(universe: Universe, least: number, voters: readonly (readonly [Ranges, number])[]): void {
  const votes = new Map<number, number>();
  for (const [list, weight] of voters)
    for (const number of numbersIn(list)) votes.set(number, (votes.get(number) ?? 0) + weight);
  const expected = [...votes].filter(([, count]) => count >= least).map(([number]) => number);
  const sets = voters.map(([list]) => placed(universe, list));
  const result = AddressSet.atLeast(
    least,
    sets,
    voters.map(([, weight]) => weight),
  );
  const { place } = universe;
  assert.ok(
    result.equals(AddressSet.of(expected.map((number) => ({ first: place(number), last: place(number) })))),
    `${expected.length} addresses expected, ${result.size(universe.family)} found`,
  );
}

function visited(set: AddressSet): Prefix[] {
  const prefixes: Prefix[] = [];
  finished(set.visitingIpv4(0, (w0, length) => prefixes.push({ family: 4, w0, w1: 0, w2: 0, w3: 0, length })));
  return prefixes;
}

for (const universe of UNIVERSES)
  test(`what at least k of several sets have, by weights, is what one counts: ${universe.name}`, () => {
    const voter = fc.tuple(ranges, fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 5 })));
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), fc.array(voter, { maxLength: 7 }), (least, voters) =>
        agreesInVotes(universe, least, voters),
      ),
      { numRuns: rounds({ short: 100, long: 20_000 }) },
    );
  });

test("one of several sets is their union, all of them their intersection; without sets there is nothing", () => {
  const sets = [setOf("10.0.0.0/24", "::/0"), setOf("10.0.0.128/25", "0.0.0.0/0"), setOf("10.0.0.0/8")];
  const [one, two, three] = sets as [AddressSet, AddressSet, AddressSet];
  assert.ok(AddressSet.atLeast(1, sets).equals(one.union(two).union(three)));
  assert.ok(AddressSet.atLeast(3, sets).equals(one.intersection(two).intersection(three)));
  assert.ok(AddressSet.atLeast(2, sets, [2, 1, 1]).equals(one.union(three)));
  assert.ok(AddressSet.atLeast(4, sets).isEmpty);
  assert.ok(AddressSet.atLeast(1, []).isEmpty);
  for (const bad of [0, -1, 1.5, Number.NaN, 2 ** 31 + 1, "1" as unknown as number]) {
    assert.throws(() => AddressSet.atLeast(bad, sets), RangeError);
    assert.throws(() => AddressSet.atLeast(1, sets, [1, bad, 1]), RangeError);
  }
  assert.throws(() => AddressSet.atLeast(1, sets, [1]), {
    message: "there are 1 weights for 3 sets; give one for each",
  });
});

for (const universe of UNIVERSES)
  test(`intersection and difference at once: ${universe.name}`, () => {
    fc.assert(
      fc.property(ranges, ranges, (one, other) => {
        const [a, b] = [placed(universe, one), placed(universe, other)];
        const { inside, outside } = finished(a.splitting(b));
        assert.ok(inside.equals(a.intersection(b)));
        assert.ok(outside.equals(a.difference(b)));
      }),
      { numRuns: rounds({ short: 400, long: 100_000 }) },
    );
  });

for (const universe of UNIVERSES) {
  test(`every operation against sets of numbers: ${universe.name}`, () => {
    const name = fc.constantFrom(...(Object.keys(OPERATIONS) as SetOperation[]));
    const numRuns = rounds({ short: 100, long: 25_000 });
    fc.assert(
      fc.property(name, ranges, ranges, (operation, one, other) => agrees(universe, operation, one, other)),
      { numRuns },
    );
  });
}

test("`has` against sets of numbers, at every address", () => {
  for (const universe of UNIVERSES) {
    fc.assert(
      fc.property(ranges, (list) => {
        const [set, numbers] = [placed(universe, list), numbersIn(list)];
        for (let low = 0; low < 2 ** BITS; low++) assert.equal(set.has(universe.place(low)), numbers.has(low));
      }),
      { numRuns: 20 },
    );
  }
});

test("laws hold for prefixes of any length", () => {
  const lists = fc.array(anyPrefix, { maxLength: 20 }).map((list) => AddressSet.of(list));
  fc.assert(
    fc.property(lists, lists, (one, other) => {
      const common = one.intersection(other);
      assert.ok(common.equals(other.intersection(one)));
      assert.ok(common.equals(one.difference(one.difference(other))));
      assert.ok(one.union(other).equals(one.symmetricDifference(other).union(common)));
      assert.equal(one.size(6) + other.size(6), one.union(other).size(6) + common.size(6));
      assert.ok(common.isSubsetOf(one) && one.isSupersetOf(common));
    }),
    { numRuns: 400 },
  );
});

test("negative control: an operation that keeps the wrong side is detected", () => {
  const broken: Ranges = [[3, 9]];
  assert.throws(() => {
    const [one, other] = [placed(UNIVERSES[0]!, broken), placed(UNIVERSES[0]!, [[5, 20]])];
    const wrong = other.difference(one);
    assert.deepEqual(numbered(UNIVERSES[0]!, wrong.prefixes(4)), fewest(numbersIn([[3, 4]]), 0, BITS));
  }, assert.AssertionError);
});

test("no prefix of a set is read as all of IPv4: none but ::/0 covers ::ffff:0:0/96", () => {
  const all = AddressSet.of([parsePrefix("::/0")]);
  assert.deepEqual([...all.prefixes(6)].map(formatPrefix), ["::/0"]);
  let found = 0;
  fc.assert(
    fc.property(fc.array(anyPrefix, { minLength: 1, maxLength: 4 }), fc.nat({ max: 128 }), (holes, shortest) => {
      const set = all.difference(AddressSet.of(holes));
      for (const prefix of set.prefixes(6, Math.min(shortest, 12))) {
        if (prefix.length === 0) continue;
        rejectMappedBlock(prefix, formatPrefix(prefix));
        assert.ok(set.has(prefix));
        found++;
      }
    }),
    { seed: 20_261_127, numRuns: rounds({ short: 100, long: 2000 }) },
  );
  assert.ok(found > 0);
  assert.throws(() => rejectMappedBlock(prefixOf(parsePrefix("::8000:0:0/81"), 81), "::8000:0:0/81"), /mapped/);
});
