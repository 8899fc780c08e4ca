import assert from "node:assert/strict";
import { test } from "node:test";
import { addressNumber, Oracle } from "../../bench/data/oracle.ts";
import {
  maskWords,
  nestTable,
  singleAddresses,
  TableCollector,
  wordsAt,
  wordsPerAddress,
} from "../../bench/data/table-data.ts";
import { makeQueries, QUERY_KINDS } from "../../bench/data/queries.ts";
import { Random, zipf } from "../../bench/data/random.ts";
import type { TableData, Words } from "../../bench/data/table-data.ts";

const SEED = 99;

/** Nested prefixes in which only a few bits differ, so that equal, covering and neighbouring ones are common. */
function randomTable(family: 4 | 6, count: number, random: Random): TableData {
  const bits = family === 4 ? 32 : 128;
  const table = new TableCollector(family);
  for (let i = 0; i < count; i++) {
    const length = random.below(bits + 1);
    const words = [0, 1, 2, 3].map((word) => (word === 0 || family === 6 ? (random.below(4) << 30) >>> 0 : 0));
    table.set(maskWords(words as unknown as Words, length), length, 1 + random.below(1000));
  }
  return table.finish();
}

/** The longest prefix that covers the address, found by comparing all of them bit by bit. */
function linearAnswer(table: TableData, address: Words): number {
  let best = -1;
  const bitsOf = (words: Words): string => words.map((word) => word.toString(2).padStart(32, "0")).join("");
  for (let i = 0; i < table.count; i++) {
    const length = table.lengths[i]!;
    const covers = bitsOf(address).slice(0, length) === bitsOf(wordsAt(table.family, table.words, i)).slice(0, length);
    if (covers && (best < 0 || length > table.lengths[best]!)) best = i;
  }
  return best < 0 ? 0 : table.values[best]!;
}

for (const family of [4, 6] as const) {
  test(`the oracle of the benchmarks equals trying every prefix, IPv${family}`, (context) => {
    const random = new Random(SEED);
    let compared = 0;
    for (let round = 0; round < 20; round++) {
      const table = randomTable(family, 30, random);
      const oracle = new Oracle(table);
      const edges = Array.from({ length: table.count }, (_, i) => wordsAt(family, table.words, i));
      for (const address of edges) {
        const words = Uint32Array.from(address.slice(0, wordsPerAddress(family)));
        assert.equal(
          oracle.answers(words)[0],
          linearAnswer(table, address),
          `seed ${SEED}, round ${round}, ${address}`,
        );
        compared++;
      }
    }
    context.diagnostic(`seed ${SEED}: ${compared} answers compared`);
  });
}

test("queries match their names: hits hit, misses miss, the same seed yields the same", () => {
  const table = nestTable(singleAddresses(500, SEED), SEED);
  const oracle = new Oracle(table);
  for (const kind of QUERY_KINDS) {
    const { words, answers } = makeQueries(table, oracle, kind, 1_000, SEED);
    const hits = answers.filter((answer) => answer > 0).length;
    if (kind === "hits" || kind === "skewed") assert.equal(hits, 1_000);
    if (kind === "misses") assert.equal(hits, 0);
    assert.deepEqual(makeQueries(table, oracle, kind, 1_000, SEED).words, words);
    assert.notDeepEqual(makeQueries(table, oracle, kind, 1_000, SEED + 1).words, words);
  }
});

test("skewed draws follow Zipf's law: rank 0 comes 2^1.1 times as often as rank 1", () => {
  const draw = zipf(new Random(SEED), 1_000, 1.1);
  const counts = [0, 0];
  for (let i = 0; i < 200_000; i++) {
    const rank = draw();
    if (rank < 2) counts[rank]!++;
  }
  const ratio = counts[0]! / counts[1]!;
  assert.ok(Math.abs(ratio - 2 ** 1.1) < 0.1, `${ratio}`);
});

test("the nested variant adds a covering prefix that is 2 to 8 bits shorter to 40 % of the prefixes", () => {
  const table = singleAddresses(10_000, SEED);
  const nested = nestTable(table, SEED);
  const added = nested.count - table.count;
  assert.ok(added > 3_900 && added < 4_100, `${added}`);
  for (let i = table.count; i < nested.count; i++) assert.ok(nested.lengths[i]! >= 24 && nested.lengths[i]! <= 30);
});

test("addresses as numbers keep their order", () => {
  assert.equal(addressNumber(4, [0xffffffff, 0, 0, 0]), 0xffffffff);
  assert.equal(addressNumber(6, [0, 0, 1, 2]), 0x1_0000_0002n);
});
