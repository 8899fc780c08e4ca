/**
 * Lists of millions of rules are kept in columns, with names as bytes. They equal plain objects that are sorted by
 * comparison.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { comparePrefixes, formatPrefix, prefixOf } from "../../src/address/prefix.ts";
import type { DesiredRule } from "../../src/rulesets/plan-replacement.ts";
import { columnsOf, desiredIn } from "../../src/rulesets/rule-columns.ts";
import { RuleIndex } from "../../src/rulesets/index/rule-index.ts";
import { RuleList, RULES_PER_PART } from "../../src/rulesets/rule-list.ts";
import { namesOf, packNames } from "../../src/rulesets/rule-names.ts";
import { retainedMemory } from "../retained-memory.ts";

/** Integers from 0 up, the same on each run. */
let seed = 20_261_122;
function random(below: number): number {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((seed / 2 ** 32) * below);
}

interface Line extends DesiredRule {
  readonly line: number;
}

function anyName(kinds: number): string | null {
  const number = random(kinds);
  if (number % 7 === 0) return null;
  return [
    "",
    `n${number}`,
    `Ä ${number} ß`,
    `日本 ${number}`,
    `\u{1f600}${number}`,
    "\ufeffx",
    "y".repeat(255),
    "é".repeat(number % 250),
  ][number % 8]!;
}

/** Rules around a few addresses, so that they cover and repeat each other. */
function anyList(count: number, spread: number, kinds: number): Line[] {
  return Array.from({ length: count }, (_, at) => {
    const w0 = random(spread) * 0x01_01_01_01;
    const isIpv6 = random(3) === 0;
    const address = isIpv6
      ? { family: 6 as const, w0: w0 >>> 0, w1: random(3), w2: random(2) * 0xffff_0000, w3: random(spread) }
      : { family: 4 as const, w0: (w0 + random(spread)) >>> 0, w1: 0, w2: 0, w3: 0 };
    const prefix = prefixOf(address, isIpv6 ? 128 - random(100) : 32 - random(20));
    return { prefix, name: anyName(kinds), expiresAt: random(3) === 0 ? null : random(4), line: 3 * at + 1 };
  });
}

interface Outcome {
  readonly rules: readonly Line[];
  /** The repeated prefix, its line, the line of its first occurrence, and whether both say the same. */
  readonly repeated: readonly (readonly [string, number, number, boolean])[];
}

/** The earlier implementation: slow, with an object for each rule. */
function oracle(list: readonly Line[]): Outcome {
  const all = list.toSorted((a, b) => comparePrefixes(a.prefix, b.prefix));
  const repeated: (readonly [string, number, number, boolean])[] = [];
  const rules: Line[] = [];
  for (const rule of all) {
    const first = rules.at(-1);
    if (first === undefined || comparePrefixes(first.prefix, rule.prefix) !== 0) rules.push(rule);
    else {
      const isSame = first.name === rule.name && first.expiresAt === rule.expiresAt;
      repeated.push([formatPrefix(rule.prefix), rule.line, first.line, isSame]);
    }
  }
  return { rules, repeated };
}

function collected(list: readonly Line[]): Outcome {
  const rules = new RuleList();
  for (const { line, ...rule } of list) rules.add(rule, line);
  assert.equal(rules.count, list.length);
  const repeated: (readonly [string, number, number, boolean])[] = [];
  const { result: parts } = steps(
    rules.inOrder((prefix, line, first, isSame) => repeated.push([formatPrefix(prefix), line, first, isSame])),
  );
  assert.ok(parts.every(({ lengths }) => lengths.length > 0 && lengths.length <= RULES_PER_PART));
  return {
    rules: parts.flatMap((part) => Array.from(desiredIn(part), (rule, at) => ({ ...rule, line: part.lines[at]! }))),
    repeated,
  };
}

/** Runs work to completion, and counts how often it could have been interrupted. */
function steps<Result>(work: Generator<undefined, Result, undefined>): { result: Result; count: number } {
  for (let count = 1; ; count++) {
    const { done, value } = work.next();
    if (done === true) return { result: value, count };
  }
}

/**
 * Compares several hundred small lists, which are sorted by comparison, and a few large ones, which are sorted by
 * digits.
 */
function compare(make: (list: readonly Line[]) => Outcome): number {
  let repeated = 0;
  for (let round = 0; round < 300; round++) {
    const list =
      round < 295
        ? anyList(random(40), 1 + random(20), 1 + random(60))
        : anyList(30_000, 200, round % 2 === 0 ? 20 : 1e6);
    const expected = oracle(list);
    assert.deepEqual(make(list), expected);
    repeated += expected.repeated.length;
  }
  return repeated;
}

