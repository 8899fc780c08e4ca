import assert from "node:assert/strict";
import { test } from "node:test";
import { groupsFor, hashBucket } from "../../src/table/_hashed.ts";
import { GROUP_BUCKETS, GROUP_KEYS, HASHED_KEYS } from "../../src/table/layout.ts";
import type { PrefixTable } from "../../src/table/prefix-table.ts";
import { TableError } from "../../src/table/table-error.ts";
import { rounds } from "../rounds.ts";
import { hashedTable } from "../corpus/snapshots.ts";
import { kernelOver } from "../kernel/kernel-memory.ts";
import type { PlainPrefix } from "../oracle/interval-oracle.ts";
import { compareWithOracle, expectedReadBack, readBack, seededRandom, tableOf } from "./differential.ts";

const SEED = 20_261_125;

function kindsOf(table: PrefixTable): string[] {
  return table.layout(6).kinds.map(({ kind }) => kind);
}

const LIST_SHAPES = {
  "hosts anywhere": { length: 128, above: 16, run: 1, ownValues: false },
  "hosts anywhere, a value each": { length: 128, above: 16, run: 1, ownValues: true },
  "sites side by side": { length: 64, above: 16, run: 3, ownValues: false },
  "sites side by side, a value each": { length: 64, above: 16, run: 3, ownValues: true },
  "blocks of no whole word below a /40": { length: 100, above: 40, run: 2, ownValues: false },
  "hosts below a /24": { length: 128, above: 24, run: 3, ownValues: true },
} as const;

/** A list of blocks below 2000::/3 and one prefix around some of them. */
function listOf(shape: keyof typeof LIST_SHAPES, count: number, random: () => number): PlainPrefix[] {
  const { length, above, run, ownValues } = LIST_SHAPES[shape];
  const found = new Map<bigint, PlainPrefix>();
  const top = 0x2001_0db8_1200_0000n << 64n;
  while (found.size < count) {
    let inside = 0n;
    for (let i = 0; i < 4; i++) inside = (inside << 32n) | BigInt(random());
    const address =
      ((top >> BigInt(128 - above)) << BigInt(128 - above)) | (inside & ((1n << BigInt(128 - above)) - 1n));
    for (let side = 0; side < run; side++) {
      const first = ((address >> BigInt(128 - length)) + BigInt(side)) << BigInt(128 - length);
      found.set(first, { family: 6, first, length, values: [ownValues ? found.size + 2 : 2] });
    }
  }
  return [...found.values()];
}

for (const shape of Object.keys(LIST_SHAPES) as (keyof typeof LIST_SHAPES)[])
  test(`a list of IPv6 is one hashed node, and equals the oracle: ${shape}`, (t) => {
    const random = seededRandom(SEED);
    const prefixes = listOf(shape, rounds({ short: 1_200, long: 12_000 }), random);
    const around: PlainPrefix = { family: 6, first: 0x2000n << 112n, length: 6, values: [1] };
    for (const list of [prefixes, [...prefixes, around]]) {
      const table = tableOf(list);
      assert.deepEqual(
        table
          .layout(6)
          .kinds.filter(({ kind }) => kind === "hashed")
          .map(({ nodes }) => nodes),
        [1],
      );
      const compared = compareWithOracle(table, list, 2, random);
      table.checkStructure();
      assert.deepEqual(readBack(table), expectedReadBack(list));
      compareKernel(table, list, random);
      t.diagnostic(`${compared} answers; ${kindsOf(table).join(", ")}`);
    }
  });

test("the first and the last address of the space can be blocks, too", () => {
  const random = seededRandom(SEED);
  const ends = [0n, (1n << 128n) - 1n].map((first): PlainPrefix => ({ family: 6, first, length: 128, values: [2] }));
  const list = [...ends, ...listOf("hosts anywhere", 500, random)];
  const table = tableOf(list);
  assert.ok(kindsOf(table).includes("hashed"));
  compareWithOracle(table, list, 1, random);
  assert.deepEqual(readBack(table), expectedReadBack(list));
  compareKernel(table, list, random);
});

test("a list of hosts that fill a small prefix here and there is one hashed node, one with a wider prefix is not", () => {
  const random = seededRandom(SEED);
  const hosts = listOf("hosts anywhere", 1_000, random);
  for (const [length, isHashed] of [
    [122, true], // 64 hosts, 48 of them among the 250 extra ones
    [112, false],
  ] as const) {
    const block: PlainPrefix = { family: 6, first: 0x2001_0db8_1200_0000_0000_0000_0000_0000n, length, values: [2] };
    const table = tableOf([...hosts, block]);
    assert.equal(kindsOf(table).join() === "hashed", isHashed, kindsOf(table).join());
    compareWithOracle(table, [...hosts, block], 2, random);
    table.checkStructure();
    assert.deepEqual(readBack(table), expectedReadBack([...hosts, block]));
    compareKernel(table, [...hosts, block], random);
  }
});

