import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Family } from "../../src/address/address.ts";
import { formatPrefix, parsePrefix } from "../../src/address/prefix.ts";
import { type CompiledList, compileList } from "../../src/deployments/compile.ts";
import { type Gathered, gatheringPrefixes } from "../../src/deployments/gathered.ts";
import { gatheringRules } from "../../src/deployments/sources/rules.ts";
import { expiringEntries, TimedList } from "../../src/deployments/time-list.ts";
import { RuleIndex } from "../../src/rulesets/index/rule-index.ts";
import { AddressSet } from "../../src/sets/address-set.ts";
import { AddressTimes, type EndingPrefix } from "../../src/sets/address-times.ts";
import { finished } from "../../src/turns/finished.ts";
import { rounds } from "../rounds.ts";
import { anyCase } from "./any-case.ts";
import { BITS, type Case, DAY, endsOf, fewest, gathered, numbered, UNIVERSES } from "./compile-oracle.ts";

/** A ruleset of prefixes, with the second at which each expires; null: never. */
function rules(...texts: readonly (readonly [prefix: string, end: number | null])[]): Gathered {
  const index = new RuleIndex();
  for (const [text, end] of texts)
    index.set({
      prefix: parsePrefix(text),
      name: null,
      expiresAt: end === null ? null : end * 1000,
      createdAt: 0,
      updatedAt: 0,
    });
  return finished(gatheringRules("rules", index, 0, true));
}

function prefixes(...texts: readonly string[]): Gathered {
  return finished(
    gatheringPrefixes(
      "prefixes",
      texts.map((text) => parsePrefix(text)),
    ),
  );
}

function timed(include: readonly Gathered[], exclude: readonly Gathered[] = [], shortest = { 4: 0, 6: 0 }): TimedList {
  const list = compileList({ include, exclude, shortest });
  return finished(TimedList.making(list, include));
}

function textsOf(entries: Iterable<EndingPrefix>): string[] {
  return [...entries].map(({ prefix, end }) => `${formatPrefix(prefix)} ${end}`);
}

/** What is included, what is excluded, and the resulting entries. */
const TABLE: readonly (readonly [string, readonly Gathered[], readonly Gathered[], readonly string[]])[] = [
  ["a rule alone", [rules(["20.0.0.0/24", 9])], [], ["20.0.0.0/24 9"]],
  ["a rule that never ends", [rules(["20.0.0.0/24", null])], [], ["20.0.0.0/24 Infinity"]],
  ["neighbours with one end are joined", [rules(["20.0.0.0/25", 9], ["20.0.0.128/25", 9])], [], ["20.0.0.0/24 9"]],
  ["and not with two", [rules(["20.0.0.0/25", 9], ["20.0.0.128/25", 8])], [], ["20.0.0.0/25 9", "20.0.0.128/25 8"]],
  [
    "a more specific rule that ends later splits",
    [rules(["20.0.0.0/30", 5], ["20.0.0.1", 9])],
    [],
    ["20.0.0.0 5", "20.0.0.1 9", "20.0.0.2/31 5"],
  ],
  ["one that ends earlier does not", [rules(["20.0.0.0/30", 9], ["20.0.0.1", 5])], [], ["20.0.0.0/30 9"]],
  ["the later of two sources", [rules(["20.0.0.0/30", 5]), rules(["20.0.0.0/30", 9])], [], ["20.0.0.0/30 9"]],
  [
    "a source without ends",
    [rules(["20.0.0.0/30", 5]), prefixes("20.0.0.2")],
    [],
    ["20.0.0.0/31 5", "20.0.0.2 Infinity", "20.0.0.3 5"],
  ],
  ["excludes, which end or not", [rules(["20.0.0.0/31", 5])], [rules(["20.0.0.0", 3])], ["20.0.0.1 5"]],
  [
    "up to the last addresses of all",
    [rules(["255.255.255.254/31", 5], ["255.255.255.255", 7], ["ffff::/16", 5], [`ffff${":ffff".repeat(7)}`, null])],
    [],
    ["255.255.255.254 5", "255.255.255.255 7"],
  ],
  ["parts of a second are rounded up", [rules(["20.0.0.0", 4.001])], [], ["20.0.0.0 5"]],
];

test("by example: when entries end, and where they are split", () => {
  for (const [what, include, exclude, expected] of TABLE) {
    const { entries } = timed(include, exclude);
    const texts = textsOf(timed(include, exclude).prefixes());
    assert.equal(texts.length, entries[4] + entries[6], what);
    assert.deepEqual(textsOf(timed(include, exclude).prefixes(4)), expected, what);
    if (entries[6] > 0) assert.deepEqual([texts.at(-1), entries[6]], [`ffff${":ffff".repeat(7)} Infinity`, 113], what);
  }
});

test("nothing is joined beyond the widest prefix that is allowed", () => {
  const list = timed([rules(["20.0.0.0/8", 9], ["21.0.0.0/8", 9])], [], { 4: 8, 6: 19 });
  assert.deepEqual(textsOf(list.prefixes()), ["20.0.0.0/8 9", "21.0.0.0/8 9"]);
});

