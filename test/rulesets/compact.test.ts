/**
 * Compact lists, compared with the rules at every address of a small world and at every moment, and checked against the
 * definition: no rule of them covers another for at least as long, and no two siblings could be merged.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Random } from "../../bench/data/random.ts";
import { addressBits, type Prefix } from "../../src/address/address.ts";
import { comparePrefixes, formatPrefix, parsePrefix, prefixContains, prefixOf } from "../../src/address/prefix.ts";
import { type Compaction, type CompactOptions, compacting } from "../../src/rulesets/compact.ts";
import type { DesiredRule } from "../../src/rulesets/plan-replacement.ts";
import type { Rule } from "../../src/rulesets/rule.ts";
import { desiredIn } from "../../src/rulesets/rule-columns.ts";
import { finished } from "../../src/turns/finished.ts";
import { rounds } from "../rounds.ts";

const NOW = 1000;
const EXPIRIES = [null, NOW - 5, NOW, NOW + 1, NOW + 10, NOW + 20];
/** Around each expiry, and long after the last. */
const MOMENTS = [0, NOW - 6, NOW - 5, NOW - 1, NOW, NOW + 1, NOW + 9, NOW + 10, NOW + 19, NOW + 20, NOW + 1e9];
const NAMES = [null, null, "a", "b"];

function compacted(
  rules: readonly Rule[],
  options: CompactOptions = {},
): Compaction & { readonly list: DesiredRule[] } {
  const compaction = finished(compacting(rules, NOW, options));
  return { ...compaction, list: compaction.rules.flatMap((part) => [...desiredIn(part)]) };
}

function ruleOf(prefix: Prefix, name: string | null, expiresAt: number | null): Rule {
  return { prefix, name, expiresAt, createdAt: 0, updatedAt: 0 };
}

/** Rules from texts such as "20.0.0.0/24 a +10": a name, and the milliseconds from `NOW` until the rule expires. */
function rulesOf(...texts: readonly string[]): Rule[] {
  const rules = texts.map((text) => {
    const [prefix, ...rest] = text.split(" ");
    const expiry = rest.find((each) => /^[+-]\d+$/.test(each));
    const name = rest.find((each) => each !== expiry) ?? null;
    return ruleOf(parsePrefix(prefix!), name, expiry === undefined ? null : NOW + Number(expiry));
  });
  return rules.sort((a, b) => comparePrefixes(a.prefix, b.prefix));
}

function textOf({ prefix, name, expiresAt }: DesiredRule): string {
  const expiry = expiresAt === null ? "" : ` ${expiresAt < NOW ? "" : "+"}${expiresAt - NOW}`;
  return `${formatPrefix(prefix)}${name === null ? "" : ` ${name}`}${expiry}`;
}

const listOf = (rules: readonly Rule[], options?: CompactOptions): string[] =>
  compacted(rules, options).list.map(textOf);

/** Random prefixes of a world of 32 addresses; some worlds have few expiries and names, so that siblings merge. */
function worldOf(base: Prefix, random: Random): Rule[] {
  const rules = new Map<string, Rule>();
  const bits = addressBits(base.family);
  const [expiries, names] = [1 + random.below(EXPIRIES.length), 2 + random.below(NAMES.length - 1)];
  for (let left = 1 + random.below(24); left > 0; left--) {
    const last = random.below(32);
    const address = base.family === 4 ? { ...base, w0: base.w0 + last } : { ...base, w3: base.w3 + last };
    const prefix = prefixOf(address, bits - Math.min(random.below(6), random.below(6)));
    const expiresAt = EXPIRIES[random.below(expiries)]!;
    rules.set(formatPrefix(prefix), ruleOf(prefix, NAMES[random.below(names)]!, expiresAt));
  }
  return [...rules.values()].sort((a, b) => comparePrefixes(a.prefix, b.prefix));
}

