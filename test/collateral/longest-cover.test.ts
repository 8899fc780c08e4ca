import assert from "node:assert/strict";
import { test } from "node:test";
import type { Prefix } from "../../src/address/address.ts";
import { formatPrefix } from "../../src/address/prefix.ts";
import { carvingRules } from "../../src/collateral/carve-rules.ts";
import { ANY_LENGTH } from "../../src/collateral/protected.ts";
import { compacting } from "../../src/rulesets/compact.ts";
import { desiredIn } from "../../src/rulesets/rule-columns.ts";
import type { DesiredRule } from "../../src/rulesets/plan-replacement.ts";
import { RuleList } from "../../src/rulesets/rule-list.ts";
import { AddressSet } from "../../src/sets/address-set.ts";
import { finished } from "../../src/turns/finished.ts";
import { Random } from "../../bench/data/random.ts";
import { rounds } from "../rounds.ts";

const SEED = 20261127;
const ROUNDS = rounds({ short: 2000, long: 100_000 });
/** Addresses of the small universe: the last 5 bits of a prefix. */
const BITS = 5;
const NOW = 1000;

const prefixes: readonly Prefix[] = [
  { family: 4, w0: 0x1e000000, w1: 0, w2: 0, w3: 0, length: 32 - BITS },
  { family: 6, w0: 0x2a000000, w1: 1, w2: 2, w3: 0, length: 128 - BITS },
];

function randomPrefix(random: Random, whole: Prefix): Prefix {
  const bits = random.below(BITS + 1);
  const word = (random.below(1 << BITS) >>> (BITS - bits)) << (BITS - bits);
  const length = whole.length + bits;
  return whole.family === 4 ? { ...whole, w0: whole.w0 + word, length } : { ...whole, w3: word, length };
}

/** The numbers of the addresses in a prefix. */
function numbersIn({ family, w0, w3, length }: Prefix): number[] {
  const first = (family === 4 ? w0 : w3) & ((1 << BITS) - 1);
  const count = 1 << ((family === 4 ? 32 : 128) - length);
  return Array.from({ length: count }, (_, index) => first + index);
}

/** Until when each address is covered, by trying all rules; -1: never. */
function covers(rules: readonly DesiredRule[]): number[] {
  const until = new Array<number>(1 << BITS).fill(-1);
  for (const { prefix, expiresAt } of rules)
    for (const number of numbersIn(prefix)) until[number] = Math.max(until[number]!, expiresAt ?? Infinity);
  return until;
}

/** Distinct prefixes, nested at random, with a few expiries, some of them past. */
function randomRules(random: Random, whole: Prefix): DesiredRule[] {
  const rules = new Map<string, DesiredRule>();
  for (let count = 1 + random.below(12); count > 0; count--) {
    const prefix = randomPrefix(random, whole);
    const expiresAt = random.below(3) === 0 ? null : NOW + (random.below(4) - 1) * 100;
    rules.set(formatPrefix(prefix), { prefix, name: random.below(2) === 0 ? null : "a", expiresAt });
  }
  return [...rules.values()];
}

function listOf(rules: readonly DesiredRule[], stays: "first" | "longest" = "first") {
  const list = new RuleList();
  for (const [line, rule] of rules.entries()) list.add(rule, line);
  return finished(list.inOrder(() => {}, stays));
}

function carved(rules: readonly DesiredRule[], protectedPrefix: Prefix): DesiredRule[] {
  const hit = {
    kind: "allowed",
    id: null,
    name: "allowed",
    addresses: AddressSet.of([protectedPrefix]),
    longest: ANY_LENGTH,
  } as const;
  return finished(carvingRules(listOf(rules), [hit])).flatMap((part) => [...desiredIn(part)]);
}

function compacted(rules: readonly DesiredRule[]): DesiredRule[] {
  const sorted = listOf(rules).flatMap((part) => [...desiredIn(part)]);
  const times = { createdAt: 0, updatedAt: 0 };
  const all = sorted.map((rule) => ({ ...rule, ...times }));
  const compaction = finished(compacting(all, NOW, { ignoreNames: true }));
  return compaction.rules.flatMap((part) => [...desiredIn(part)]);
}

/** In how many of the rounds an address is covered for another time, or a protected one at all. */
function differences(carve: typeof carved): number {
  const random = new Random(SEED);
  let wrong = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const whole = prefixes[round % 2]!;
    const rules = randomRules(random, whole);
    const own = randomPrefix(random, whole);
    const expected = covers(rules);
    for (const number of numbersIn(own)) expected[number] = -1;
    if (covers(carve(rules, own)).join() !== expected.join()) wrong++;
  }
  return wrong;
}

test(`carving ${ROUNDS} random nested lists keeps for each address the longest cover it had`, (t) => {
  assert.equal(differences(carved), 0);
  // A part that gives way to a rule of the same prefix, whatever their times, is noticed.
  const broken = differences((rules, own) => {
    const parts = rules.flatMap((rule) => {
      const rest = AddressSet.of([rule.prefix]).difference(AddressSet.of([own]));
      return Array.from(rest.prefixes(), (prefix) => ({ ...rule, prefix }));
    });
    const whole = new Set(rules.map(({ prefix }) => formatPrefix(prefix)));
    const kept = parts.filter(({ prefix }) => whole.has(formatPrefix(prefix)));
    return listOf([...kept.toReversed(), ...parts]).flatMap((part) => [...desiredIn(part)]);
  });
  t.diagnostic(`seed ${SEED}: 0 of ${ROUNDS} differ; without regard to times ${broken}`);
  assert.ok(broken > ROUNDS / 20);
});

test(`compacting ${ROUNDS} random nested lists keeps for each address the active cover it had`, () => {
  const random = new Random(SEED + 1);
  for (let round = 0; round < ROUNDS; round++) {
    const rules = randomRules(random, prefixes[round % 2]!);
    // What has expired covers nothing, before and after.
    const active = (of: readonly DesiredRule[]): string =>
      covers(of)
        .map((until) => (until > NOW ? until : -1))
        .join();
    assert.equal(active(compacted(rules)), active(rules), JSON.stringify(rules));
  }
});
