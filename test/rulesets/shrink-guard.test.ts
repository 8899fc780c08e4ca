import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { ShrinkGuard, type ShrinkLimits } from "../../src/rulesets/shrink-guard.ts";

/** Whether a replacement of `total` rules that keeps `kept` of them and adds `added` is accepted. */
function passes(total: number, kept: number, added: number, limits: ShrinkLimits = {}): boolean {
  return (
    new ShrinkGuard(total, kept + added, limits).rejectionOf({
      added,
      updated: 0,
      removed: total - kept,
      unchanged: kept,
    }) === undefined
  );
}

describe("what may be removed", () => {
  const cases: readonly (readonly [
    what: string,
    total: number,
    kept: number,
    added: number,
    limits: ShrinkLimits,
    passes: boolean,
  ])[] = [
    ["an empty list on an empty ruleset", 0, 0, 0, {}, true],
    ["the first list", 0, 0, 100, {}, true],
    ["the only rule, without another", 1, 0, 0, {}, false],
    ["the only rule, without another, which is allowed", 1, 0, 0, { allowEmpty: true }, true],
    ["all of many, which is allowed", 45_637, 0, 0, { allowEmpty: true }, true],
    ["all of many, by a share", 45_637, 0, 0, { maxShrink: 100 }, false],
    ["all of many, by both", 45_637, 0, 0, { maxShrink: 0, allowEmpty: true }, true],
    ["all of 19 for another", 19, 0, 1, {}, true],
    ["all of 20 for 20 others", 20, 0, 20, {}, false],
    ["all of 20 for 20 others, which are allowed", 20, 0, 20, { maxShrink: 100 }, true],
    ["all of 20 for another, where only empty lists are allowed", 20, 0, 1, { allowEmpty: true }, false],
    ["half of 20", 20, 10, 0, {}, true],
    ["more than half of 20", 20, 9, 0, {}, false],
    ["more than half of 21", 21, 10, 0, {}, false],
    ["one of a hundred, where none may go", 100, 99, 50, { maxShrink: 0 }, false],
    ["none, where none may go", 100, 100, 50, { maxShrink: 0 }, true],
    ["one of three, where a third may go, rounded down", 3, 2, 0, { maxShrink: 33 }, false],
    ["one of three, where a third may go, rounded up", 3, 2, 0, { maxShrink: 34 }, true],
  ];
  for (const [what, total, kept, added, limits, isGood] of cases)
    test(what, () => assert.equal(passes(total, kept, added, limits), isGood));
});

test("the share in a rejection is the smallest that allows it", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 2_000_000 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.integer({ min: 1, max: 50 }),
      fc.option(fc.integer({ min: 0, max: 100 }), { nil: undefined }),
      (total, share, added, maxShrink) => {
        const kept = Math.floor(total * share);
        const shrinkage = { added, updated: 0, removed: total - kept, unchanged: kept };
        const refusal = new ShrinkGuard(total, kept + added, { maxShrink }).rejectionOf(shrinkage);
        if (refusal === undefined) return;
        assert.ok(refusal.removedPercent > refusal.maxShrink);
        assert.ok(passes(total, kept, added, { maxShrink: refusal.removedPercent }));
        assert.ok(!passes(total, kept, added, { maxShrink: refusal.removedPercent - 1 }));
        assert.deepEqual([refusal.totalRules, refusal.removed], [total, total - kept]);
      },
    ),
    { seed: 20_261_122, numRuns: 2000 },
  );
});
