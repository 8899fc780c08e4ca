import assert from "node:assert/strict";
import { test } from "node:test";
import { FairShare } from "../../../src/api/http/fair-share.ts";

/** How much each caller gets if they take one at a time, in turns, until none gets more. */
function takeAll(share: FairShare, callers: readonly string[]): Record<string, number> {
  const held: Record<string, number> = Object.fromEntries(callers.map((caller) => [caller, 0]));
  for (let some = true; some;) {
    some = false;
    for (const caller of callers) {
      if (!share.take(caller, 1)) continue;
      held[caller]!++;
      some = true;
    }
  }
  return held;
}

test("a single caller gets half, two get a third each, and a later one still gets some", () => {
  assert.deepEqual(takeAll(new FairShare(100), ["a"]), { a: 50 });
  assert.deepEqual(takeAll(new FairShare(90), ["a", "b"]), { a: 30, b: 30 });
  const share = new FairShare(100);
  takeAll(share, ["a"]);
  assert.deepEqual(takeAll(share, ["b"]), { b: 25 });
  assert.ok(!share.hasRoom("a") && share.hasRoom("c"));
});

test("released capacity can be taken again, and nothing is kept about a caller that released everything", () => {
  const share = new FairShare(100);
  assert.equal(share.take("a", 51), false);
  assert.equal(share.take("a", 50), true);
  share.give("a", 20);
  assert.equal(share.take("a", 20), true);
  share.give("a", 50);
  assert.equal(share.used, 0);
  assert.deepEqual(takeAll(share, ["b"]), { b: 50 });
});

test("a caller above its share gets nothing until it releases some; others do", () => {
  const share = new FairShare(100);
  share.force("a", 80);
  assert.deepEqual([share.hasRoom("a"), share.take("a", 1), share.take("b", 10)], [false, false, true]);
  share.give("a", 80);
  assert.equal(share.take("a", 40), true);
});

test("a caller below the guaranteed share gets capacity, whatever others hold", () => {
  const share = new FairShare(10);
  share.force("a", 20);
  assert.ok(!share.hasRoom("b"), "negative control: nothing is guaranteed");
  assert.ok(share.hasRoom("b", 2));
  share.force("b", 2);
  assert.ok(!share.hasRoom("b", 2) && !share.hasRoom("a", 2));
});
