import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { buildingBeside, buildingIndex } from "../../src/table/_node-builder.ts";
import { splittingHosts } from "../../src/table/_host-buckets.ts";
import { bucketOf, keyOf, mixed, mixOf, unmixed } from "../../src/table/_hosts.ts";
import type { Segments } from "../../src/table/_segments.ts";
import { freeze, freezeWith } from "../../src/table/freeze.ts";
import * as layout from "../../src/table/layout.ts";
import { PrefixTable } from "../../src/table/prefix-table.ts";
import type { SectionName } from "../../src/table/sections.ts";
import { SortedFreezer } from "../../src/table/sorted-freezer.ts";
import { TableError, type TableErrorCode } from "../../src/table/table-error.ts";
import { PrefixPairs } from "../../src/trie/prefix-pairs.ts";
import { PrefixTrie } from "../../src/trie/prefix-trie.ts";
import { finished } from "../../src/turns/finished.ts";
import { onlyLong, rounds, takingTurns } from "../rounds.ts";
import { kernelOver } from "../kernel/kernel-memory.ts";
import type { PlainPrefix } from "../oracle/interval-oracle.ts";
import { compareWithOracle, expectedReadBack, randomPrefixes, readBack, seededRandom } from "./differential.ts";

const SEED = 20_261_128;
const BUCKETS = layout.LEAST_BUCKETS;

type Random = () => number;

/** A table with buckets for however few hosts, if they suit its prefixes at all. */
function hostTableOf(prefixes: readonly PlainPrefix[]): PrefixTable {
  const trie = new PrefixTrie();
  for (const { first, length, values } of prefixes)
    for (const value of values) trie.add({ family: 4, w0: Number(first), w1: 0, w2: 0, w3: 0, length }, value);
  return freezeWith(trie, {}, (segments) => {
    const split = finished(splittingHosts(segments, { leastHosts: 1 }));
    return finished(split === null ? buildingIndex(segments) : buildingBeside(split, split.rest));
  });
}

function hasHosts(table: PrefixTable): boolean {
  return table.layout(4).kinds.some(({ kind }) => kind === "hosts");
}

function host(word: number, value: number): PlainPrefix {
  return { family: 4, first: BigInt(word), length: 32, values: [value] };
}

/** The first `count` hosts of a bucket, by key. */
function hostsIn(bucket: number, count: number): number[] {
  const found: number[] = [];
  for (let key = 0; found.length < count; key++) {
    const mix = mixOf(bucket, key, BUCKETS);
    if (bucketOf(mix, BUCKETS) === bucket && keyOf(mix, BUCKETS) === key) found.push(unmixed(mix));
  }
  return found;
}

/** Everything that can be asked of the table, against the oracle; the kernel against the table. */
function compareAll(table: PrefixTable, list: readonly PlainPrefix[], random: Random): number {
  table.checkStructure();
  assert.deepEqual(readBack(table), expectedReadBack(list));
  compareKernel(table, list, random);
  return compareWithOracle(table, list, 2, random);
}

function compareKernel(table: PrefixTable, list: readonly PlainPrefix[], random: Random): void {
  const words = list.flatMap(({ first }) => [Number(first), (Number(first) ^ (1 << (random() & 31))) >>> 0]);
  while (words.length < 2_000 || words.length % 4 !== 3) words.push(random());
  const expected = new Uint32Array(words.length);
  table.lookupBatchInto(4, Uint32Array.from(words), expected);
  assert.deepEqual(kernelAnswers(table, words), expected);
}

function kernelAnswers(table: PrefixTable, words: readonly number[]): Uint32Array {
  const { kernel, memory, at } = kernelOver(table, words.length * 8 + 64);
  new Uint32Array(memory.buffer, at, words.length).set(words);
  const out = new Uint32Array(memory.buffer, at + 4 * words.length, words.length);
  kernel.lookupBatch4(at, out.byteOffset, words.length);
  return out.slice();
}

