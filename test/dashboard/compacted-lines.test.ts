/**
 * What the page of a compact list says about each rule, compared with the list itself: random worlds, without a
 * browser.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "../../bench/data/random.ts";
import { addressBits, type Prefix } from "../../src/address/address.ts";
import { comparePrefixes, formatPrefix, parsePrefix, prefixContains, prefixOf } from "../../src/address/prefix.ts";
import { type CompactedLine, compactedCounts, compactedLines } from "../../src/dashboard/rulesets/compacted-lines.ts";
import { prefixBits } from "../../src/dashboard/rulesets/prefix-bits.ts";
import { shareText } from "../../src/dashboard/sets/share-text.ts";
import { ruleDocument } from "../../src/formats/rule-document.ts";
import { compacting } from "../../src/rulesets/compact.ts";
import { planReplacement } from "../../src/rulesets/plan-replacement.ts";
import type { Rule } from "../../src/rulesets/rule.ts";
import { desiredIn } from "../../src/rulesets/rule-columns.ts";
import { redundantDocument } from "../../src/service/rules/redundant-document.ts";
import { finished } from "../../src/turns/finished.ts";
import { rounds } from "../rounds.ts";

const NOW = 1_000_000;
const EXPIRIES = [null, NOW + 1, NOW + 20, NOW - 5];
const BASES = ["20.0.1.224/27", "2001:db8::f00:0:e0/123", "::ffff:0:0:e0/123"].map((text) => parsePrefix(text));

function randomPrefix(random: Random): Prefix {
  const base = BASES[random.below(BASES.length)]!;
  const last = random.below(32);
  const address = base.family === 4 ? { ...base, w0: base.w0 + last } : { ...base, w3: base.w3 + last };
  return prefixOf(address, addressBits(base.family) - random.below(6));
}

function randomRules(random: Random): Rule[] {
  const rules = new Map<string, Rule>();
  const expiries = 1 + random.below(EXPIRIES.length);
  for (let left = 1 + random.below(30); left > 0; left--) {
    const prefix = randomPrefix(random);
    const expiresAt = EXPIRIES[random.below(expiries)]!;
    const name = random.below(4) === 0 ? "a" : null;
    rules.set(formatPrefix(prefix), { prefix, name, expiresAt, createdAt: 0, updatedAt: 0 });
  }
  return [...rules.values()].sort((a, b) => comparePrefixes(a.prefix, b.prefix));
}

/** A dry run of the operation on all rules. */
function dryRun(rules: readonly Rule[]) {
  const { rules: parts, superfluous, superfluousForNow, united, redundant } = finished(compacting(rules, NOW));
  const list = parts.flatMap((part) => [...desiredIn(part)]);
  const { added, updated, removed, unchanged } = planReplacement(rules, list, NOW);
  const plan = {
    added: added.map(ruleDocument),
    updated: updated.map(({ before, after }) => ({ before: ruleDocument(before), after: ruleDocument(after) })),
    removed: removed.map(ruleDocument),
    redundant: redundant.map(redundantDocument),
    truncated: false,
  };
  const [changes, found] = [
    { added: added.length, updated: updated.length, removed: removed.length, unchanged },
    { superfluous, superfluous_for_now: superfluousForNow, united },
  ];
  return { list, response: { ...changes, ...found, can_undo: true, dry_run: true, plan } };
}

const lasting = ({ expires_at }: { readonly expires_at: string | null }): string => expires_at ?? "9";

type Planned = ReturnType<typeof dryRun>;

