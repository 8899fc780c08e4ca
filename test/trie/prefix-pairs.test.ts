import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { freeze } from "../../src/table/freeze.ts";
import { PrefixPairs } from "../../src/trie/prefix-pairs.ts";
import { PrefixTrie } from "../../src/trie/prefix-trie.ts";
import { prefixOf } from "../../src/address/prefix.ts";
import type { Family, Prefix } from "../../src/address/address.ts";
import { seededRandom } from "../table/differential.ts";

const SEED = 20_261_123;

/** Random prefixes close together, so that many occur twice, with the same value or another. */
function* randomPairs(random: () => number, count: number): Generator<[Prefix, number]> {
  for (let i = 0; i < count; i++) {
    const family: Family = random() % 3 === 0 ? 6 : 4;
    const w0 = (0x0a00_0000 | (random() & 0xffff)) >>> 0;
    const address =
      family === 4
        ? { family, w0, w1: 0, w2: 0, w3: 0 }
        : { family, w0: 0x2001_0db8, w1: random() % 3, w2: w0, w3: random() % 2 };
    yield [prefixOf(address, family === 4 ? 20 + (random() % 13) : 60 + (random() % 69)), 1 + (random() % 5)];
  }
}

function bothOf(pairs: Iterable<readonly [Prefix, number]>): { pairs: PrefixPairs; trie: PrefixTrie } {
  const both = { pairs: new PrefixPairs(), trie: new PrefixTrie() };
  for (const [prefix, value] of pairs) {
    both.pairs.add(prefix.family, prefix.w0, prefix.w1, prefix.w2, prefix.w3, prefix.length, value);
    both.trie.add(prefix, value);
  }
  return both;
}

describe("pairs yield the same prefixes as a trie, and the same table", () => {
  // Fewer than a radix sort is used for, and more.
  for (const count of [0, 1, 2, 100, 30_000]) {
    test(`${count} pairs`, () => {
      const { pairs, trie } = bothOf(randomPairs(seededRandom(SEED), count));
      for (const family of [4, 6] as const) {
        const given: unknown[] = [];
        const expected: unknown[] = [];
        pairs.forEach(family, (...prefix) => void given.push(prefix));
        trie.forEach(family, (...prefix) => void expected.push(prefix));
        // As text: assert takes minutes to describe the difference of two long lists.
        assert.ok(JSON.stringify(given) === JSON.stringify(expected));
        assert.equal(pairs.sizeOf(family), trie.sizeOf(family));
      }
      assert.equal(pairs.count, count);
      assert.deepEqual(new Uint8Array(freeze(pairs).buffer), new Uint8Array(freeze(trie).buffer));
    });
  }
});

describe("columns that take no memory as long as all numbers are the same", () => {
  /**
   * Single addresses with value 1, in no particular order and some twice; those that `isOther` selects have another
   * value or length.
   */
  function* singles(
    isOther: (i: number) => boolean,
    other: { value: number; length: number },
  ): Generator<[Prefix, number]> {
    const random = seededRandom(SEED);
    for (let i = 0; i < 3_000; i++) {
      const address = { family: 4 as const, w0: Math.imul(random() % 2_500, 0x9e37_79b1) >>> 0, w1: 0, w2: 0, w3: 0 };
      const { value, length } = isOther(i) ? other : { value: 1, length: 32 };
      yield [prefixOf(address, length), value];
    }
  }
  const rows = [
    ["all the same", (): boolean => false, { value: 1, length: 32 }],
    ["another value at the start", (i: number): boolean => i === 0, { value: 2, length: 32 }],
    ["another value in the middle", (i: number): boolean => i === 100, { value: 2, length: 32 }],
    ["another value at the end", (i: number): boolean => i === 2_999, { value: 2, length: 32 }],
    ["another length in the middle", (i: number): boolean => i === 1_500, { value: 1, length: 9 }],
    ["both from the middle on", (i: number): boolean => i > 1_500, { value: 3, length: 24 }],
  ] as const;
  for (const [name, isOther, other] of rows) {
    test(name, () => {
      const { pairs, trie } = bothOf(singles(isOther, other));
      assert.equal(pairs.sizeOf(4), trie.sizeOf(4));
      assert.ok(
        Buffer.from(freeze(pairs).buffer as ArrayBuffer).equals(Buffer.from(freeze(trie).buffer as ArrayBuffer)),
      );
    });
  }
});

test("pairs that are added after a read are included as well", () => {
  const [first, second] = [...randomPairs(seededRandom(SEED), 2)];
  const { pairs } = bothOf([first!]);
  pairs.sizeOf(4);
  const [{ family, w0, w1, w2, w3, length }, value] = second!;
  pairs.add(family, w0, w1, w2, w3, length, value);
  assert.equal(pairs.sizeOf(4) + pairs.sizeOf(6), 2);
});

test("drained pairs yield the same table and are then removed, and others can be added", () => {
  const { pairs, trie } = bothOf(randomPairs(seededRandom(SEED), 1_000));
  assert.deepEqual(new Uint8Array(freeze(pairs.drain()).buffer), new Uint8Array(freeze(trie).buffer));
  assert.equal(pairs.count, 0);
  const { pairs: fresh } = bothOf(randomPairs(seededRandom(SEED + 1), 500));
  for (const [{ family, w0, w1, w2, w3, length }, value] of randomPairs(seededRandom(SEED + 1), 500))
    pairs.add(family, w0, w1, w2, w3, length, value);
  assert.deepEqual(new Uint8Array(freeze(pairs).buffer), new Uint8Array(freeze(fresh).buffer));
});