test("a list in columns equals one of objects, including repeated prefixes", () =>
  assert.ok(compare(collected) > 1000));

test("equal names are the same, also where there are more than can be shared", () => {
  const prefix = prefixOf({ family: 4, w0: 0x08080808, w1: 0, w2: 0, w3: 0 }, 32);
  const names = Array.from({ length: 5000 }, (_, at) => `name ${at}`);
  const rules = new RuleList();
  for (const [line, name] of [...names, ...names].entries())
    rules.add({ prefix: { ...prefix, w0: line % 5000 }, name, expiresAt: null }, line);
  let same = 0;
  steps(rules.inOrder((_prefix, _line, _first, isSame) => void (same += Number(isSame))));
  assert.equal(same, 5000);
});

test("a sorted list, and an empty one", () => {
  const { rules } = oracle(anyList(20_000, 200, 1e6));
  assert.deepEqual(collected(rules), { rules, repeated: [] });
  assert.deepEqual(collected([]), { rules: [], repeated: [] });
});

test("a list of one rule with a name takes a few kilobytes, as most lists are short", () => {
  const prefix = prefixOf({ family: 4, w0: 0x08080808, w1: 0, w2: 0, w3: 0 }, 32);
  const before = retainedMemory();
  const lists = Array.from({ length: 100 }, () => new RuleList());
  for (const list of lists) list.add({ prefix, name: "one", expiresAt: null }, 0);
  const bytes = (retainedMemory() - before) / lists.length;
  assert.ok(bytes > 1000 && bytes < 20_000, `${bytes} bytes`);
});

/** The negative control. */
const BROKEN: Record<string, (list: readonly Line[]) => Outcome> = {
  "keeps the later of two": (list) => collected(list.toReversed()),
  "forgets names": (list) => collected(list.map((rule) => ({ ...rule, name: rule.name === "" ? null : rule.name }))),
  "leaves lengths out of the order": (list) => ({
    ...collected(list),
    rules: collected(list).rules.toSorted(
      (a, b) =>
        comparePrefixes({ ...a.prefix, length: 0 }, { ...b.prefix, length: 0 }) || b.prefix.length - a.prefix.length,
    ),
  }),
};
for (const [what, broken] of Object.entries(BROKEN)) {
  test(`one that ${what} is detected`, () => assert.throws(() => compare(broken), assert.AssertionError));
}

test("packed names equal the names", () => {
  const names = Array.from({ length: 5000 }, () => anyName(500));
  const packed = packNames(names);
  assert.deepEqual(namesOf(packed), names);
  assert.equal(packed.ends.length, new Set(names.filter((name) => name !== null)).size);
  assert.deepEqual(namesOf(packNames([])), []);
});

test("an index with packed names equals one with strings, in any order, even after changes and in a copy", () => {
  const { rules } = oracle(anyList(12_000, 300, 1e5));
  const all = rules.map(({ prefix, name, expiresAt }) => ({ prefix, name, expiresAt, createdAt: 1, updatedAt: 2 }));
  const packed = columnsOf(all).map((columns) => ({ ...columns, names: packNames(namesOf(columns.names)) }));
  const index = RuleIndex.from(packed);
  const copy = index.copy();
  assert.deepEqual([...index.rules()], all);
  for (let round = 0; round < 2000; round++) {
    const rule = all[random(all.length)]!;
    assert.deepEqual(index.get(rule.prefix), rule);
  }
  const changed = all.map((rule, at) => (at % 3 === 0 ? { ...rule, name: anyName(100) } : rule));
  for (const [at, rule] of changed.entries()) if (at % 3 === 0) index.set(rule);
  for (const [at, rule] of changed.entries()) if (at % 5 === 0) assert.ok(index.delete(rule.prefix));
  assert.deepEqual(
    [...index.rules()],
    changed.filter((_, at) => at % 5 !== 0),
  );
  assert.deepEqual([...copy.rules()], all);
});

test("sorting a list and building an index can be interrupted after some thousand rules", () => {
  const count = 100_000;
  const list = new RuleList();
  for (let at = 0; at < count; at++)
    list.add(
      {
        prefix: prefixOf({ family: 4, w0: (at * 2_654_435_761) >>> 0, w1: 0, w2: 0, w3: 0 }, 32),
        name: null,
        expiresAt: at,
      },
      at,
    );
  const sorted = steps(list.inOrder(() => assert.fail("a prefix stands twice")));
  assert.ok(sorted.count > 4 * (count / 16_384), `${sorted.count} steps`);
  const built = steps(RuleIndex.building(sorted.result));
  assert.equal(built.result.count, count);
  assert.ok(built.count > 4 * (count / 16_384), `${built.count} steps`);
});
