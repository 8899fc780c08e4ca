import assert from "node:assert/strict";
import { test } from "node:test";
import type { Family } from "../../src/address/address.ts";
import { freeze } from "../../src/table/freeze.ts";
import {
  HEADER_ROOT_BITS_4,
  HEADER_ROOT_BITS_6,
  NODE_BITMAP,
  NODE_HASHED,
  NODE_LIST,
  NODE_POINTS,
  NODE_SKIP,
  NODE_TREE,
  NODE_WIDE,
} from "../../src/table/layout.ts";
import type { PrefixTable } from "../../src/table/prefix-table.ts";
import { PrefixTrie } from "../../src/trie/prefix-trie.ts";
import { seededRandom } from "../table/differential.ts";
import { nodeLevels } from "../table/node-kinds.ts";
import { kernelOver } from "./kernel-memory.ts";

type Words = readonly [number, number, number, number];

/** The prefixes of a table and the size its root must reach, so that every path of the batch lookups is taken. */
interface Shape {
  readonly name: string;
  readonly family: Family;
  readonly rootBits: number;
  /** The kinds of nodes that must occur under the root, and one level below. */
  readonly kinds: readonly [readonly number[], readonly number[]];
  readonly prefixes: (random: () => number) => Iterable<readonly [words: Words, length: number]>;
}

const word = (number: number): number => number >>> 0;

