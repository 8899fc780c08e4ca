import assert from "node:assert/strict";
import { test } from "node:test";
import { parseAddress } from "../../src/address/parse-address.ts";
import { formatPrefix, parsePrefix } from "../../src/address/prefix.ts";
import { PrefixTrie } from "../../src/trie/prefix-trie.ts";
import type { PrefixEntry } from "../../src/trie/prefix-trie.ts";

const MAX_VALUE = 2 ** 31 - 1;

function trieOf(...prefixes: string[]): PrefixTrie {
  const trie = new PrefixTrie();
  prefixes.forEach((prefix, index) => trie.insert(parsePrefix(prefix), index + 1));
  return trie;
}

const textOf = (entries: Iterable<PrefixEntry>): string[] => [...entries].map(({ prefix }) => formatPrefix(prefix));

test("insert replaces all values and returns the smallest previous one", () => {
  const trie = new PrefixTrie();
  const prefix = parsePrefix("10.0.0.0/8");
  assert.equal(trie.insert(prefix, 7), 0);
  assert.equal(trie.insert(prefix, 5), 7);
  for (const value of [9, 3, 4]) assert.equal(trie.add(prefix, value), true);
  assert.equal(trie.add(prefix, 3), false);
  assert.deepEqual(trie.values(prefix), [3, 4, 5, 9]);
  assert.equal(trie.insert(prefix, MAX_VALUE), 3);
  assert.deepEqual(trie.values(prefix), [MAX_VALUE]);
  assert.equal(trie.size, 1);
});

test("remove takes one value, and the prefix with its last", () => {
  const trie = new PrefixTrie();
  const prefix = parsePrefix("2001:db8::/32");
  for (const value of [2, MAX_VALUE, 1]) trie.add(prefix, value);
  assert.equal(trie.remove(prefix, 3), false);
  assert.equal(trie.remove(prefix, 1), true);
  assert.equal(trie.get(prefix), 2);
  assert.equal(trie.remove(prefix, 2), true);
  assert.deepEqual(trie.values(prefix), [MAX_VALUE]);
  assert.equal(trie.remove(prefix, MAX_VALUE), true);
  assert.equal(trie.has(prefix), false);
  for (const value of [MAX_VALUE, 0]) assert.equal(trie.remove(prefix, value), false);
  assert.equal(trie.size, 0);
});

test("a prefix can have thousands of values, added and removed in any order", () => {
  const trie = new PrefixTrie();
  const prefix = parsePrefix("192.0.2.0/24");
  // 7919 is prime, so the products modulo 5000 are all the numbers below 5000.
  const scrambled = Array.from({ length: 5000 }, (_, index) => ((index * 7919) % 5000) + 1);
  for (const value of scrambled) assert.ok(trie.add(prefix, value));
  assert.deepEqual(
    trie.values(prefix),
    Array.from({ length: 5000 }, (_, index) => index + 1),
  );
  for (const value of scrambled) if (value % 100 !== 0) assert.ok(trie.remove(prefix, value));
  assert.deepEqual(
    trie.values(prefix),
    Array.from({ length: 50 }, (_, index) => (index + 1) * 100),
  );
});

test("a value that is not an integer from 1 to 2^31 - 1 is a RangeError and leaves the trie unchanged", () => {
  const trie = trieOf("10.0.0.0/8");
  const before = [...trie];
  for (const value of [0, -1, 1.5, MAX_VALUE + 1, 2 ** 32 + 1, Number.NaN, Infinity]) {
    const message = { name: "RangeError", message: `A value id must be an integer from 1 to 2147483647, not ${value}` };
    assert.throws(() => trie.insert(parsePrefix("10.0.0.0/16"), value), message);
    assert.throws(() => trie.add(parsePrefix("10.0.0.0/8"), value), message);
  }
  assert.deepEqual([...trie], before);
});

