import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Family, Prefix } from "../../src/address/address.ts";
import { formatPrefix, parsePrefix } from "../../src/address/prefix.ts";
import { Catalogue } from "../../src/cbs/catalogue.ts";
import { CatalogueBuilder } from "../../src/cbs/catalogue-builder.ts";
import { CatalogueTree } from "../../src/cbs/catalogue-tree.ts";
import { CtiBuilder } from "../../src/cti/dataset-builder.ts";
import { CtiDataset } from "../../src/cti/dataset.ts";
import { recordOf } from "../../src/cti/fields.ts";
import { type CompiledList, compileList, compilingList, type ListContent } from "../../src/deployments/compile.ts";
import { type Gathered, gatheringPrefixes } from "../../src/deployments/gathered.ts";
import { gatheringNode } from "../../src/deployments/sources/node.ts";
import { gatheringRules } from "../../src/deployments/sources/rules.ts";
import { gatheringThreats } from "../../src/deployments/sources/threats.ts";
import { RuleIndex } from "../../src/rulesets/index/rule-index.ts";
import { columnsOf } from "../../src/rulesets/rule-columns.ts";
import { freeze } from "../../src/table/freeze.ts";
import type { Rule } from "../../src/rulesets/rule.ts";
import { AddressSet } from "../../src/sets/address-set.ts";
import { finished } from "../../src/turns/finished.ts";
import { rounds } from "../rounds.ts";
import { anyCase, block } from "./any-case.ts";
import { BITS, type Case, DAY, expectedOf, fewest, gathered, numbered, ruleOf, UNIVERSES } from "./compile-oracle.ts";

function prefixes(name: string, ...texts: string[]): Gathered {
  return finished(
    gatheringPrefixes(
      name,
      texts.map((text) => parsePrefix(text)),
    ),
  );
}

function textsOf(list: CompiledList, family?: Family): string[] {
  return [...list.prefixes(family)].map(formatPrefix);
}

test("by example: includes without excludes, joined, with counts", () => {
  const list = compileList({
    include: [prefixes("one", "10.0.0.0/24", "2001:db8::/32"), prefixes("two", "10.0.1.0/24")],
    exclude: [prefixes("office", "10.0.1.7"), prefixes("unrelated", "192.0.2.0/24")],
  });
  assert.deepEqual(textsOf(list, 4), [
    "10.0.0.0/24",
    "10.0.1.0/30",
    "10.0.1.4/31",
    "10.0.1.6",
    "10.0.1.8/29",
    "10.0.1.16/28",
    "10.0.1.32/27",
    "10.0.1.64/26",
    "10.0.1.128/25",
  ]);
  assert.deepEqual(textsOf(list, 6), ["2001:db8::/32"]);
  assert.deepEqual([list.tally.count(4), list.tally.count(6)], [9, 1]);
  assert.deepEqual([list.tally.addresses(4), list.tally.addresses(6)], [511n, 1n << 96n]);
  assert.deepEqual(list.tally.widest(4).slice(0, 2).map(formatPrefix), ["10.0.0.0/24", "10.0.1.128/25"]);
  assert.deepEqual([list.removed.count(4), list.removed.addresses(4), list.removed.count(6)], [1, 1n, 0]);
  assert.equal(list.until, Infinity);
});

test("without includes the list is empty, whatever is excluded", () => {
  const list = compileList({ include: [], exclude: [prefixes("all", "0.0.0.0/0", "::/0")] });
  assert.deepEqual(textsOf(list), []);
  assert.deepEqual([list.removed.count(4), list.removed.count(6), list.tooWideCount], [0, 0, 0]);
});

test("a prefix that is too wide is named with its source; excludes may have any width", () => {
  const include = [prefixes("mistake", "0.0.0.0/1", "10.0.0.0/8"), prefixes("another", "2000::/3", "2001:db8::/32")];
  const list = compileList({ include, exclude: [prefixes("wide", "8.0.0.0/6", "2000::/4")] });
  assert.equal(list.tooWideCount, 2);
  const named = list.tooWide.map(({ source, prefix }) => `${source} ${formatPrefix(prefix)}`);
  assert.deepEqual(named, ["mistake 0.0.0.0/1", "another 2000::/3"]);
  const ipv6Only = compileList({ include, exclude: [], families: [6] });
  assert.deepEqual(
    ipv6Only.tooWide.map(({ source }) => source),
    ["another"],
  );
  assert.deepEqual([textsOf(ipv6Only, 4), ipv6Only.tally.count(4)], [[], 0]);
  assert.equal(compileList({ include, exclude: [], shortest: { 4: 1, 6: 3 } }).tooWideCount, 0);
});