const SHAPES: readonly Shape[] = [
  {
    name: "IPv4: a root of 18 bits over routes, with some longer ones",
    family: 4,
    rootBits: 18,
    kinds: [
      [NODE_BITMAP, NODE_LIST, NODE_TREE, NODE_POINTS],
      [NODE_BITMAP, NODE_LIST, NODE_POINTS],
    ],
    *prefixes(random) {
      for (let i = 0; i < 260_000; i++) yield [[word(random() & 0x1fff_ff00), 0, 0, 0], 24];
      for (let i = 0; i < 4_000; i++) yield [[word(random() & 0x1fff_ffff), 0, 0, 0], 25 + (random() % 8)];
      for (let i = 0; i < 5_000; i++) yield [[word(0xc000_0000 | (random() & 0xff_ffff)), 0, 0, 0], 32];
      for (let i = 0; i < 300; i++) yield [[word(0xd000_0000 | (random() & 0x3fff)), 0, 0, 0], 32];
      for (let i = 0; i < 120; i++) yield [[word(0xd100_0000 | (random() & 0x3fff)), 0, 0, 0], 24 + (random() % 9)];
      for (let i = 0; i < 6; i++) yield [[word(0xd200_0000 | (random() & 0x3fff)), 0, 0, 0], 22 + (random() % 11)];
      // Below a bitmap, whose slots have 256 addresses: scattered prefixes of different sizes.
      for (let i = 0; i < 700; i++) yield [[word(0xd300_0000 | (random() & 0x3fff)), 0, 0, 0], 26 + (random() % 7)];
    },
  },
  {
    name: "IPv4: a root of 16 bits over single addresses",
    family: 4,
    rootBits: 16,
    kinds: [[NODE_POINTS, NODE_LIST, NODE_TREE, NODE_BITMAP], []],
    *prefixes(random) {
      for (let i = 0; i < 66_000; i++) yield [[word(random()), 0, 0, 0], 32];
      for (let i = 0; i < 120; i++) yield [[word(0x0c00_0000 | (random() & 0xffff)), 0, 0, 0], 22 + (random() % 11)];
      for (let i = 0; i < 6; i++) yield [[word(0x0d00_0000 | (random() & 0xffff)), 0, 0, 0], 20 + (random() % 13)];
      for (let i = 0; i < 3_000; i++) yield [[word(0x0a00_0000 | (random() & 0xffff)), 0, 0, 0], 32];
      for (let i = 0; i < 60; i++) yield [[word(0x0b00_0000 | (random() & 0xffff)), 0, 0, 0], 32];
    },
  },
  {
    name: "IPv4: a root of 12 bits",
    family: 4,
    rootBits: 12,
    kinds: [[NODE_LIST, NODE_TREE, NODE_BITMAP], [NODE_BITMAP]],
    *prefixes(random) {
      for (let i = 0; i < 3_000; i++) yield [[word(random() & 0x7fff_ffff), 0, 0, 0], 17 + (random() % 16)];
      for (let i = 0; i < 60; i++) yield [[word(0xa000_0000 | (random() & 0xf_ffff)), 0, 0, 0], 32];
      for (let i = 0; i < 60; i++) yield [[word(0xa100_0000 | (random() & 0xf_ffff)), 0, 0, 0], 18 + (random() % 11)];
      for (let i = 0; i < 16; i++) yield [[word(0x9000_0000 | (i << 18)), 0, 0, 0], 18];
    },
  },
  {
    name: "IPv6: a root of 16 bits over routes, with all kinds of nodes under it",
    family: 6,
    rootBits: 16,
    kinds: [
      [NODE_WIDE, NODE_LIST, NODE_POINTS, NODE_SKIP, NODE_HASHED],
      [NODE_LIST, NODE_TREE, NODE_WIDE, NODE_SKIP, NODE_HASHED],
    ],
    *prefixes(random) {
      for (let i = 0; i < 12_000; i++)
        yield [[word(0x2400_0000 | (random() & 0x0007_ffff)), random() & 0xffff_0000, 0, 0], 32 + (random() % 17)];
      for (let i = 0; i < 100; i++) yield [[0x2a00_0001, word(random() & 0xffff_0000), 0, 0], 48];
      for (let i = 0; i < 900; i++) yield [[0x2a00_0002, word(random()), word(random()), 0], 56 + (random() % 30)];
      for (let i = 0; i < 40; i++) yield [[0x2a00_0003, 7, 9, word(random())], 128];
      for (let i = 0; i < 5; i++) yield [[0x3fff_0000, word(random() & 0xffff_0000), 0, 0], 48];
      for (let i = 0; i < 40; i++) yield [[word(0x3ffe_0000 | (random() & 0xffff)), 0, 0, 0], 32];
      for (let i = 0; i < 40; i++) yield [[word(0x3ffd_0000 | (random() & 0xffff)), 7, 9, 1], 128];
      // Hosts, sites, and hosts below a /32 and a /48.
      for (let i = 0; i < 3_000; i++)
        yield [[word(0x3ffc_0000 | (random() & 0xffff)), word(random()), word(random()), word(random())], 128];
      for (let i = 0; i < 3_000; i++) yield [[word(0x3ffb_0000 | (random() & 0xffff)), word(random()), 0, 0], 64];
      for (let i = 0; i < 500; i++) yield [[0x2a00_0006, word(random()), word(random()), word(random())], 128];
      for (let i = 0; i < 500; i++)
        yield [[0x2a00_0007, word(0x1234_0000 | (random() & 0xffff)), word(random()), word(random())], 120];
      for (let i = 0; i < 200; i++) yield [[0x2a00_0004, word(random() & 0xffff_0000), 0, 0], 48];
      for (let i = 0; i < 99; i++) yield [[0x2a00_0005, word(random() & 0xffff_0000), 0, 0], 36 + (random() % 13)];
      for (let i = 0; i < 9; i++) yield [[0xfd00_1234, 0x5678_9abc, 0xdef0_0000, word(random())], 97 + (random() % 32)];
    },
  },
  {
    name: "IPv6: no root",
    family: 6,
    rootBits: 0,
    kinds: [[NODE_TREE], [NODE_LIST, NODE_TREE, NODE_POINTS, NODE_SKIP, NODE_HASHED]],
    *prefixes(random) {
      for (let i = 0; i < 60; i++)
        yield [[word(random()), word(random()), word(random()), word(random())], 5 + (random() % 113)];
      for (let i = 0; i < 300; i++)
        yield [[word(0x2001_0000 | (random() & 0xff)), word(random() & 0xffff_0000), 0, 0], 22 + (random() % 27)];
      for (let i = 0; i < 5; i++) yield [[word(0x5001_0000 | (random() & 0xffff)), 0, 0, 0], 20 + (random() % 13)];
      for (let i = 0; i < 40; i++) yield [[word(0x5002_0000 | (random() & 0xffff)), 1, 2, 3], 128];
      for (let i = 0; i < 40; i++) yield [[word(0x5004_0000 | (random() & 0xffff)), 0, 0, 0], 32];
      for (let i = 0; i < 200; i++) yield [[word(0x5003_0000 | (random() & 0xffff)), word(random()), 2, 3], 128];
      for (let i = 0; i < 4; i++) yield [[0x4000_1111, 0x2222_3333, 0x4444_5555, word(random())], 128];
    },
  },
];

