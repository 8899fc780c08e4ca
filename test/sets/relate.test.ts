import assert from "node:assert/strict";
import { test } from "node:test";
import type { Prefix } from "../../src/address/address.ts";
import { parsePrefix, prefixOf } from "../../src/address/prefix.ts";
import { AddressSet } from "../../src/sets/address-set.ts";
import { millionthsOf, type Relation, type Relations, relating } from "../../src/sets/relate.ts";
import { finished } from "../../src/turns/finished.ts";

/** From 0 to 1, the same on each run. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

type Numbers = ReadonlySet<number>;

/** Eight addresses of each family: numbers 0 to 7, and 8 to 15. */
const BLOCKS = [parsePrefix("203.0.113.0/29"), parsePrefix("2001:db8::/125")];
const prefixAt = (number: number): Prefix => {
  const block = BLOCKS[number >> 3]!;
  const low = number & 7;
  return block.family === 4
    ? prefixOf({ ...block, w0: (block.w0 + low) >>> 0 }, 32)
    : prefixOf({ ...block, w3: (block.w3 + low) >>> 0 }, 128);
};
const setOf = (numbers: Numbers): AddressSet => AddressSet.of([...numbers].map(prefixAt));

const isWithin = (a: Numbers, b: Numbers): boolean => [...a].every((number) => b.has(number));
const both = (a: Numbers, b: Numbers): Numbers => new Set([...a].filter((number) => b.has(number)));
const without = (a: Numbers, b: Numbers): Numbers => new Set([...a].filter((number) => !b.has(number)));

function relationOf(a: Numbers, b: Numbers): Relation {
  if (isWithin(a, b) && isWithin(b, a)) return "equal";
  if (both(a, b).size === 0) return "disjoint";
  if (isWithin(b, a)) return "covers";
  return isWithin(a, b) ? "within" : "overlaps";
}

const counted = (numbers: Numbers) => ({
  4: BigInt([...numbers].filter((number) => number < 8).length),
  6: BigInt([...numbers].filter((number) => number >= 8).length),
});

/** Computed with sets of numbers. */
function expected(sets: readonly Numbers[]): Relations {
  return {
    sets: sets.map((set, at) => {
      const others = new Set(sets.flatMap((other, index) => (index === at ? [] : [...other])));
      return { size: counted(set), only: counted(without(set, others)) };
    }),
    pairs: sets.flatMap((one, first) =>
      sets.slice(first + 1).map((other, at) => ({
        first,
        second: first + 1 + at,
        relation: relationOf(one, other),
        shared: counted(both(one, other)),
      })),
    ),
  };
}

test("relations and exclusive addresses equal those of sets of numbers", () => {
  const random = randomNumbers(19);
  const seen = new Map<string, number>();
  for (let round = 0; round < 1000; round++) {
    const some = [0.1, 0.5, 0.9][round % 3]!;
    const sets = Array.from(
      { length: 1 + Math.floor(random() * 4) },
      () => new Set([...Array(16).keys()].filter(() => random() < some)),
    );
    if (random() < 0.3) sets.push(new Set([...sets[0]!].filter(() => random() < 0.7)));
    if (random() < 0.2) sets.push(new Set(sets[0]));
    const found = finished(relating(sets.map(setOf)));
    assert.deepEqual(found, expected(sets));
    for (const { relation } of found.pairs) seen.set(relation, (seen.get(relation) ?? 0) + 1);
  }
  assert.equal(seen.size, 5, `every relation was seen: ${JSON.stringify([...seen])}`);
  const [one, other] = [new Set([1, 2]), new Set([2, 3])];
  assert.notDeepEqual(finished(relating([setOf(one), setOf(one)])), expected([one, other]), "negative control");
});

test("shares are in millionths, rounded down: a whole set is a million", () => {
  assert.equal(millionthsOf(0n, 0n), null);
  assert.equal(millionthsOf(0n, 5n), 0);
  assert.equal(millionthsOf(2n, 3n), 666_666);
  assert.equal(millionthsOf((1n << 128n) - 1n, 1n << 128n), 999_999);
  assert.equal(millionthsOf(1n << 128n, 1n << 128n), 1_000_000);
});