test("of many prefixes that are too wide, the widest ten are named, and all are counted", () => {
  const wide = Array.from({ length: 100 }, (_, at) => `${at + 1}.0.0.0/${at === 63 ? 8 : 9}`);
  const list = compileList({ include: [prefixes("wide", ...wide)], exclude: [], shortest: { 4: 16, 6: 19 } });
  assert.equal(list.tooWideCount, 100);
  const named = list.tooWide.map(({ prefix }) => formatPrefix(prefix));
  const expected = ["64.0.0.0/8", ...Array.from({ length: 9 }, (_, at) => `${at + 1}.0.0.0/9`)];
  assert.deepEqual(named, expected);
  const backwards = compileList({
    include: [prefixes("wide", ...wide.toReversed())],
    exclude: [],
    shortest: { 4: 16, 6: 19 },
  });
  assert.deepEqual(
    backwards.tooWide.map(({ prefix }) => formatPrefix(prefix)),
    expected,
  );
});

test("joined prefixes are never wider than allowed", () => {
  const list = compileList({ include: [prefixes("halves", "10.0.0.0/8", "11.0.0.0/8")], exclude: [] });
  assert.deepEqual(textsOf(list), ["10.0.0.0/8", "11.0.0.0/8"]);
});

test("IPv4-mapped addresses are not in an IPv6 list, and are not counted", () => {
  const include = [prefixes("around", "::/64")];
  const list = compileList({ include, exclude: [prefixes("neighbour", "::fffe:0:0/96")] });
  assert.ok(textsOf(list).every((text) => !text.startsWith("::ffff:")));
  assert.equal(list.tally.addresses(6), (1n << 64n) - (2n << 32n));
});

function contentOf(family: Family, { include, exclude, shortest }: Case, now: number): ListContent {
  const base = UNIVERSES[family].length;
  return {
    include: include.map((each) => gathered(family, each, now)),
    exclude: exclude.map((each) => gathered(family, each, now)),
    shortest: { 4: 0, 6: 0, [family]: base + shortest },
  };
}

/** Asserts that the list is the oracle's, and stays so until the time that it gives. */
function agrees(family: Family, each: Case, now: number, compile: typeof compileList): void {
  const list = compile(contentOf(family, each, now));
  const expected = expectedOf(each, now);
  const widest = BITS - each.shortest;
  assert.deepEqual(numbered(family, list.prefixes()), fewest(expected, widest));
  assert.equal(list.tally.count(family), fewest(expected, widest).length);
  assert.equal(list.tally.addresses(family), BigInt(expected.size));
  const included = expectedOf({ ...each, exclude: [] }, now);
  assert.equal(list.removed.addresses(family), BigInt(included.size - expected.size));
  const wide = each.include.some(
    ({ kind, blocks }) => kind === "prefixes" && blocks.some(({ exponent }) => exponent > widest),
  );
  if (wide) assert.ok(list.tooWideCount > 0);
  for (let at = now; at < Math.min(list.until, 12 * DAY); at += DAY / 2)
    assert.deepEqual(expectedOf(each, at), expected, `it says ${list.until / DAY}, and is another one at ${at / DAY}`);
}

for (const family of [4, 6] as const)
  test(`every kind of source against sets of numbers: IPv${family}`, () => {
    const now = fc.nat({ max: 14 }).map((half) => (half * DAY) / 2);
    const numRuns = rounds({ short: 150, long: 50_000 });
    fc.assert(
      fc.property(anyCase, now, (each, now) => agrees(family, each, now, compileList)),
      { numRuns },
    );
  });

const RULE = { name: null, createdAt: 0, updatedAt: 0 };

/** What the rules list, found by checking each of them. */
function listedOneByOne(rules: RuleIndex, now: number): AddressSet {
  return AddressSet.of([...rules.rules()].filter(({ expiresAt }) => now < (expiresAt ?? Infinity)).map(prefixOfRule));
}

function prefixOfRule({ prefix }: Rule): Prefix {
  return prefix;
}

test("rules written and deleted one by one yield the same list as a new index of them, frozen or not", () => {
  const write = fc.record({ block, isDeleted: fc.boolean(), freezes: fc.boolean() });
  const property = fc.property(fc.array(write, { maxLength: 60 }), fc.constantFrom(4, 6), (writes, family) => {
    const rules = new RuleIndex();
    for (const { block: each, isDeleted, freezes } of writes) {
      const { prefix, expiresAt } = ruleOf(family, each);
      if (isDeleted) rules.delete(prefix);
      else rules.set({ ...RULE, prefix, expiresAt });
      if (freezes) finished(rules.freezing());
    }
    const now = 3 * DAY;
    const found = finished(gatheringRules("rules", rules, now));
    assert.ok(found.addresses.equals(listedOneByOne(rules, now)));
    assert.equal(found.prefixes.count(family), rules.activeCount(now));
    assert.equal(found.until, rules.nextExpiry(now) ?? Infinity);
  });
  fc.assert(property, { numRuns: rounds({ short: 300, long: 30_000 }) });
});