test("mixing permutes the words, and a bucket and a key are one word", () => {
  const random = seededRandom(SEED);
  const edges = [0, 1, 2, 0x7fff_ffff, 0x8000_0000, 0xffff_fffe, 0xffff_ffff];
  for (const buckets of [BUCKETS, BUCKETS + 1, 131_072, 1_234_567, 2 ** 21])
    for (let i = 0; i < rounds({ short: 20_000, long: 50_000 }); i++) {
      const word = edges[i] ?? random();
      const mix = mixed(word);
      assert.equal(unmixed(mix), word);
      assert.ok(bucketOf(mix, buckets) < buckets);
      assert.equal(mixOf(bucketOf(mix, buckets), keyOf(mix, buckets), buckets), mix);
    }
});

/** Lists of hosts: how many different values, how many side by side, and which prefixes are around or beside them. */
const SHAPES = {
  "one value": { values: 1, run: 1, around: [] },
  "two values": { values: 2, run: 1, around: [] },
  "as many values as there are tags": { values: layout.MOST_TAGS, run: 1, around: [] },
  "side by side": { values: 1, run: 2, around: [] },
  "side by side with three values": { values: 3, run: 3, around: [] },
  "inside of and beside prefixes": { values: 2, run: 1, around: ["0/1", "10/8", "192/3", "203/24", "240/30"] },
  "inside of the default route": { values: 1, run: 1, around: ["0/0"] },
} as const;

function listOf({ values, run, around }: (typeof SHAPES)[keyof typeof SHAPES], count: number, random: Random) {
  const found = new Map<number, PlainPrefix>();
  for (const end of [0, 0xffff_ffff]) found.set(end, host(end, 1));
  while (found.size < count) {
    const word = random() % (2 ** 32 - run);
    for (let side = 0; side === 0 || (side < run && random() % 4 === 0); side++)
      found.set(word + side, host(word + side, 1 + (found.size % values)));
  }
  const prefixes = around.map((text): PlainPrefix => {
    const [octet, length] = text.split("/").map(Number) as [number, number];
    return { family: 4, first: BigInt(octet) << 24n, length, values: [values + 1] };
  });
  return [...found.values(), ...prefixes];
}

for (const [name, shape] of Object.entries(SHAPES))
  test(`a list of hosts is in buckets, and equals the oracle: ${name}`, (t) => {
    const random = seededRandom(SEED);
    const list = listOf(shape, rounds({ short: 1_500, long: 4_000 }), random);
    const table = hostTableOf(list);
    assert.ok(hasHosts(table));
    t.diagnostic(`${compareAll(table, list, random)} answers`);
  });

/** Hosts anywhere or within a /16, and a few prefixes of any length around, beside and among them. */
function mixedList(random: Random): PlainPrefix[] {
  const hosts = 100 + (random() % 400);
  const within = random() % 3 === 0 ? 16 : 0;
  const values = 1 + (random() % 4);
  const found = new Map<string, PlainPrefix>();
  const add = (word: number, length: number): void => {
    const first = length === 0 ? 0 : ((word >>> (32 - length)) << (32 - length)) >>> 0;
    found.set(`${first}/${length}`, { family: 4, first: BigInt(first), length, values: [1 + (random() % values)] });
  };
  for (let i = 0; i < hosts; i++) {
    const word = random() >>> within;
    add(word, 32);
    if (i % 50 === 0) add(word ^ (1 << (random() & 15)), random() % 33);
  }
  return [...found.values()];
}

test("random hosts among prefixes equal the oracle, in buckets or not", (t) => {
  const random = seededRandom(SEED);
  let [compared, withHosts] = [0, 0];
  const sets = rounds({ short: 40, long: 80 });
  for (let i = 0; i < sets; i++) {
    const list = i % 8 === 0 ? randomPrefixes(random).filter(({ family }) => family === 4) : mixedList(random);
    const table = hostTableOf(list);
    if (hasHosts(table)) withHosts++;
    compared += compareAll(table, list, random);
  }
  t.diagnostic(`${compared} answers, ${withHosts} sets with buckets`);
  assert.ok(withHosts > sets / 4);
});