const CROWDED = {
  bucket: { count: 64, most: HASHED_KEYS, buckets: 1 },
  group: { count: 512, most: GROUP_KEYS, buckets: GROUP_BUCKETS },
};

for (const [place, { count, most, buckets }] of Object.entries(CROWDED))
  test(`a list with crafted collisions gets other nodes; up to the limit of a ${place} it is hashed`, () => {
    const random = seededRandom(SEED);
    for (const crowded of [most, most + 1]) {
      const list = colliding(count, crowded, buckets, random);
      const table = tableOf(list);
      const kinds = kindsOf(table).join();
      assert.equal(kinds === "hashed", crowded === most, kinds); // nodes below another one may be hashed
      compareWithOracle(table, list, 1, random);
      table.checkStructure();
      compareKernel(table, list, random);
    }
  });

/** Hosts of which `crowded` are in the first `buckets` buckets, evenly, and few in each other bucket. */
function colliding(count: number, crowded: number, buckets: number, random: () => number): PlainPrefix[] {
  const groups = groupsFor(count);
  const filled = new Uint8Array(groups * GROUP_BUCKETS);
  const list: PlainPrefix[] = [];
  let inFirst = 0;
  while (list.length < count) {
    const words = [random(), random(), random(), random()] as const;
    const bucket = hashBucket(...words, groups);
    const isFirst = bucket < buckets;
    if (filled[bucket]! >= (isFirst ? Math.ceil(crowded / buckets) : 4)) continue;
    if (isFirst ? inFirst === crowded : list.length - inFirst === count - crowded) continue;
    filled[bucket]!++;
    if (isFirst) inFirst++;
    const first = words.reduce((address, word) => (address << 32n) | BigInt(word), 0n);
    list.push({ family: 6, first, length: 128, values: [1] });
  }
  return list;
}

test("lookups in hashed nodes with random words end, and return only existing matches", (t) => {
  const random = seededRandom(SEED);
  const { byteOffset, byteLength } = hashedTable().sections.nodes6;
  let [wrong, thrown] = [0, 0];
  for (let round = 0; round < rounds({ short: 60, long: 3_000 }); round++) {
    const table = hashedTable();
    const nodes = new Int32Array(table.buffer, byteOffset, byteLength / 4);
    const words = [...table.entries(6)].flatMap(({ prefix: { w0, w1, w2, w3 } }) => [w0, w1, w2, w3]);
    const before = kernelAnswers(table, words);
    // The two hashed nodes are among the last few hundred words, or among the first.
    for (let i = 0; i < 6; i++) nodes[random() % nodes.length] = random() % 2 === 0 ? random() : random() % 64;
    const found = answersOf(() => kernelAnswers(table, words));
    if (found === null) thrown++;
    else {
      assert.ok(found.every((match) => match <= table.matchCount));
      if (found.some((match, i) => match !== before[i])) wrong++;
    }
    for (let at = 0; at < words.length; at += 4)
      answersOf(() => [table.lookup6(words[at]!, words[at + 1]!, words[at + 2]!, words[at + 3]!)]);
  }
  t.diagnostic(`${wrong} tables gave other answers, ${thrown} were found corrupt`);
  assert.ok(wrong + thrown > 0);
});

function answersOf(run: () => Iterable<number>): number[] | null {
  try {
    return [...run()];
  } catch (error) {
    assert.ok(error instanceof TableError, String(error));
    return null;
  }
}

/** Compares the kernel with the table, for the first address of each prefix, one next to it, and random addresses. */
function compareKernel(table: PrefixTable, prefixes: readonly PlainPrefix[], random: () => number): void {
  const words: number[] = [];
  for (const { first } of prefixes)
    for (const address of [first, first ^ (1n << BigInt(random() % 128))])
      for (const shift of [96n, 64n, 32n, 0n]) words.push(Number((address >> shift) & 0xffff_ffffn));
  for (let i = 0; i < 400; i++) words.push(random());
  const expected = new Uint32Array(words.length / 4);
  table.lookupBatchInto(6, Uint32Array.from(words), expected);
  assert.deepEqual(kernelAnswers(table, words), expected);
}

function kernelAnswers(table: PrefixTable, words: readonly number[]): Uint32Array {
  const count = words.length / 4;
  const { kernel, memory, at } = kernelOver(table, words.length * 8 + 64);
  new Uint32Array(memory.buffer, at, words.length).set(words);
  const out = new Uint32Array(memory.buffer, at + words.length * 4, count);
  kernel.lookupBatch6(at, out.byteOffset, count);
  return out.slice();
}