/** Which of the 32 addresses are covered at each of the moments. */
function coverage(base: Prefix, rules: readonly DesiredRule[]): string[] {
  const bits = addressBits(base.family);
  return MOMENTS.map((moment) =>
    Array.from({ length: 32 }, (_, last) => {
      const address = base.family === 4 ? { ...base, w0: base.w0 + last } : { ...base, w3: base.w3 + last };
      const isCovered = rules.some(
        ({ prefix, expiresAt }) =>
          (expiresAt === null || moment < expiresAt) && prefixContains(prefix, prefixOf(address, bits)),
      );
      return isCovered ? "1" : "0";
    }).join(""),
  );
}

const lasting = ({ expiresAt }: DesiredRule): number => expiresAt ?? Infinity;

function assertCompact(list: readonly DesiredRule[], ignoreNames: boolean): void {
  for (const [at, one] of list.entries()) {
    if (at > 0) assert.ok(comparePrefixes(list[at - 1]!.prefix, one.prefix) < 0, "in the order of prefixes");
    for (const other of list) {
      if (one === other || lasting(one) <= NOW) continue;
      assert.ok(
        !(prefixContains(one.prefix, other.prefix) && lasting(one) >= lasting(other)),
        `${textOf(other)} is superfluous in ${textOf(one)}`,
      );
      const areSiblings =
        one.prefix.length === other.prefix.length &&
        one.prefix.length > 0 &&
        prefixContains(prefixOf(one.prefix, one.prefix.length - 1), other.prefix);
      if (!areSiblings || lasting(one) !== lasting(other)) continue;
      assert.ok(!ignoreNames && one.name !== other.name, `${textOf(one)} and ${textOf(other)} could be united`);
    }
  }
}

const BASES = ["20.0.0.32/27", "2001:470::ffff:ffe0/123"].map((text) => parsePrefix(text));

test("a compact list covers the same addresses at every moment, and cannot be made shorter in the same way", (c) => {
  const counts = { worlds: 0, superfluous: 0, forNow: 0, united: 0 };
  const random = new Random(19);
  for (let round = rounds({ short: 1500, long: 60_000 }); round > 0; round--) {
    const base = BASES[round % 2]!;
    const ignoreNames = random.below(2) === 0;
    const rules = worldOf(base, random);
    const { list, superfluous, superfluousForNow, united } = compacted(rules, { ignoreNames });
    const what = rules.map(textOf).join(", ");
    assert.deepEqual(coverage(base, list), coverage(base, rules), what);
    assertCompact(list, ignoreNames);
    const names = new Set(rules.map(({ name }) => name));
    assert.ok(list.every(({ name }) => name === null || names.has(name)));
    assert.ok(list.length + superfluous + united <= rules.length, what);
    const again = compacted(
      list.map((rule) => ruleOf(rule.prefix, rule.name, rule.expiresAt)),
      { ignoreNames },
    );
    assert.deepEqual([again.list, again.superfluous, again.united], [list, 0, 0], what);
    counts.worlds++;
    counts.superfluous += superfluous;
    counts.forNow += superfluousForNow;
    counts.united += united;
  }
  c.diagnostic(JSON.stringify(counts));
  assert.ok(Math.min(counts.superfluous, counts.united, counts.forNow) > counts.worlds / 10);
});

test("negative control: a compaction that ignores expiries is detected", () => {
  const random = new Random(19);
  let found = 0;
  for (let round = 0; round < 50; round++) {
    const rules = worldOf(BASES[0]!, random);
    const permanent = rules.map((rule) => ({ ...rule, expiresAt: null }));
    const kept = new Set(compacted(permanent).list.map(({ prefix }) => formatPrefix(prefix)));
    const broken = rules.filter(({ prefix }) => kept.has(formatPrefix(prefix)));
    if (JSON.stringify(coverage(BASES[0]!, broken)) !== JSON.stringify(coverage(BASES[0]!, rules))) found++;
  }
  assert.ok(found > 10, `${found} of 50`);
});

