import assert from "node:assert/strict";
import { test } from "node:test";
import { formatPrefix } from "../../src/address/prefix.ts";
import { explain } from "../../src/rulesets/explain.ts";
import { Ruleset } from "../../src/rulesets/ruleset.ts";

const NOW = Date.UTC(2026, 5, 1);

function rulesetOf(rules: Record<string, number | null>): Ruleset {
  const ruleset = new Ruleset();
  for (const [prefix, expiresAt] of Object.entries(rules))
    ruleset.add(prefix, expiresAt === null ? {} : { expiresAt }, NOW - 1000);
  return ruleset;
}

/** Each rule with its role, and its times relative to `NOW`. */
function told(ruleset: Ruleset, where: string, now = NOW): unknown[] {
  const { deciding, covering, nextChangeAt, coveredUntil } = explain(ruleset, where, now);
  const after = (moment: number | null): number | null => (moment === null ? null : moment - NOW);
  return [
    deciding && formatPrefix(deciding.prefix),
    covering.map(({ prefix, role }) => `${formatPrefix(prefix)} ${role}`),
    after(nextChangeAt),
    after(coveredUntil),
  ];
}

test("the most specific active rule decides; the others are listed with the reason why they do not", () => {
  const ruleset = rulesetOf({
    "20.0.0.0/8": null,
    "20.1.0.0/16": NOW + 500,
    "20.1.2.0/24": NOW - 1,
    "20.1.2.3": NOW + 9,
  });
  assert.deepEqual(told(ruleset, "20.1.2.3"), [
    "20.1.2.3",
    ["20.1.2.3 decides", "20.1.2.0/24 expired", "20.1.0.0/16 less-specific", "20.0.0.0/8 less-specific"],
    9,
    null,
  ]);
  assert.deepEqual(told(ruleset, "20.1.2.0/25"), [
    "20.1.0.0/16",
    ["20.1.2.0/24 expired", "20.1.0.0/16 decides", "20.0.0.0/8 less-specific"],
    500,
    null,
  ]);
  assert.deepEqual(told(ruleset, "30.0.0.1"), [null, [], null, null]);
});

test("nothing changes by itself before the next change, and then something does; the last rule ends the coverageageage", () => {
  const ruleset = rulesetOf({
    "20.0.0.0/8": NOW + 300,
    "20.1.0.0/16": NOW + 900,
    "20.1.2.0/24": NOW + 500,
    "20.1.2.3": NOW + 9,
  });
  const seen: unknown[] = [];
  let now = NOW;
  for (;;) {
    const { deciding, nextChangeAt, coveredUntil } = explain(ruleset, "20.1.2.3", now);
    seen.push([deciding && formatPrefix(deciding.prefix), now - NOW]);
    if (nextChangeAt === null) break;
    assert.equal(coveredUntil, NOW + 900);
    const before = explain(ruleset, "20.1.2.3", nextChangeAt - 1).deciding;
    assert.deepEqual(before, deciding);
    now = nextChangeAt;
  }
  assert.deepEqual(seen, [
    ["20.1.2.3", 0],
    ["20.1.2.0/24", 9],
    ["20.1.0.0/16", 500],
    [null, 900],
  ]);
});

test("malformed text is an error", () => {
  assert.throws(() => explain(rulesetOf({}), "20.0.0.300", NOW), { name: "AddressError" });
});