test("hosts for which their bucket has no room are found in the overflow", () => {
  const random = seededRandom(SEED);
  for (const values of [1, 5]) {
    const room = values === 1 ? layout.BUCKET_KEYS : layout.TAGGED_KEYS;
    const crowded = [0, 7, BUCKETS - 1].flatMap((bucket, i) => hostsIn(bucket, room + i));
    const others = listOf({ values: 1, run: 1, around: [] }, 1_000, random).map(({ first }) => Number(first));
    const list = [...new Set([...crowded, ...others])].map((word, i) => host(word, 1 + (i % values)));
    const table = hostTableOf(list);
    const header = wordsOf(table, "header");
    assert.ok(header[layout.HEADER_OVERFLOW_4]! >= 3, `${header[layout.HEADER_OVERFLOW_4]} in the overflow`);
    compareAll(table, list, random);
    // Neighbours in the order of a crowded bucket that are no hosts: below, between and above what overflows.
    const near = hostsIn(7, 2 * room).slice(room + 1);
    assert.deepEqual(
      [...kernelAnswers(table, near)],
      near.map(() => 0),
    );
    assert.deepEqual(
      near.map((word) => table.lookup4(word)),
      near.map(() => 0),
    );
  }
});

test("a list that was crafted to collide, many prefixes, and many values are in nodes", () => {
  const random = seededRandom(SEED);
  const few = listOf(SHAPES["one value"], 400, random);
  const lists = {
    "too many in one bucket": hostsIn(3, 256).map((word) => host(word, 1)),
    "too many in the overflow": Array.from({ length: 12 }, (_, bucket) =>
      hostsIn(bucket, 40).map((word) => host(word, 1)),
    ).flat(),
    "more values than tags": Array.from({ length: 2_000 }, (_, i) =>
      host(i * 2_000_003, 1 + (i % (layout.MOST_TAGS + 1))),
    ),
    "more prefixes than one in 16": [
      ...few,
      ...Array.from({ length: 40 }, (_, i): PlainPrefix => ({
        family: 4,
        first: BigInt(i + 1) << 20n,
        length: 20,
        values: [2],
      })),
    ],
    "long runs": Array.from({ length: 40 }, (_, i) =>
      Array.from({ length: 8 }, (__, side) => host(i * 0x10_0000 + side + 9, 1)),
    ).flat(),
  };
  for (const [name, list] of Object.entries(lists)) {
    const table = hostTableOf(list);
    assert.ok(!hasHosts(table), name);
    compareAll(table, list, random);
  }
});

test("hosts are in buckets where speed is favoured, and in fewer bytes where size is", { skip: onlyLong() }, () => {
  const random = seededRandom(SEED);
  const pairs = new PrefixPairs();
  for (let i = 0; i < 900_000; i++) pairs.add(4, random(), 0, 0, 0, 32, 1);
  const [speed, size] = [freeze(pairs, { favour: "speed" }), freeze(pairs, { favour: "size" })];
  assert.ok(hasHosts(speed));
  assert.ok(size.byteLength < speed.byteLength);
});

test(
  "820,000 hosts are in buckets by themselves, with the answers of a set; rules, a match each, are not",
  { skip: takingTurns(2) },
  () => {
    const random = seededRandom(SEED);
    const hosts = new Set<number>();
    while (hosts.size < 820_000) hosts.add(random());
    const words = Uint32Array.from(hosts).sort();
    const pairs = new PrefixPairs();
    const sorted = new SortedFreezer(words.length, 0);
    for (const word of words) {
      pairs.add(4, word, 0, 0, 0, 32, 1);
      sorted.add(4, word, 0, 0, 0, 32, 9);
    }
    const asked = Array.from({ length: 100_000 }, (_, i) => (i % 2 === 0 ? random() : words[random() % words.length]!));
    const table = freeze(pairs);
    assert.ok(hasHosts(table));
    // Each match of a freezer of sorted prefixes is another one: more than there are tags.
    assert.ok(!hasHosts(finished(sorted.freezing())));
    const found = Uint32Array.from(asked);
    table.lookupBatchInto(4, found, found);
    const expected = Uint32Array.from(asked, (word) => (hosts.has(word) ? 1 : 0));
    assert.deepEqual(found, expected);
    assert.deepEqual(kernelAnswers(table, asked), expected);
    assert.equal([...table.entries(4)].length, words.length);
  },
);

