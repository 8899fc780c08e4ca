import assert from "node:assert/strict";
import { test } from "node:test";
import { parsePrefix } from "../../src/address/prefix.ts";
import { freeze } from "../../src/table/freeze.ts";
import { PrefixTrie } from "../../src/trie/prefix-trie.ts";
import { NO_MATCH } from "../../src/table/match-id.ts";

const NOON = Date.UTC(2026, 10, 21, 12);

function trieOf(...entries: [string, ...number[]][]): PrefixTrie {
  const trie = new PrefixTrie();
  for (const [prefix, ...values] of entries) for (const value of values) trie.add(parsePrefix(prefix), value);
  return trie;
}

test("an expired value is skipped and the next covering prefix decides, to the millisecond", () => {
  const times: Record<number, number | null> = { 1: null, 2: NOON + 1000, 3: NOON };
  const table = freeze(trieOf(["10.0.0.0/8", 1], ["10.1.0.0/16", 2], ["10.1.1.0/24", 3]), {
    expiresAt: (value) => times[value]!,
  });
  const match = table.lookup("10.1.1.1");
  const lengthAt = (now: number): number => table.prefixLength(table.activeMatch(match, now));
  assert.equal(lengthAt(NOON - 1), 24);
  assert.equal(lengthAt(NOON), 16);
  assert.equal(lengthAt(NOON + 999), 16);
  assert.equal(lengthAt(NOON + 1000), 8);
  assert.equal(lengthAt(Number.MAX_SAFE_INTEGER), 8);
});

test("each of several values of one prefix has its own expiry", () => {
  const table = freeze(trieOf(["2001:db8::/32", 1, 2, 3]), {
    expiresAt: (value) => (value === 2 ? null : NOON + value),
  });
  const match = table.lookup("2001:db8::1");
  assert.deepEqual(table.activeValues(match, NOON), [1, 2, 3]);
  assert.deepEqual(table.activeValues(match, NOON + 1), [2, 3]);
  assert.deepEqual(table.activeValues(match, NOON + 3), [2]);
  assert.equal(table.activeMatch(match, NOON + 3), match);
});

test("the only values of all matches: one value, active, and no prefix around it", () => {
  const trie = trieOf(
    ["10.0.0.0/8", 1],
    ["10.1.0.0/16", 2],
    ["11.0.0.0/8", 2],
    ["12.0.0.0/8", 1, 2],
    ["2001:db8::/32", 3],
  );
  const expiring = freeze(trie, { expiresAt: (value) => (value === 2 ? NOON : null) });
  const plain = freeze(trie);
  const onlyAt = (table: typeof plain, now: number): number[] => {
    const only = table.onlyActiveValues(now);
    assert.equal(only[0], 0);
    return ["10.0.0.1", "10.1.0.1", "11.0.0.1", "12.0.0.1", "2001:db8::1"].map((text) => only[table.lookup(text)]!);
  };
  assert.deepEqual(onlyAt(expiring, NOON - 1), [1, 0, 2, 0, 3]);
  assert.deepEqual(onlyAt(expiring, NOON), [1, 0, 0, 0, 3]);
  assert.deepEqual(onlyAt(plain, NOON), [1, 0, 2, 0, 3]);
  assert.deepEqual(onlyAt(freeze(trieOf(["11.0.0.0/8", 2])), NOON), [0, 0, 2, 0, 0]);
});

test("nothing matches if everything has expired", () => {
  const table = freeze(trieOf(["0.0.0.0/0", 1], ["192.0.2.1", 2]), { expiresAt: () => NOON });
  assert.equal(table.activeMatch(table.lookup("192.0.2.1"), NOON), 0);
  assert.equal(table.activeMatch(NO_MATCH, NOON), 0);
});

test("without expiries everything is always active, and no expiry is stored", () => {
  const table = freeze(trieOf(["192.0.2.1", 7]));
  assert.equal(table.activeMatch(table.lookup("192.0.2.1"), Infinity), table.lookup("192.0.2.1"));
  assert.equal(table.sections.expiresAt.byteLength, 0);
});

test("100,000 values, one millisecond around each one's boundary: 0 wrong", () => {
  const trie = new PrefixTrie();
  const count = 100_000;
  for (let i = 1; i <= count; i++) trie.insert({ family: 4, w0: i * 7, w1: 0, w2: 0, w3: 0, length: 32 }, i);
  const table = freeze(trie, { expiresAt: (value) => NOON + value * 3 });
  let wrong = 0;
  for (let i = 1; i <= count; i++) {
    const match = table.lookup4(i * 7);
    if (table.activeMatch(match, NOON + i * 3 - 1) !== match) wrong++;
    if (table.activeMatch(match, NOON + i * 3) !== 0) wrong++;
  }
  assert.equal(wrong, 0);
});

test("an expiry that is not a number is rejected", () => {
  assert.throws(() => freeze(trieOf(["192.0.2.1", 7]), { expiresAt: () => NaN }), /expiry of value 7/);
});

test("value ids may have the maximum size: times are stored by match", () => {
  const table = freeze(trieOf(["10.0.0.0/8", 2 ** 31 - 1], ["10.1.0.0/16", 7, 2 ** 31 - 1]), {
    expiresAt: (value) => (value === 7 ? NOON : NOON + 5),
  });
  assert.ok(table.byteLength < 4096);
  assert.deepEqual(table.activeValues(table.lookup("10.1.0.1"), NOON), [2 ** 31 - 1]);
  assert.equal(table.prefixLength(table.activeMatch(table.lookup("10.1.0.1"), NOON + 4)), 16);
  assert.equal(table.activeMatch(table.lookup("10.1.0.1"), NOON + 5), 0);
  table.checkStructure();
});
