import assert from "node:assert/strict";
import { test } from "node:test";
import type { Family } from "../../src/address/address.ts";
import { parseAddress } from "../../src/address/parse-address.ts";
import { parsePrefix } from "../../src/address/prefix.ts";
import { freeze } from "../../src/table/freeze.ts";
import * as layout from "../../src/table/layout.ts";
import type { PrefixTable } from "../../src/table/prefix-table.ts";
import { TableError } from "../../src/table/table-error.ts";
import { PrefixTrie } from "../../src/trie/prefix-trie.ts";
import { PREFIX_SETS } from "../cases/prefix-sets.ts";
import { randomPrefixes, seededRandom, tableOf, toWords } from "../table/differential.ts";
import { kernelOver } from "./kernel-memory.ts";
import { rounds } from "../rounds.ts";

const SEED = 20261121;

/** The match ids of the addresses, from the kernel. */
function kernelLookup(table: PrefixTable, family: Family, words: Uint32Array): Uint32Array {
  const count = words.length / (family === 4 ? 1 : 4);
  const { kernel, memory, at } = kernelOver(table, 4 * (words.length + count));
  new Uint32Array(memory.buffer, at, words.length).set(words);
  const out = at + words.byteLength;
  if (family === 4) kernel.lookupBatch4(at, out, count);
  else kernel.lookupBatch6(at, out, count);
  return new Uint32Array(memory.buffer, out, count).slice();
}

function tableLookup(table: PrefixTable, family: Family, words: Uint32Array): Uint32Array {
  const out = new Uint32Array(words.length / (family === 4 ? 1 : 4));
  table.lookupBatchInto(family, words, out);
  return out;
}

test("the kernel passes the table of prefix sets", () => {
  for (const set of PREFIX_SETS) {
    const trie = new PrefixTrie();
    for (const [text, ...values] of set.given ?? set.entries)
      for (const value of values) trie.add(parsePrefix(text), value);
    const table = freeze(trie);
    for (const family of [4, 6] as const) {
      const addresses = set.addresses
        .map(([text]) => parseAddress(text))
        .filter((address) => address.family === family);
      const words = Uint32Array.from(
        addresses.flatMap(({ w0, w1, w2, w3 }) => (family === 4 ? [w0] : [w0, w1, w2, w3])),
      );
      assert.deepEqual(kernelLookup(table, family, words), tableLookup(table, family, words), set.name);
    }
  }
});

test("the kernel equals the table: random prefixes of every shape, addresses at their ends and elsewhere", (t) => {
  const random = seededRandom(SEED);
  let lookups = 0;
  let matched = 0;
  for (let round = 0; round < rounds({ short: 100, long: 300 }); round++) {
    const prefixes = randomPrefixes(random);
    const table = tableOf(prefixes);
    for (const family of [4, 6] as const) {
      const bits = BigInt(family === 4 ? 32 : 128);
      const keys = prefixes
        .filter((prefix) => prefix.family === family)
        .flatMap(({ first, length }) => {
          const size = 1n << (bits - BigInt(length));
          const anywhere = (BigInt(random()) * size) >> 32n;
          return [first, first + size - 1n, first + size, first - 1n, first + anywhere].map((key) =>
            BigInt.asUintN(Number(bits), key),
          );
        });
      const words = Uint32Array.from(keys.flatMap((key) => toWords(family, key).slice(0, family === 4 ? 1 : 4)));
      const expected = tableLookup(table, family, words);
      assert.deepEqual(kernelLookup(table, family, words), expected);
      lookups += expected.length;
      matched += expected.filter((match) => match !== 0).length;
    }
  }
  t.diagnostic(`seed ${SEED}: ${lookups} lookups, ${matched} matched`);
  assert.ok(matched > lookups / 4 && matched < lookups);
});

test("a corrupt table causes a typed error or yields an id of the table, never a loop or another error", () => {
  const random = seededRandom(SEED);
  let refused = 0;
  let answered = 0;
  for (let round = 0; round < rounds({ short: 250, long: 400 }); round++) {
    const prefixes = randomPrefixes(random);
    const table = tableOf(prefixes);
    const family = prefixes[0]!.family;
    const name = `nodes${family}` as const;
    const words = Uint32Array.from(
      prefixes
        .filter((prefix) => prefix.family === family)
        .flatMap(({ first }) => toWords(family, first).slice(0, family === 4 ? 1 : 4)),
    );
    const { byteOffset, byteLength } = table.sections[name];
    const nodes = new Int32Array(table.buffer, byteOffset, byteLength / 4);
    const root = new Int32Array(
      table.buffer,
      table.sections[`root${family}`].byteOffset,
      table.sections[`root${family}`].byteLength / 4,
    );
    for (let i = 0; i < 4; i++) {
      const target = i % 3 === 0 || nodes.length === 0 ? root : nodes;
      target[random() % target.length] =
        round % 2 === 0
          ? random()
          : layout.NODE_FLAG | ((random() % 8) << layout.KIND_SHIFT) | (random() % (nodes.length + 1));
    }
    try {
      const matches = kernelLookup(table, family, words);
      assert.ok(matches.every((match) => match <= table.matchCount));
      answered++;
    } catch (error) {
      assert.ok(error instanceof TableError && error.section === name, String(error));
      refused++;
    }
  }
  assert.ok(refused > 50 && answered > 50, `${refused} refused, ${answered} answered`);
});