test("negative control: an index with one more rule yields another list", () => {
  const rules = RuleIndex.from([]);
  rules.set({ ...RULE, ...ruleOf(4, { first: 8, exponent: 0, day: null, isMalicious: false }) });
  const before = listedOneByOne(rules, 0);
  rules.set({ ...RULE, ...ruleOf(4, { first: 9, exponent: 0, day: null, isMalicious: false }) });
  assert.ok(!finished(gatheringRules("rules", rules, 0)).addresses.equals(before));
});

test("negative control: a compiler that adds excludes back, or ignores an expiry, is detected", () => {
  const withoutExcludes = (content: ListContent): CompiledList => compileList({ ...content, exclude: [] });
  const forgetful = (content: ListContent): CompiledList => {
    const include = content.include.map((each) => ({ ...each, until: Infinity }));
    return compileList({ ...content, include });
  };
  for (const broken of [withoutExcludes, forgetful])
    assert.throws(
      () =>
        fc.assert(
          fc.property(anyCase, (each) => agrees(4, each, DAY, broken)),
          { numRuns: 400 },
        ),
      ({ cause }: Error) => cause instanceof assert.AssertionError,
    );
});

test("a thousand networks, each without the host that is not malicious", () => {
  const builder = new CtiBuilder();
  for (let at = 0; at < 1000; at++) {
    const network = `20.${at >> 8}.${at & 255}`;
    builder.add(parsePrefix(`${network}.0/24`), recordOf({ classification: "malicious", actor: `${at}` }));
    builder.add(parsePrefix(`${network}.7`), recordOf({ classification: "benign" }));
    builder.add(parsePrefix(`2001:db8:${at.toString(16)}::/48`), recordOf({ classification: "malicious" }));
  }
  const { trie, metadata } = builder.build({ title: "Test", createdAt: new Date(0), sources: [] });
  const dataset = new CtiDataset(metadata, freeze(trie));
  const steps = { count: 0 };
  const found = counted(gatheringThreats("threats", dataset, { classification: "malicious" }, 0), steps);
  assert.deepEqual([found.addresses.size(4), found.addresses.size(6)], [255_000n, 1000n << 80n]);
  assert.ok([0, 999].every((at) => !found.addresses.has(parsePrefix(`20.${at >> 8}.${at & 255}.7`))));
  assert.deepEqual([found.prefixes.count(4), found.prefixes.count(6)], [1000, 1000]);
  // Each step looks at 256 documents or prefixes.
  assert.ok(steps.count > 10, `${steps.count} steps`);
});

test("a node of a large catalogue is gathered in short steps, even the first time", () => {
  const builder = new CatalogueBuilder();
  for (let at = 0; at < 20_000; at++) builder.add(parsePrefix(`20.${at >> 8}.${at & 255}.0/24`), "/cloud/one");
  const { trie, metadata } = builder.build({ title: "Test", createdAt: new Date(0), sources: [] });
  const tree = new CatalogueTree(new Catalogue(metadata, freeze(trie)));
  const steps = { count: 0 };
  assert.equal(counted(gatheringNode("node", tree, "/cloud/one"), steps).addresses.size(4), 5_120_000n);
  // Each step reads a thousand prefixes out of the table at most.
  assert.ok(steps.count > 20, `${steps.count} steps`);
});

test("a million rules without a tenth of them are compiled in many short steps", () => {
  const count = rounds({ short: 200_000, long: 1_000_000 });
  const include = rulesOf(count, (at) => at * 4096);
  const exclude = rulesOf(count / 10, (at) => at * 40_960);
  const steps = { count: 0 };
  const [one, other] = [include, exclude].map((rules) => counted(gatheringRules("rules", rules, 0), steps));
  const list = counted(compilingList({ include: [one!], exclude: [other!] }), steps);
  assert.equal(list.tally.count(4), 0.9 * count);
  assert.equal(list.removed.count(4), count / 10);
  // Each step looks at 65,536 boundaries, or 16,384 rules or prefixes, at most.
  assert.ok(steps.count > (150 * count) / 1_000_000, `${steps.count} steps of ${count} rules`);
});

function rulesOf(count: number, addressOf: (at: number) => number): RuleIndex {
  const about = { name: null, expiresAt: null, createdAt: 0, updatedAt: 0 };
  const rules = Array.from({ length: count }, (_, at) => {
    const prefix = { family: 4, w0: addressOf(at), w1: 0, w2: 0, w3: 0, length: 32 } as const;
    return { ...about, prefix };
  });
  return RuleIndex.from(columnsOf(rules));
}

function counted<Result>(work: Generator<undefined, Result, undefined>, steps: { count: number }): Result {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
    steps.count++;
  }
}
