import assert from "node:assert/strict";
import { test } from "node:test";
import { keyOfText, keyOfWords, SeenTexts } from "../../src/address/seen-texts.ts";

test("each text is added once, in the order of arrival, whatever the keys are", () => {
  const given = Array.from({ length: 2000 }, (_, at) => `10.0.${(at * 7) % 250}.${at % 3}`);
  for (const key of [keyOfText, () => 0, (text: string) => text.length]) {
    const texts: string[] = [];
    const seen = new SeenTexts(texts, given.length);
    const added = given.filter((text) => seen.add(text, key(text)));
    assert.deepEqual(texts, [...new Set(given)]);
    assert.deepEqual(added, texts);
  }
});

test("addresses that differ in any word have different keys, even if a plain sum or XOR is equal", () => {
  const count = 10_000;
  const rows: Record<string, (at: number) => [number, number, number, number]> = {
    "one network": (at) => [0x2001_0db8, 0, 0, at],
    "the same XOR": (at) => [0x2001_0db8, at, at, 0],
    "the same sum": (at) => [0x2001_0db8, at, -at >>> 0, 0],
    "one bit": (at) => [(at << 16) >>> 0, 0, 0, 0],
  };
  const distinct = (key: typeof keyOfWords) =>
    Object.values(rows).map((words) => new Set(Array.from({ length: count }, (_, at) => key(...words(at)))).size);
  // By chance, two of 10,000 keys of 32 bits are equal once in 86 runs.
  assert.ok(distinct(keyOfWords).every((keys) => keys > count - 10));
  assert.equal(distinct((w0, w1, w2, w3) => w0 ^ w1 ^ w2 ^ w3)[1], 1);
});