function tableOf(shape: Shape, prefixes: readonly (readonly [Words, number])[]): PrefixTable {
  const trie = new PrefixTrie();
  prefixes.forEach(([words, length], i) => {
    const masked = words.map((value, at) => {
      const kept = Math.min(32, Math.max(0, length - 32 * at));
      return kept === 0 ? 0 : word(value & (-1 << (32 - kept)));
    });
    trie.insert(
      { family: shape.family, w0: masked[0]!, w1: masked[1]!, w2: masked[2]!, w3: masked[3]!, length },
      1 + (i % 1000),
    );
  });
  return freeze(trie);
}

/** Addresses in and next to every prefix, in no particular order, and some random ones. */
function addressesFor(
  shape: Shape,
  prefixes: readonly (readonly [Words, number])[],
  random: () => number,
): Uint32Array {
  const size = shape.family === 4 ? 1 : 4;
  const words = new Uint32Array(2 * prefixes.length * size);
  for (let i = 0; i < prefixes.length; i++) {
    const [near] = prefixes[random() % prefixes.length]!;
    for (let at = 0; at < size; at++) {
      words[2 * i * size + at] = near[at]!;
      words[(2 * i + 1) * size + at] = random();
    }
    // Flips one bit of the address: just outside the prefix, or elsewhere in it.
    const bit = random() % (32 * size);
    if (i % 3 > 0) words[2 * i * size + (bit >>> 5)]! ^= 1 << (bit & 31);
  }
  return words;
}

for (const shape of SHAPES) {
  test(`the kernel equals the table: ${shape.name}`, (t) => {
    const random = seededRandom(20261121);
    const prefixes = [...shape.prefixes(random)];
    const table = tableOf(shape, prefixes);
    const header = new Int32Array(table.buffer, table.sections.header.byteOffset);
    assert.equal(header[shape.family === 4 ? HEADER_ROOT_BITS_4 : HEADER_ROOT_BITS_6], shape.rootBits);
    const levels = nodeLevels(table, shape.family).map((level) => new Set(level.map(({ kind }) => kind)));
    t.diagnostic(levels.map((kinds) => [...kinds].sort().join()).join(" | "));
    shape.kinds.forEach((kinds, level) =>
      kinds.forEach((kind) => assert.ok(levels[level]?.has(kind), `no node of kind ${kind} at level ${level}`)),
    );

    const words = addressesFor(shape, prefixes, random);
    const count = words.length / (shape.family === 4 ? 1 : 4);
    const { kernel, memory, at } = kernelOver(table, words.byteLength + 4 * count + 64);
    new Uint32Array(memory.buffer, at, words.length).set(words);
    const out = at + words.byteLength;
    // Batches of every length from 1 up, which do not end where groups do.
    for (let done = 0, length = 1; done < count; done += length, length += 7) {
      const now = Math.min(length, count - done);
      if (shape.family === 4) kernel.lookupBatch4(at + 4 * done, out + 4 * done, now);
      else kernel.lookupBatch6(at + 16 * done, out + 4 * done, now);
    }
    const expected = new Uint32Array(count);
    table.lookupBatchInto(shape.family, words, expected);
    const matched = expected.reduce((sum, match) => sum + Math.sign(match), 0);
    t.diagnostic(`${count} lookups, ${matched} matched, ${levels.length} levels`);
    assert.ok(matched > count / 10 && matched < count);
    assert.deepEqual(new Uint32Array(memory.buffer, out, count), expected);

    // A batch may overwrite its own words.
    table.lookupBatchInto(shape.family, words, words);
    assert.deepEqual(words.subarray(0, count), expected);
  });
}
