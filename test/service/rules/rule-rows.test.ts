import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { parsePrefix } from "../../../src/address/prefix.ts";
import { RuleRows, type Rows } from "../../../src/service/rules/rule-rows.ts";
import type { LiveRuleset } from "../../../src/service/store/service-memory.ts";
import { memoryOf } from "./memory-of.ts";
import type { Rule } from "../../../src/rulesets/rule.ts";
import { columnsOf } from "../../../src/rulesets/rule-columns.ts";
import { RuleIndex } from "../../../src/rulesets/index/rule-index.ts";
import type { RuleFilter } from "../../../src/rulesets/index/rule-search.ts";
import { onlyLong } from "../../rounds.ts";

const NOW = Date.UTC(2026, 10, 21);
const DAY = 86_400_000;

function rule(w0: number, name: string | null, expiresAt: number | null): Rule {
  return {
    prefix: { family: 4, w0, w1: 0, w2: 0, w3: 0, length: 32 },
    name,
    expiresAt,
    createdAt: NOW,
    updatedAt: NOW,
  };
}

/**
 * Rules with names and expiries in rotation: every third is permanent, every third expires within 30 days, every third
 * has expired.
 */
function rulesetOf(count: number): LiveRuleset {
  return { about, rules: RuleIndex.from(columnsOf(rulesOf(count))) };
}

function rulesOf(count: number): Rule[] {
  return Array.from({ length: count }, (_, i) =>
    rule(i * 4, `Name ${i % 1000}`, i % 3 === 0 ? null : NOW + (i % 3 === 1 ? 1 + (i % 30) : -1) * DAY),
  );
}

const about = {
  id: "7d0c5a2e-0000-4000-8000-000000000001",
  organisationId: "x",
  name: "r",
  purpose: "blocklist",
  description: "",
  guard: "warn" as const,
  guardClasses: null,
  neverBlock: false,
  createdAt: NOW,
  updatedAt: NOW,
  version: 1,
  stamp: "00000001",
} as const;

/** The expected result, found by looking at every rule. */
function expected({ rules }: LiveRuleset, { state, within = 0, name = "" }: RuleFilter, now: number): Rule[] {
  return [...rules.rules()].filter((each) => {
    const end = each.expiresAt ?? Infinity;
    const states = end <= now ? ["expired"] : end <= now + within ? ["active", "expiring"] : ["active"];
    return (
      (state === undefined || states.includes(state)) && (each.name ?? "").toLowerCase().includes(name.toLowerCase())
    );
  });
}

const FILTERS: readonly RuleFilter[] = [
  {},
  { state: "active" },
  { state: "expired" },
  { state: "expiring", within: 7 * DAY },
  { name: "NAME 99" },
  { name: "name 1", state: "expiring", within: 2 * DAY },
  { name: "nothing" },
  { related: parsePrefix("0.0.0.0/0"), state: "active" },
];

test("rows at any offset, with any filter, equal the linear result, as time passes", async () => {
  const ruleset = rulesetOf(20_000);
  const rows = new RuleRows();
  for (const now of [NOW, NOW + 1, NOW + 3 * DAY, NOW + 3 * DAY, NOW - DAY, NOW + 40 * DAY]) {
    for (const filter of FILTERS) {
      const all = expected(ruleset, filter, now);
      for (const offset of [0, 1, 777, all.length - 10, all.length, all.length + 5].filter((each) => each >= 0)) {
        const { rules, count } = (await rows.get(() => ruleset, { filter, offset, limit: 50 }, now))!;
        assert.equal(count, all.length);
        assert.deepEqual(rules, all.slice(offset, offset + 50));
      }
    }
  }
});

test("a search never mixes two states of a changing ruleset; a deleted ruleset yields nothing", async () => {
  const { current, change } = await memoryOf(about, rulesOf(200_000));
  const rows = new RuleRows();
  const filter = { name: "name 7" };
  const progress = { ended: false };
  const answers: Promise<Rows | undefined>[] = Array.from({ length: 5 }, (_, i) =>
    rows.get(current, { filter, offset: i * 100, limit: 3000 }, NOW),
  );
  const all = Promise.all(answers).finally(() => (progress.ended = true));
  let writes = 0;
  // Each write removes the first matching rule, which moves all others up by a row.
  for (; !progress.ended && writes < 2000; writes++) {
    await change([], [rule((7 + 1000 * writes) * 4, null, null).prefix]);
    await turn();
  }
  for (const [i, answer] of (await all).entries()) {
    const { version } = answer!.ruleset.about;
    const fresh = expected(rulesetOf(200_000), filter, NOW).filter(
      ({ prefix }) => !((prefix.w0 / 4) % 1000 === 7 && (prefix.w0 / 4 - 7) / 1000 < version - 1),
    );
    assert.equal(answer!.count, fresh.length);
    assert.deepEqual(answer!.rules, fresh.slice(i * 100, i * 100 + 3000));
  }
  assert.ok(writes >= 3, String(writes));
  assert.equal(await rows.get(() => undefined, { filter: { name: "x" }, offset: 0, limit: 1 }, NOW), undefined);
});

test("searches do not block other work, and many of them take bounded memory", { skip: onlyLong() }, async (t) => {
  const ruleset = rulesetOf(1_000_000);
  const rows = new RuleRows();
  const others = { turns: 0, ended: false };
  const run = (async () => {
    for (; !others.ended; others.turns++) await turn();
  })();
  for (let i = 1; i <= 20; i++) {
    const { count } = (await rows.get(
      () => ruleset,
      { filter: { state: "expiring", within: (40 + i) * DAY, related: parsePrefix("0.0.0.0/0") }, offset: 0, limit: 1 },
      NOW,
    ))!;
    assert.equal(count, 333_333);
  }
  others.ended = true;
  await run;
  t.diagnostic(`${others.turns} turns of others during 20 searches, ${rows.byteLength} bytes kept`);
  assert.ok(others.turns > 40);
  assert.ok(rows.byteLength > 0 && rows.byteLength <= 32 << 20);
});