function assertTold(lines: readonly CompactedLine[], { list, response: { plan } }: Planned): void {
  const covers = (outer: string, inner: string): boolean => prefixContains(parsePrefix(outer), parsePrefix(inner));
  const isListed = new Set(list.map(({ prefix }) => formatPrefix(prefix)));
  const then = new Map([...plan.added, ...plan.updated.map(({ after }) => after)].map((rule) => [rule.ip, rule]));
  for (const [at, line] of lines.entries()) {
    const { ip, verdict, before, coveredBy, partOf } = line;
    if (at > 0) assert.ok(comparePrefixes(parsePrefix(lines[at - 1]!.ip), parsePrefix(ip)) <= 0, "in order");
    assert.equal(isListed.has(ip), verdict !== "united" && (verdict !== "superfluous" || then.has(ip)), ip);
    if (verdict === "united") {
      assert.ok(partOf !== undefined && covers(partOf, ip), `${ip} is part of ${partOf}`);
      assert.ok(lasting(then.get(partOf)!) >= lasting(before!), `${ip} outlives ${partOf}`);
    }
    if (verdict === "superfluous" || verdict === "kept") assert.ok(covers(coveredBy!.ip, ip));
  }
  const told = new Set(lines.map(({ ip }) => ip));
  assert.ok([...then.keys(), ...plan.removed.map(({ ip }) => ip)].every((ip) => told.has(ip)));
}

test("each changed or redundant rule is listed once, in order, with what covers it or what it becomes", () => {
  const random = new Random(19);
  const seen: Record<string, number> = {};
  for (let round = rounds({ short: 2000, long: 50_000 }); round > 0; round--) {
    const planned = dryRun(randomRules(random));
    const lines = compactedLines(planned.response.plan);
    assertTold(lines, planned);
    const counts = compactedCounts(planned.response, lines);
    assert.equal(counts.created ?? 0, planned.response.added);
    assert.equal(counts.superfluous ?? 0, planned.response.superfluous);
    for (const { verdict } of lines) seen[verdict] = (seen[verdict] ?? 0) + 1;
  }
  assert.ok(Object.keys(seen).length === 5 && Object.values(seen).every((count) => count > 20), JSON.stringify(seen));
});

test("negative control: lines out of order, and a union that is not named, are noticed", () => {
  const rule = (ip: string): Rule => ({
    prefix: parsePrefix(ip),
    name: null,
    expiresAt: null,
    createdAt: 0,
    updatedAt: 0,
  });
  const planned = dryRun(["20.0.0.0", "20.0.0.1"].map(rule));
  const lines = compactedLines(planned.response.plan);
  assert.deepEqual(
    lines.map(({ ip, verdict, partOf }) => [ip, verdict, partOf]),
    [
      ["20.0.0.0/31", "created", undefined],
      ["20.0.0.0", "united", "20.0.0.0/31"],
      ["20.0.0.1", "united", "20.0.0.0/31"],
    ],
  );
  assertTold(lines, planned);
  assert.throws(() => assertTold(lines.toReversed(), planned), /in order/);
  assert.throws(
    () =>
      assertTold(
        lines.map((line) => ({ ...line, partOf: "9.9.9.9" })),
        planned,
      ),
    /part of/,
  );
});

test("the bits of prefixes are in the order of prefixes, and those within one begin with its bits", () => {
  const random = new Random(20);
  let within = 0;
  for (let round = 0; round < 5000; round++) {
    const [one, other] = [randomPrefix(random), randomPrefix(random)];
    const [a, b] = [one, other].map((prefix) => prefixBits(formatPrefix(prefix))) as [string, string];
    const isWithin = one.family === other.family && prefixContains(one, other);
    within += Number(isWithin);
    assert.equal(b.startsWith(a), isWithin, `${formatPrefix(one)} ${formatPrefix(other)}`);
    assert.equal(Math.sign(comparePrefixes(one, other)), a < b ? -1 : a > b ? 1 : 0);
  }
  assert.ok(within > 200 && within < 4000);
  assert.deepEqual(["0.0.0.0/0", "::/0", "128.0.0.0/1", "8000::/1"].map(prefixBits), ["4", "6", "41", "61"]);
});

test("shares are rounded down: only all is 100 %, and only nothing is 0 %", () => {
  assert.deepEqual(
    (
      [
        [null, "0"],
        [0, "0"],
        [0, "3"],
        [999, "3"],
        [1000, "3"],
        [123_456, "3"],
        [999_999, "3"],
        [1_000_000, "3"],
      ] as const
    ).map(([millionths, shared]) => shareText(millionths, shared)),
    ["–", "0 %", "< 0.1 %", "< 0.1 %", "0.1 %", "12.3 %", "99.9 %", "100 %"],
  );
});
