import assert from "node:assert/strict";
import { test } from "node:test";
import { freeze } from "../../src/table/freeze.ts";
import { LOOKUP_COSTS } from "../../src/table/lookup-costs.ts";
import { costShares, expectedNanoseconds, type NodeKind } from "../../src/table/table-layout.ts";
import { PrefixTrie } from "../../src/trie/prefix-trie.ts";
import { rounds } from "../rounds.ts";
import { kernelOver } from "../kernel/kernel-memory.ts";
import {
  compareWithOracle,
  expectedReadBack,
  randomPrefixes,
  readBack,
  seededRandom,
  tableOf,
} from "./differential.ts";

const SEED = 20_261_124;
const KIND_NAMES: readonly NodeKind[] = ["bitmap", "list", "tree", "points", "wide", "skip", "hashed"];

test("tables that favour speed or size equal the oracle, in the kernel too", (t) => {
  const random = seededRandom(SEED);
  const seen = new Set<string>();
  let compared = 0;
  const sets = rounds({ short: 12, long: 120 });
  for (let i = 0; i < sets; i++) {
    const prefixes = randomPrefixes(random);
    for (const favour of ["speed", "size"] as const) {
      const table = tableOf(prefixes, favour);
      compared += compareWithOracle(table, prefixes, 4, random);
      table.checkStructure();
      assert.deepEqual(readBack(table), expectedReadBack(prefixes));
      for (const family of [4, 6] as const) {
        compareKernel(table, family, random);
        for (const { kind } of table.layout(family).kinds) seen.add(`${kind} in IPv${family}`);
      }
    }
  }
  t.diagnostic(`seed ${SEED}: ${compared} answers; nodes: ${[...seen].sort().join(", ")}`);
  assert.ok(seen.has("list in IPv4") && seen.has("list in IPv6"), [...seen].join());
});

/** Looks up random addresses, and those at which prefixes begin, with the kernel and in the table. */
function compareKernel(table: ReturnType<typeof tableOf>, family: 4 | 6, random: () => number): void {
  const words: number[] = [];
  for (const { prefix } of table.entries(family)) words.push(prefix.w0, prefix.w1, prefix.w2, prefix.w3);
  for (let i = 0; i < 400; i++) words.push(random());
  const size = family === 4 ? 1 : 4;
  const count = Math.trunc(words.length / size);
  const expected = new Uint32Array(count);
  table.lookupBatchInto(family, Uint32Array.from(words.slice(0, count * size)), expected);
  const { kernel, memory, at } = kernelOver(table, words.length * 8 + 64);
  const given = new Uint32Array(memory.buffer, at, count * size);
  given.set(words.slice(0, count * size));
  const out = new Uint32Array(memory.buffer, at + count * size * 4, count);
  if (family === 4) kernel.lookupBatch4(given.byteOffset, out.byteOffset, count);
  else kernel.lookupBatch6(given.byteOffset, out.byteOffset, count);
  assert.deepEqual(out.slice(), expected);
}

/** 2,000 prefixes of /16 to /32 anywhere, for which every root size has its merits. */
function scattered(): PrefixTrie {
  const trie = new PrefixTrie();
  const random = seededRandom(SEED);
  for (let i = 0; i < 2_000; i++) {
    const length = 16 + (random() % 17);
    const w0 = (random() & (-1 << (32 - length))) >>> 0;
    trie.insert({ family: 4, w0, w1: 0, w2: 0, w3: 0, length }, 1 + (i % 50));
  }
  return trie;
}

test("by the cost model, the favoured property is best; the choices differ", () => {
  const trie = scattered();
  const [speed, size, balance] = (["speed", "size", "balance"] as const).map((favour) =>
    freeze(trie, { favour }).layout(4),
  );
  assert.ok(speed!.nanoseconds <= Math.min(size!.nanoseconds, balance!.nanoseconds) * 1.05);
  assert.ok(size!.bytes <= Math.min(speed!.bytes, balance!.bytes) * 1.03);
  assert.ok(speed!.rootBits > balance!.rootBits && balance!.rootBits > size!.rootBits);
});

test("a layout accounts for every byte of the index, and its estimate is the sum of its parts", () => {
  const table = freeze(scattered());
  const layout = table.layout(4);
  const { root4, nodes4 } = table.sections;
  assert.equal(layout.rootBytes, root4.byteLength);
  assert.equal(2 ** layout.rootBits * 4, root4.byteLength);
  assert.equal(
    layout.kinds.reduce((sum, { bytes }) => sum + bytes, 0),
    nodes4.byteLength,
  );
  const shares = costShares(layout);
  for (const { kind, perLookup } of layout.kinds) assert.equal(shares[kind], perLookup);
  const costs = { ...LOOKUP_COSTS, doubling: 0, ...Object.fromEntries(KIND_NAMES.map((kind) => [kind, 1])), lookup: 7 };
  const passed = layout.kinds.reduce((sum, { perLookup }) => sum + perLookup, 0);
  assert.ok(Math.abs(expectedNanoseconds(layout, costs) - 7 - passed) < 1e-9);
});

test("an empty table has only a root", () => {
  const { kinds, bytes, rootBytes } = freeze(new PrefixTrie(), { favour: "size" }).layout(4);
  assert.deepEqual([kinds, bytes], [[], rootBytes]);
});

test("an unknown favour is rejected", () => {
  assert.throws(() => freeze(new PrefixTrie(), { favour: "fast" as "speed" }), {
    name: "RangeError",
    message: 'favour is "fast"; choose from speed, size, balance',
  });
});
