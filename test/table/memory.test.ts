import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Favour, freeze } from "../../src/table/freeze.ts";
import type { PrefixTable } from "../../src/table/prefix-table.ts";
import { PrefixTrie } from "../../src/trie/prefix-trie.ts";
import { onlyLong } from "../rounds.ts";
import { seededRandom } from "./differential.ts";

type Next = (i: number) => { w0: number; w1?: number; w2?: number; w3?: number; length: number; value: number };

function tableOf(family: 4 | 6, count: number, next: Next, favour: Favour = "balance"): PrefixTable {
  const trie = new PrefixTrie();
  for (let i = 0; trie.size < count; i++) {
    const { w0, w1 = 0, w2 = 0, w3 = 0, length, value } = next(i);
    trie.insert({ family, w0, w1, w2, w3, length }, value);
  }
  return freeze(trie, { favour });
}

// Bytes per prefix of everything in the buffer. Exact for a seed, so a layout that grows is noticed at once.
describe("a table stays small, whatever its shape", () => {
  const random = seededRandom(7);
  const shapes: [string, number, () => PrefixTable, number][] = [
    [
      "a million single IPv4 addresses, each with a value of its own",
      1_000_000,
      () => tableOf(4, 1e6, (i) => ({ w0: random(), length: 32, value: i + 1 })),
      8,
    ],
    [
      "a million single IPv4 addresses with one value, in buckets",
      1_000_000,
      () => tableOf(4, 1e6, () => ({ w0: random(), length: 32, value: 1 })),
      4.2,
    ],
    [
      "a million single IPv4 addresses with one value, where size is favoured",
      1_000_000,
      () => tableOf(4, 1e6, () => ({ w0: random(), length: 32, value: 1 }), "size"),
      3.2,
    ],
    [
      "a hundred thousand single IPv4 addresses with one value",
      100_000,
      () => tableOf(4, 1e5, () => ({ w0: random(), length: 32, value: 1 })),
      16,
    ],
    [
      "a hundred thousand single IPv6 addresses",
      100_000,
      () =>
        tableOf(6, 1e5, () => ({ w0: 0x2001_0db8, w1: random(), w2: random(), w3: random(), length: 128, value: 1 })),
      24,
    ],
    [
      "a densely filled /16",
      65_536,
      () => tableOf(4, 65_536, (i) => ({ w0: (0x0a00_0000 + i) >>> 0, length: 32, value: 1 + (i % 7) })),
      9,
    ],
  ];
  for (const [name, count, make, limit] of shapes) {
    test(`${name}: at most ${limit} bytes each`, { skip: count === 1_000_000 && onlyLong() }, (t) => {
      const table = make();
      t.diagnostic(`${(table.byteLength / count).toFixed(2)} bytes per prefix`);
      assert.ok(table.byteLength <= limit * count, `${table.byteLength / count}`);
    });
  }

  test("ten prefixes: at most 4 KiB", () => {
    assert.ok(
      tableOf(4, 10, (i) => ({ w0: (random() & 0xffff_0000) >>> 0, length: 16, value: i + 1 })).byteLength <= 4096,
    );
  });
});
