import assert from "node:assert/strict";
import { test } from "node:test";
import type { Prefix } from "../../src/address/address.ts";
import { isActive, type Rule } from "../../src/rulesets/rule.ts";
import { RuleIndex } from "../../src/rulesets/index/rule-index.ts";
import { columnsOf } from "../../src/rulesets/rule-columns.ts";
import { partsOf } from "../../src/rulesets/index/rule-index.ts";
import { rounds } from "../rounds.ts";

const COUNT = rounds({ short: 25_000, long: 100_000 });
const NOW = Date.UTC(2026, 5, 1);

/** The same numbers on every run (the linear congruential generator of Numerical Recipes). */
function numbers(seed: number): () => number {
  let state = seed;
  return () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
}

/**
 * Rules for single addresses, with expiries up to three milliseconds apart, so that many coincide; one in eight is
 * permanent.
 */
function manyRules(): Rule[] {
  const random = numbers(7);
  return Array.from({ length: COUNT }, (_, i) => {
    const prefix: Prefix = { family: 4, w0: (0x0b000000 + i * 7) >>> 0, w1: 0, w2: 0, w3: 0, length: 32 };
    const expiresAt = random() < 1 / 8 ? null : NOW + Math.floor(random() * 3 * COUNT);
    return { prefix, name: null, expiresAt, createdAt: NOW, updatedAt: NOW };
  });
}

const rules = manyRules();
const boundaries = rules
  .filter(({ expiresAt }) => expiresAt !== null)
  .map(({ expiresAt }) => expiresAt!)
  .sort((a, b) => a - b);

/** How many of the sorted boundaries are at or before a time: by bisection, which the index does not use. */
function expiredBy(now: number): number {
  let low = 0;
  let high = boundaries.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (boundaries[middle]! <= now) low = middle + 1;
    else high = middle;
  }
  return low;
}

interface Wrong {
  asked: number;
  wrong: number;
}

/** Looks up every rule one millisecond before its boundary, at it, and one after it, and counts wrong answers. */
function askAround(index: RuleIndex, order: readonly Rule[]): Wrong {
  let asked = 0;
  let wrong = 0;
  const hold = (right: boolean): void => {
    asked++;
    if (!right) wrong++;
  };
  for (const { prefix, expiresAt } of order) {
    for (const step of [-1, 0, 1]) {
      const now = (expiresAt ?? NOW) + step;
      const isExpected = expiresAt === null || step < 0;
      hold(isActive(index.get(prefix)!, now) === isExpected);
      hold((index.check(prefix, now).rule !== null) === isExpected);
      hold(index.activeCount(now) === COUNT - expiredBy(now));
      hold(index.nextExpiry(now) === (boundaries[expiredBy(now)] ?? null));
    }
  }
  return { asked, wrong };
}

const byExpiry = rules.toSorted((a, b) => (a.expiresAt ?? 0) - (b.expiresAt ?? 0));

test("expiry is exact to the millisecond while the clock goes forward and back", (t) => {
  const index = RuleIndex.from(columnsOf(rules));
  const forwards = askAround(index, byExpiry);
  const backwards = askAround(index, byExpiry.toReversed());
  t.diagnostic(
    `${COUNT} rules, ${forwards.asked + backwards.asked} answers, ${forwards.wrong + backwards.wrong} wrong`,
  );
  assert.deepEqual([forwards.wrong, backwards.wrong], [0, 0]);
});

test("expiry is exact to the millisecond while the clock jumps, far or near", (t) => {
  const index = RuleIndex.from(columnsOf(rules));
  const random = numbers(11);
  let wrong = 0;
  for (let i = 0; i < 300; i++) {
    const jump = random() < 0.2 ? random() : 0.5 + random() / 100;
    const now = boundaries[Math.floor(jump * boundaries.length)]! + [-1, 0, 1][i % 3]!;
    const active = COUNT - expiredBy(now);
    const offset = Math.max(0, Math.floor(random() * active) - 5);
    const page = index.page({ offset, limit: 10, activeOnly: true }, now);
    const expected = rules.filter(({ expiresAt }) => expiresAt === null || now < expiresAt).slice(offset, offset + 10);
    if (index.activeCount(now) !== active) wrong++;
    if (JSON.stringify(page) !== JSON.stringify(expected)) wrong++;
  }
  t.diagnostic(`300 jumps, ${wrong} wrong`);
  assert.equal(wrong, 0);
});

for (const [name, shift] of [
  ["late", -1],
  ["early", 1],
] as const) {
  test(`the harness detects an index whose rules expire a millisecond ${name}`, () => {
    const index = RuleIndex.from(columnsOf(rules));
    const [{ expiries }] = partsOf(index);
    const countUntil = expiries.countUntil.bind(expiries);
    expiries.countUntil = (now) => countUntil(now + shift);
    assert.ok(askAround(index, byExpiry).wrong > COUNT / 2);
  });
}

test("all rules expire in one millisecond, and become active again", () => {
  const index = RuleIndex.from(columnsOf(rules.map((rule) => ({ ...rule, expiresAt: NOW }))));
  for (const [now, active] of [
    [NOW - 1, COUNT],
    [NOW, 0],
    [NOW - 1, COUNT],
    [NOW + 1, 0],
  ] as const) {
    assert.equal(index.activeCount(now), active);
    assert.equal(index.nextExpiry(now), active === 0 ? null : NOW);
    assert.equal(index.page({ offset: 0, limit: 1, activeOnly: true }, now).length, active === 0 ? 0 : 1);
  }
});
