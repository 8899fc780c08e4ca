import assert from "node:assert/strict";
import { test } from "node:test";
import { bestIndexes } from "../../src/sets/best-indexes.ts";

/** Numbers of which many are equal, the same on each run. */
const VALUES = Array.from({ length: 20_000 }, (_, index) => Math.imul(index + 1, 0x9e37_79b1) >>> 22);
const order = (a: number, b: number): number => VALUES[b]! - VALUES[a]! || a - b;
const isEven = (index: number): boolean => VALUES[index]! % 2 === 0;

for (const most of [1, 10, 3000, 50_000]) {
  test(`the best ${most} are the first of the sorted list`, () => {
    const sorted = [...VALUES.keys()].filter(isEven).sort(order);
    assert.deepEqual(bestIndexes(VALUES.length, most, isEven, order), sorted.slice(0, most));
    assert.notDeepEqual(
      bestIndexes(VALUES.length, most, () => true, order),
      sorted.slice(0, most),
      "negative control: without the filter there are others",
    );
  });
}
