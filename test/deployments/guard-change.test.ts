import assert from "node:assert/strict";
import { test } from "node:test";
import { changeRejectionsOf, type ChangeLimits } from "../../src/deployments/guard-change.ts";

const codes = (before: number, after: number, limits: ChangeLimits = {}): string[] =>
  changeRejectionsOf(before, after, limits).map(({ code }) => code);

test("a list may lose half of its entries, or the share that is set, and not one more", () => {
  assert.deepEqual([codes(40, 20), codes(40, 19)], [[], ["shrinks"]]);
  const strict = { maxShrink: 10, maxGrowth: 90 };
  assert.deepEqual([codes(200, 180, strict), codes(200, 179, strict)], [[], ["shrinks"]]);
  const none = { maxShrink: 0 };
  assert.deepEqual([codes(200, 200, none), codes(200, 199, none)], [[], ["shrinks"]]);
  assert.deepEqual([codes(200, 0, { maxShrink: 99 }), codes(200, 0, { maxShrink: 100 })], [["shrinks"], []]);
});

test("a list may grow by half, or the share that is set, and not by one more", () => {
  assert.deepEqual([codes(4000, 6000), codes(4000, 6001)], [[], ["grows"]]);
  const strict = { maxShrink: 90, maxGrowth: 10 };
  assert.deepEqual([codes(20_000, 22_000, strict), codes(20_000, 22_001, strict)], [[], ["grows"]]);
  const wide = { maxGrowth: 200 };
  assert.deepEqual([codes(1000, 3000, wide), codes(1000, 3001, wide)], [[], ["grows"]]);
});

test("a list of fewer than 20 entries may change in any way, and any may grow by 1000", () => {
  assert.deepEqual([codes(19, 0), codes(20, 0)], [[], ["shrinks"]]);
  assert.deepEqual([codes(19, 1_000_000), codes(20, 1_000_000)], [[], ["grows"]]);
  assert.deepEqual([codes(20, 1020), codes(20, 1021)], [[], ["grows"]]);
});

test("the reason says from how many entries to how many, and the limit", () => {
  const [shrinks] = changeRejectionsOf(200, 9, { maxShrink: 40 });
  assert.match(
    shrinks!.message,
    /^the list shrinks from 200 to 9 entries, .*; at most 40 % is allowed \(max_shrink\)$/,
  );
  const [grows] = changeRejectionsOf(200, 9000, { maxGrowth: 60 });
  assert.match(grows!.message, /^the list grows from 200 to 9000 entries, .*; at most 60 % is allowed \(max_growth\)$/);
});
