/** A large ruleset whose rules have all changed state at once is counted in slices before a page of it is read. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { preparedRules } from "../../../src/service/rules/prepared-rules.ts";
import type { LiveRuleset } from "../../../src/service/store/service-memory.ts";
import type { Rule } from "../../../src/rulesets/rule.ts";
import { columnsOf } from "../../../src/rulesets/rule-columns.ts";
import { RuleIndex } from "../../../src/rulesets/index/rule-index.ts";
import { aboutRuleset } from "./about-ruleset.ts";

const COUNT = 200_000;
const NOW = 1_000_000;

/** All rules except every tenth one expire at once. */
function rule(w0: number): Rule {
  return {
    prefix: { family: 4, w0, w1: 0, w2: 0, w3: 0, length: 32 },
    name: null,
    expiresAt: w0 % 10 === 0 ? null : NOW,
    createdAt: 1,
    updatedAt: 1,
  };
}

function live(count = COUNT): LiveRuleset {
  const about = aboutRuleset("a", "b", "");
  return { about, rules: RuleIndex.from(columnsOf(Array.from({ length: count }, (_, at) => rule(at)))) };
}

/** How many blocks of rules have not been counted yet. */
function uncounted({ rules }: LiveRuleset, now: number): number {
  return [...rules.preparing(now)].length;
}

for (const now of [NOW - 1, NOW, NOW - 1]) {
  const ruleset = live();
  test(`nothing remains to be counted at ${now}, and the page is right`, async () => {
    const prepared = await preparedRules(() => ruleset, now);
    assert.equal(prepared, ruleset);
    assert.equal(uncounted(ruleset, now), 0);
    const offset = 10_000;
    const [first] = ruleset.rules.page({ offset, limit: 1, activeOnly: true }, now);
    assert.equal(first?.prefix.w0, now < NOW ? offset : 10 * offset);
  });
}

test("the negative control: without preparation, counting takes many steps", () => {
  const ruleset = live();
  assert.ok(uncounted(ruleset, NOW - 1) > 100);
  assert.ok(uncounted(ruleset, NOW) > 100, "all rules change their state");
  ruleset.rules.set({ ...rule(77), name: "changed" });
  assert.equal(uncounted(ruleset, NOW), 1);
});

test("a ruleset that is replaced meanwhile is counted in its new state; a deleted one is not", async () => {
  const rulesets = [live(), live(), live(50)];
  let asked = 0;
  const prepared = await preparedRules(() => rulesets[Math.min(2, asked++)], NOW);
  assert.equal(prepared, rulesets[2]);
  assert.equal(uncounted(rulesets[2]!, NOW), 0);
  assert.equal(await preparedRules(() => undefined, NOW), undefined);
});