function wordsOf(table: PrefixTable, section: SectionName): Int32Array {
  const { byteOffset, byteLength } = table.sections[section];
  return new Int32Array(table.buffer, byteOffset, byteLength / 4);
}

/** Bucket 0 has three hosts, bucket 7 is full, and bucket 9 overflows by two. */
function sample(values: number): PrefixTable {
  const words = [...hostsIn(0, 3), ...hostsIn(7, values === 1 ? 30 : 20), ...hostsIn(9, values === 1 ? 32 : 22)];
  const more = Array.from({ length: 200 }, (_, i) => hostsIn(100 + i, 1)[0]!);
  return hostTableOf([...words, ...more].map((word, i) => host(word, 1 + (i % values))));
}

interface Corruption {
  readonly values?: number;
  readonly code: TableErrorCode;
  readonly message: RegExp;
  readonly corrupt: (nodes: Int32Array, header: Int32Array) => void;
}

const BUCKET_9 = layout.BUCKET_WORDS * 9;
const OVERFLOW = layout.BUCKET_WORDS * BUCKETS;

const CORRUPTIONS: Readonly<Record<string, Corruption>> = {
  "too few buckets": {
    code: "bad-layout",
    message: /65535 buckets/,
    corrupt: (_, header) => void header[layout.HEADER_BUCKETS_4]!--,
  },
  "more words than there are": {
    code: "bad-layout",
    message: /2000000 hosts|overflow/,
    corrupt: (_, header) => void (header[layout.HEADER_OVERFLOW_4] = header[layout.HEADER_HOSTS_4] = 2_000_000),
  },
  "more in the overflow than hosts": {
    code: "bad-layout",
    message: /in the overflow/,
    corrupt: (_, header) => void (header[layout.HEADER_HOSTS_4] = 1),
  },
  "a match that there is not": {
    code: "bad-layout",
    message: /match 99/,
    corrupt: (_, header) => void (header[layout.HEADER_HOST_MATCH_4] = 99),
  },
  "no match and no tags": {
    code: "bad-layout",
    message: /match 0 and 0 tags/,
    corrupt: (_, header) => void (header[layout.HEADER_HOST_MATCH_4] = 0),
  },
  "a match beside tags": {
    values: 3,
    code: "bad-layout",
    message: /match 1 and 3 tags/,
    corrupt: (_, header) => void (header[layout.HEADER_HOST_MATCH_4] = 1),
  },
  "another number of hosts": {
    code: "bad-node",
    message: /more than 26\d hosts/,
    corrupt: (_, header) => void header[layout.HEADER_HOSTS_4]!--,
  },
  "fewer hosts than the header says": {
    code: "bad-node",
    message: /264 hosts, 2 of them/,
    corrupt: (_, header) => void header[layout.HEADER_HOSTS_4]!++,
  },
  "a count past the room": {
    code: "bad-node",
    message: /bucket at word 0 begins with 31/,
    corrupt: (nodes) => void (nodes[0] = 31),
  },
  "a head with other bits": {
    code: "bad-node",
    message: /bucket at word 0 begins with/,
    corrupt: (nodes) => void (nodes[0]! |= 64),
  },
  "keys that do not ascend": {
    code: "bad-node",
    message: /keys of bucket 0 do not ascend/,
    corrupt: (nodes) => void (nodes[1] = (nodes[1]! << 16) | (nodes[1]! >>> 16)),
  },
  "something after the keys": {
    code: "bad-node",
    message: /0xffff after the keys of the bucket at word 0/,
    corrupt: (nodes) => void (nodes[15] = 0),
  },
  "a bucket that overflows without saying so": {
    code: "bad-node",
    message: /bucket 9 of 30 keys has 2 hosts/,
    corrupt: (nodes) => void (nodes[BUCKET_9]! &= ~layout.BUCKET_OVERFLOWS),
  },
  "a bucket that says that it overflows": {
    code: "bad-node",
    message: /bucket 7 of 30 keys has 0 hosts/,
    corrupt: (nodes) => void (nodes[layout.BUCKET_WORDS * 7]! |= layout.BUCKET_OVERFLOWS),
  },
  "an overflow that does not ascend": {
    code: "bad-node",
    message: /ascend|overflow/,
    corrupt: (nodes) => void ([nodes[OVERFLOW], nodes[OVERFLOW + 1]] = [nodes[OVERFLOW + 1]!, nodes[OVERFLOW]!]),
  },
  "a host of no bucket in the overflow": {
    code: "bad-node",
    message: /overflow/,
    corrupt: (nodes) => void (nodes[OVERFLOW + 1] = -1),
  },
  "a match of the overflow that there is not": {
    values: 3,
    code: "bad-node",
    message: /a host has match 77/,
    corrupt: (nodes) => void (nodes[OVERFLOW + 2] = 77),
  },
  "a tag past the last one": {
    values: 3,
    code: "bad-node",
    message: /a host has match 0/,
    corrupt: (nodes) => void (nodes[11]! |= 3),
  },
  "a tag after the last key": {
    values: 3,
    code: "bad-node",
    message: /a tag without a key/,
    corrupt: (nodes) => void (nodes[15]! |= 1),
  },
  "tags that do not ascend": {
    values: 3,
    code: "bad-node",
    message: /tag 1 is match 1/,
    corrupt: (nodes) => void (nodes[OVERFLOW + 5] = 1),
  },
  "fewer tags than hosts use": {
    values: 3,
    code: "bad-node",
    message: /a host has match 0/,
    corrupt: (_, header) => void header[layout.HEADER_TAGS_4]!--,
  },
  "words after the hosts": {
    code: "bad-node",
    message: /should follow/,
    corrupt: (nodes, header) => {
      header[layout.HEADER_OVERFLOW_4]! -= 2;
      header[layout.HEADER_HOSTS_4]! -= 2;
      nodes[BUCKET_9]! &= ~layout.BUCKET_OVERFLOWS;
    },
  },
};

