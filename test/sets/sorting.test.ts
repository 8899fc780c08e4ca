import assert from "node:assert/strict";
import { test } from "node:test";
import { sorting } from "../../src/sets/_sorting.ts";
import { type Keys, sortedIndexes, sortedKeys } from "../../src/sets/radix-sort.ts";
import { finished } from "../../src/turns/finished.ts";

interface Item {
  readonly key: number;
  readonly at: number;
}
/** Items of which many have equal keys, the same on each run. */
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

/** Keys of words that repeat, so that many keys share their first words and the whole key decides. */
function keysOf(count: number, width: 1 | 4, kinds: readonly number[]): Keys {
  const stride = 2 * width;
  const words = new Uint32Array(count * stride);
  let state = count + kinds.length;
  for (let at = 0; at < words.length; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const kind = kinds[at % stride] ?? 1;
    words[at] = Math.floor((state / 2 ** 32) * kind) * Math.floor(2 ** 32 / kind);
  }
  return { words, width, stride, count };
}

const textOf = ({ words, width, stride }: Keys, at: number): string =>
  Array.from(words.subarray(at * stride, at * stride + width), (word) => word.toString(16).padStart(8, "0")).join("");

for (const [what, width, kinds] of [
  ["IPv4", 1, [2 ** 32]],
  ["IPv4, few different", 1, [100]],
  ["IPv6", 4, [2 ** 32, 2 ** 32, 2 ** 32, 2 ** 32]],
  ["IPv6 of few networks", 4, [20, 20, 2 ** 32, 2 ** 32]],
  ["IPv6 of some networks, with some hosts in each", 4, [100, 60, 2, 3]],
  ["IPv6 that repeat", 4, [30, 30, 1, 2]],
  ["IPv6 of many networks, with a few hosts in each", 4, [1, 20_000, 3, 4, 9, 9, 9, 2 ** 32]],
  ["IPv6 of many networks that differ in their first word", 4, [20_000, 1, 3, 4]],
] as const)
  for (const count of [0, 1, 2000, 30_000])
    test(`${count} keys are sorted as their texts are, equal ones as they were: ${what}`, () => {
      const keys = keysOf(count, width, kinds);
      const texts = Array.from({ length: count }, (_, at) => textOf(keys, at));
      const expected = texts
        .map((_, at) => at)
        .sort((a, b) => (texts[a]! < texts[b]! ? -1 : texts[a]! > texts[b]! ? 1 : a - b));
      assert.deepEqual([...finished(sortedKeys(keys))], expected);
    });

test("indexes are sorted by digits, whether all differ in one, some or none; equal ones stay in their order", () => {
  for (const count of [0, 1, 100, 8191, 8192, 20_000])
    for (const kinds of [1, 7, 65_536, 2 ** 32]) {
      const keys = Array.from({ length: count }, (_, at) => (Math.imul(at + 7, 0x9e37_79b1) >>> 0) % kinds);
      const compare = (a: number, b: number): number => keys[a]! - keys[b]!;
      const digits = [(at: number) => keys[at]! & 0xffff, (at: number) => keys[at]! >>> 16];
      const expected = keys.map((_, at) => at).sort((a, b) => compare(a, b) || a - b);
      assert.deepEqual([...finished(sortedIndexes(count, digits, compare))], expected, `${count} of ${kinds}`);
    }
});

test("keys are sorted in steps, too", () => {
  assert.ok([...sortedKeys(keysOf(100_000, 4, [20, 20, 2 ** 32, 2 ** 32]))].length >= 40);
});
