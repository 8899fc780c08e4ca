import assert from "node:assert/strict";
import { test } from "node:test";
import { sorting } from "../../src/sets/_sorting.ts";
import { finished } from "../../src/turns/finished.ts";

interface Item {
  readonly key: number;
  readonly at: number;
}
/** With many equal keys, the same in each run. */
const itemsOf = (count: number): Item[] =>
  Array.from({ length: count }, (_, at) => ({ key: Math.imul(at + 1, 0x9e37_79b1) >>> 24, at }));
const byKey = (a: Item, b: Item): number => a.key - b.key;

for (const count of [0, 1, 1023, 1024, 1025, 3000, 20_000])
  test(`${count} items are sorted as by Array.sort, equal ones in their order`, () => {
    const items = itemsOf(count);
    assert.deepEqual(finished(sorting(items, byKey)), items.toSorted(byKey));
    assert.deepEqual(items, itemsOf(count), "what is sorted stays as it is");
  });

test("sorting proceeds in steps, so that it can be interrupted", () => {
  assert.ok([...sorting(itemsOf(20_000), byKey)].length >= 40);
});