describe("what is superfluous, and until when", () => {
  test("a rule that expires no later than one that contains it; one that expires later only for now", () => {
    const rules = rulesOf(
      "20.0.0.0/8 net +10",
      "20.1.0.0/16 +10",
      "20.2.0.0/16 longer +20",
      "20.2.3.4 +15",
      "30.0.0.1",
    );
    const { list, superfluous, superfluousForNow, redundant } = compacted(rules);
    assert.deepEqual(list.map(textOf), ["20.0.0.0/8 net +10", "20.2.0.0/16 longer +20", "30.0.0.1"]);
    assert.deepEqual([superfluous, superfluousForNow], [2, 1]);
    assert.deepEqual(
      redundant.map(
        ({ rule, coveredBy, isSuperfluous }) =>
          `${textOf(rule)} in ${textOf(coveredBy)}: ${isSuperfluous ? "out" : "stays"}`,
      ),
      [
        "20.1.0.0/16 +10 in 20.0.0.0/8 net +10: out",
        "20.2.0.0/16 longer +20 in 20.0.0.0/8 net +10: stays",
        "20.2.3.4 +15 in 20.2.0.0/16 longer +20: out",
      ],
    );
    assert.equal(compacted(rules, { maxListed: 1 }).redundant.length, 1);
  });

  test("an expired rule covers nothing and stays, unless an active one covers it", () => {
    assert.deepEqual(listOf(rulesOf("20.0.0.0/8 -1", "20.1.0.0/16 -1", "20.2.0.0/16")), [
      "20.0.0.0/8 -1",
      "20.1.0.0/16 -1",
      "20.2.0.0/16",
    ]);
    assert.deepEqual(listOf(rulesOf("20.0.0.0/8", "20.1.0.0/16 -1")), ["20.0.0.0/8"]);
  });
});

describe("what unites", () => {
  test("siblings of the same expiry, again and again, whatever is inside them", () => {
    const quarters = ["20.0.0.0/26", "20.0.0.64/26", "20.0.0.128/26", "20.0.0.192/26"];
    assert.deepEqual(listOf(rulesOf(...quarters)), ["20.0.0.0/24"]);
    assert.equal(compacted(rulesOf(...quarters)).united, 1);
    assert.deepEqual(listOf(rulesOf(...quarters.map((text) => `${text} +10`), "20.0.0.7 +20")), [
      "20.0.0.0/24 +10",
      "20.0.0.7 +20",
    ]);
    assert.deepEqual(listOf(rulesOf("20.0.0.1", "20.0.0.2", "2001:470::/33", "2001:470:8000::/33")), [
      "20.0.0.1",
      "20.0.0.2",
      "2001:470::/32",
    ]);
    assert.deepEqual(listOf(rulesOf("0.0.0.0/1", "128.0.0.0/1")), ["0.0.0.0/0"]);
  });

  test("not those of different expiries, nor expired ones", () => {
    for (const pair of [
      ["20.0.0.0/25 +10", "20.0.0.128/25 +11"],
      ["20.0.0.0/25", "20.0.0.128/25 +10"],
      ["20.0.0.0/25 -1", "20.0.0.128/25 -1"],
    ])
      assert.deepEqual(listOf(rulesOf(...pair)), pair);
  });

  test("different names only if names are ignored, and then the united rule has none", () => {
    const pair = ["20.0.0.0/25 a", "20.0.0.128/25 b"];
    assert.deepEqual(listOf(rulesOf(...pair)), pair);
    assert.deepEqual(listOf(rulesOf(...pair), { ignoreNames: true }), ["20.0.0.0/24"]);
    assert.deepEqual(listOf(rulesOf("20.0.0.0/25 a", "20.0.0.128/25 a")), ["20.0.0.0/24 a"]);
  });

  test("in place of a rule that expires earlier", () => {
    assert.deepEqual(listOf(rulesOf("20.0.0.0/24 short +1", "20.0.0.0/25 +9", "20.0.0.128/25 +9")), ["20.0.0.0/24 +9"]);
    assert.deepEqual(listOf(rulesOf("20.0.0.0/24 old -1", "20.0.0.0/25", "20.0.0.128/25")), ["20.0.0.0/24"]);
  });
});