test("a length that the family does not have is a RangeError in every method that takes a prefix", () => {
  const trie = trieOf("10.0.0.0/8", "2001:db8::/32");
  for (const prefix of [
    { ...parsePrefix("10.0.0.0/8"), length: 33 },
    { ...parsePrefix("10.0.0.0/8"), length: -1 },
    { ...parsePrefix("10.0.0.0/8"), length: 8.5 },
    { ...parsePrefix("2001:db8::/32"), length: 129 },
    { ...parsePrefix("2001:db8::/32"), length: Number.NaN },
  ]) {
    const bad = {
      name: "RangeError",
      message: new RegExp(`^An IPv${prefix.family} prefix length must be .* not ${prefix.length}$`),
    };
    assert.throws(() => trie.insert(prefix, 1), bad);
    assert.throws(() => trie.add(prefix, 1), bad);
    assert.throws(() => trie.get(prefix), bad);
    assert.throws(() => trie.has(prefix), bad);
    assert.throws(() => trie.values(prefix), bad);
    assert.throws(() => trie.delete(prefix), bad);
    assert.throws(() => trie.remove(prefix, 1), bad);
    assert.throws(() => [...trie.covering(prefix)], bad);
    assert.throws(() => [...trie.covered(prefix)], bad);
  }
  assert.equal(trie.size, 2);
});

test("host bits of a prefix are ignored", () => {
  const trie = new PrefixTrie();
  const sloppy = { ...parseAddress("2001:db8:ffff:ffff:ffff:ffff:ffff:ffff"), length: 33 };
  trie.insert(sloppy, 1);
  trie.insert({ ...parseAddress("10.1.2.3"), length: 9 }, 2);
  assert.deepEqual(textOf(trie), ["10.0.0.0/9", "2001:db8:8000::/33"]);
  assert.equal(trie.get(sloppy), 1);
  assert.equal(trie.get(parsePrefix("2001:db8:8000::/33")), 1);
});

test("everything below a prefix can be deleted during a walk over it", () => {
  const trie = trieOf(
    "10.0.0.0/7",
    "10.0.0.0/8",
    "10.0.0.0/16",
    "10.64.0.0/16",
    "10.128.0.0/9",
    "10.255.255.255",
    "11.0.0.0/8",
  );
  for (const { prefix } of trie.covered(parsePrefix("10.0.0.0/8"))) assert.ok(trie.delete(prefix));
  assert.deepEqual(textOf(trie), ["10.0.0.0/7", "11.0.0.0/8"]);
});

test("a walk visits prefixes inserted ahead of it, but not those inserted behind it", () => {
  const trie = trieOf("10.0.0.0/16", "10.2.0.0/16", "10.4.0.0/16");
  const seen: string[] = [];
  for (const { prefix } of trie) {
    seen.push(formatPrefix(prefix));
    if (seen.length !== 2) continue;
    for (const text of ["10.1.0.0/16", "10.2.0.0/15", "10.2.0.0/24", "10.3.0.0/16"]) trie.insert(parsePrefix(text), 9);
  }
  assert.deepEqual(seen, ["10.0.0.0/16", "10.2.0.0/16", "10.2.0.0/24", "10.3.0.0/16", "10.4.0.0/16"]);
});

test("forEach works with a visitor that deletes the visited prefixes", () => {
  const trie = trieOf("::/0", "2001:db8::/32", "2001:db8::/48", "2001:db8::1", "2001:db8:8000::/33", "10.0.0.0/8");
  const lengths: number[] = [];
  trie.forEach(6, (w0, w1, w2, w3, length) => {
    lengths.push(length);
    trie.delete({ family: 6, w0, w1, w2, w3, length });
  });
  assert.deepEqual(lengths, [0, 32, 48, 128, 33]);
  assert.deepEqual([trie.sizeOf(4), trie.sizeOf(6)], [1, 0]);
});

test("clear removes everything and releases the memory", () => {
  const trie = new PrefixTrie();
  const empty = trie.byteLength;
  for (let host = 0; host < 10_000; host++) {
    trie.add({ ...parseAddress("10.0.0.0"), w0: 0x0a000000 + host, length: 32 }, 1);
    trie.add({ ...parseAddress("2001:db8::"), w3: host, length: 128 }, 1);
    trie.add({ ...parseAddress("2001:db8::"), w3: host, length: 128 }, 2);
  }
  assert.ok(trie.byteLength > empty + 10_000 * (20 + 32 + 16));
  const walk = trie.covered(parsePrefix("10.0.0.0/8"));
  walk.next();
  trie.clear();
  assert.equal(walk.next().done, true);
  assert.equal(trie.size, 0);
  assert.equal(trie.byteLength, empty);
  assert.deepEqual([...trie], []);
  trie.insert(parsePrefix("10.0.0.0/8"), 3);
  assert.equal(trie.lookup(parseAddress("10.0.0.1")), 3);
});