test("entries that are not split end with the last of their addresses", () => {
  const include = [rules(["20.0.0.0/30", 5], ["20.0.0.1", 9], ["20.0.0.8", null], ["2001:db8::/32", 7])];
  const list = compileList({ include, exclude: [] });
  const { times } = finished(TimedList.making(list, include));
  const joined = finished(TimedList.joining(list, times));
  assert.deepEqual(textsOf(joined.prefixes()), ["20.0.0.0/30 9", "20.0.0.8 Infinity", "2001:db8::/32 7"]);
  assert.deepEqual([joined.entries, joined.last, joined.permanent], [{ 4: 2, 6: 1 }, 9, 1]);
});

test("what has ended is left out, and no time is longer than the longest", () => {
  const list = timed([rules(["20.0.0.0", 10], ["20.0.0.2", 11], ["20.0.0.4", 1000], ["20.0.0.6", null])]);
  const found = [...expiringEntries(list.prefixes(), 10_000, 60)];
  assert.deepEqual(
    found.map(({ prefix, expiresAt }) => [formatPrefix(prefix), expiresAt]),
    [
      ["20.0.0.2", 11_000],
      ["20.0.0.4", 70_000],
      ["20.0.0.6", null],
    ],
  );
});

/** The numbers by the time at which they end. */
function byEnd(ends: ReadonlyMap<number, number>): Map<number, Set<number>> {
  const all = new Map<number, Set<number>>();
  for (const [number, end] of ends) all.set(end, (all.get(end) ?? new Set()).add(number));
  return all;
}

/** Asserts that each number of the universe ends when the oracle says, in the fewest possible entries. */
function agrees(family: Family, each: Case, now: number, gather: typeof gathered): void {
  const widest = BITS - each.shortest;
  const shortest = { 4: 0, 6: 0, [family]: UNIVERSES[family].length + each.shortest };
  const include = each.include.map((source) => gather(family, source, now, true));
  const exclude = each.exclude.map((source) => gathered(family, source, now));
  const list = compileList({ include, exclude, shortest });
  const made = finished(TimedList.making(list, include));
  const expected = endsOf(each, now);
  const found = [...made.prefixes(family)];
  let count = 0;
  for (const [end, numbers] of byEnd(expected)) {
    const own = found.filter((entry) => entry.end === end).map(({ prefix }) => prefix);
    assert.deepEqual(numbered(family, own), fewest(numbers, widest));
    count += own.length;
  }
  assert.deepEqual([found.length, made.entries[family]], [count, count]);
  assert.ok(AddressSet.of(found.map(({ prefix }) => prefix)).equals(list.addresses));
  joins(family, { list, times: made.times, expected });
}

/** Asserts that entries that are not split end with the last of their numbers, and list the same. */
function joins(
  family: Family,
  {
    list,
    times,
    expected,
  }: { readonly list: CompiledList; readonly times: AddressTimes; readonly expected: ReadonlyMap<number, number> },
): void {
  const joined = finished(TimedList.joining(list, times));
  const ends = new Map<number, number>();
  for (const text of numbered(family, list.prefixes())) {
    const [first, exponent] = text.split(" ").map(Number) as [number, number];
    const numbers = Array.from({ length: 2 ** exponent }, (_, at) => first + at);
    const last = Math.max(...numbers.map((number) => expected.get(number)!));
    for (const number of numbers) ends.set(number, last);
  }
  for (const { prefix, end } of joined.prefixes(family)) {
    const [first, exponent] = numbered(family, [prefix])[0]!.split(" ").map(Number) as [number, number];
    for (let number = first; number < first + 2 ** exponent; number++) assert.equal(ends.get(number), end);
  }
  assert.equal(joined.entries[family], list.tally.count(family));
  assert.ok(AddressSet.of([...joined.prefixes()].map(({ prefix }) => prefix)).equals(list.addresses));
}

for (const family of [4, 6] as const)
  test(`every kind of source, when each address ends, against sets of numbers: IPv${family}`, () => {
    const now = fc.nat({ max: 14 }).map((half) => (half * DAY) / 2);
    const property = fc.property(anyCase, now, (each, at) => agrees(family, each, at, gathered));
    fc.assert(property, { numRuns: rounds({ short: 150, long: 2000 }) });
  });

test("negative control: sources that forget their ends, or end a day early, are found", () => {
  const forgetful: typeof gathered = (family, source, now) => gathered(family, source, now);
  const early: typeof gathered = (family, source, now) => {
    const { times, ...rest } = gathered(family, source, now, true);
    const parts = times && [...times.prefixes(family)].map(({ prefix, end }) => ({ prefix, end: end - DAY / 1000 }));
    return { ...rest, ...(parts && { times: finished(AddressTimes.collecting(parts, "latest")) }) };
  };
  for (const broken of [forgetful, early])
    assert.throws(
      () =>
        fc.assert(
          fc.property(anyCase, (each) => agrees(4, each, DAY, broken)),
          { numRuns: 400 },
        ),
      ({ cause }: Error) => cause instanceof assert.AssertionError,
    );
});

test("prefixes that come out of order are an error", () => {
  const wrong = ["20.0.0.1", "20.0.0.0"].map((text) => ({ prefix: parsePrefix(text), end: 1 }));
  assert.throws(
    () => finished(AddressTimes.collecting(wrong, "latest")),
    /^RangeError: 20\.0\.0\.0 comes after 20\.0\.0\.1/,
  );
});