describe("each kind of corruption of hosts is rejected", () => {
  for (const [name, { values = 1, code, message, corrupt }] of Object.entries(CORRUPTIONS))
    test(name, () => {
      const table = sample(values);
      table.checkStructure();
      corrupt(wordsOf(table, "nodes4"), wordsOf(table, "header"));
      assert.throws(
        () => new PrefixTable(table.buffer, table.sections).checkStructure(),
        (error: TableError) => {
          assert.ok(error instanceof TableError, String(error));
          assert.equal(error.code, code, error.message);
          assert.match(error.message, message);
          return true;
        },
      );
    });
});

test("lookups in buckets with random words end, in the kernel and out of it, and never leave the table", () => {
  const random = seededRandom(SEED);
  let thrown = 0;
  for (let round = 0; round < rounds({ short: 20, long: 60 }); round++) {
    const table = sample(1 + (round % 3));
    const nodes = wordsOf(table, "nodes4");
    const words = [...table.entries(4)].map(({ prefix }) => prefix.w0);
    for (let i = 0; i < 4_000; i++) nodes[random() % nodes.length] = random();
    for (let i = 0; i < 8; i++) nodes[OVERFLOW + i] = random();
    try {
      assert.ok(kernelAnswers(table, words).every((match) => match <= table.matchCount));
    } catch (error) {
      assert.ok(error instanceof TableError, String(error));
      thrown++;
    }
    for (const word of words) assert.ok(table.lookup4(word) >= 0);
  }
  assert.ok(thrown > 0);
});

test("segments of IPv6 have no hosts", () => {
  const segments: Segments = {
    family: 6,
    wordsPerKey: 4,
    starts: new Uint32Array(8),
    matches: new Int32Array(2),
    count: 2,
  };
  assert.equal(finished(splittingHosts(segments, { leastHosts: 1 })), null);
});
