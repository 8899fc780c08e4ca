import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parsePrefix } from "../../src/address/prefix.ts";
import { freeze } from "../../src/table/freeze.ts";
import * as layout from "../../src/table/layout.ts";
import { PrefixTable } from "../../src/table/prefix-table.ts";
import type { SectionName, TableSections } from "../../src/table/sections.ts";
import { TableError, type TableErrorCode } from "../../src/table/table-error.ts";
import { PrefixTrie } from "../../src/trie/prefix-trie.ts";
import { pointsWords } from "../../src/table/_walk.ts";
import { nodeLevels } from "./node-kinds.ts";
import { type MatchId, NO_MATCH } from "../../src/table/match-id.ts";

/** A table with every kind of node, nested prefixes, two values on one prefix, and an expiry. */
function sample(): PrefixTable {
  const trie = new PrefixTrie();
  const add = (text: string, ...values: number[]): void =>
    values.forEach((value) => void trie.add(parsePrefix(text), value));
  // Bitmap: aligned to 6 bits below the root.
  for (let i = 0; i < 12; i++) add(`10.${i * 8}.0.0/14`, 1 + (i % 2));
  add("10.0.0.0/8", 3);
  // Points: with one entry, with consecutive entries, and with separate ones, which are nodes of points again.
  for (let i = 0; i < 33; i++) add(`11.${i * 5}.${i}.0/24`, 1);
  for (let i = 0; i < 4; i++) add(`12.${i * 5}.${i}.0/24`, 100 + i);
  for (let i = 0; i < 5; i++) add(`13.${i * 5}.${i}.${i * 9}`, 1);
  // List: a few scattered changes, of any size. Tree: more of them.
  for (let i = 0; i < 6; i++) add(`172.${i * 5}.${i * 16}.0/${i % 2 === 0 ? 20 : 24}`, 1);
  add("172.200.7.9", 1);
  for (let i = 0; i < 40; i++) add(`173.${i * 5}.${(i % 16) * 16}.0/${i % 2 === 0 ? 20 : 24}`, 1);
  // Skip: everything under 2002::/16 shares the next bits.
  add("2001:db8::/48", 2, 5);
  add("2001:db8::1", 1);
  add("2001:db8:0:ffff::/64", 4);
  add("2002:db8:0:1::1", 1);
  add("2002:db8:0:1::9:1", 1);
  // Wide: more than 256 changes under one node.
  for (let i = 0; i < 700; i++) add(`3000:${(i * 2).toString(16)}::/32`, 1);
  return freeze(trie, { expiresAt: (value) => (value === 1 ? 1_000 : null) });
}

/** The word offset of the first points node whose entries are stored this way, one level down if they are hosts. */
function firstPoints(table: PrefixTable, stored: number): number {
  const nodes = wordsOf(table, "nodes4");
  const found = nodeLevels(table, 4)
    .flat()
    .find(({ kind, node }) => kind === layout.NODE_POINTS && (nodes[node + 2]! & 0xffff) >>> 12 === stored);
  return found?.node ?? assert.fail(`the sample has no points node that stores entries in way ${stored}`);
}

function wordsOf(table: PrefixTable, section: SectionName): Int32Array {
  const { byteOffset, byteLength } = table.sections[section];
  return new Int32Array(table.buffer, byteOffset, Math.floor(byteLength / 4));
}

interface Corruption {
  readonly name: string;
  readonly code: TableErrorCode;
  readonly section: SectionName;
  /** Changes the words (bytes for `matchLength`) of a section; gets the table to find the position. */
  readonly corrupt: (words: Int32Array, table: PrefixTable) => void;
  readonly in?: SectionName;
}

/** The word offset of the first node of a kind. */
function firstNode(table: PrefixTable, family: 4 | 6, wanted: number): number {
  const found = nodeLevels(table, family)
    .flat()
    .find(({ kind }) => kind === wanted);
  return found?.node ?? assert.fail(`the sample has no node of kind ${wanted} for IPv${family}`);
}

const CORRUPTIONS: readonly Corruption[] = [
  {
    name: "an unknown layout version",
    code: "unsupported-layout",
    section: "header",
    corrupt: (words) => void (words[layout.HEADER_LAYOUT_VERSION] = 99),
  },
  {
    name: "the layout version whose hashed nodes have another shape",
    code: "unsupported-layout",
    section: "header",
    corrupt: (words) => void (words[layout.HEADER_LAYOUT_VERSION] = 4),
  },
  {
    name: "a root size nobody writes (IPv4)",
    code: "bad-layout",
    section: "header",
    corrupt: (words) => void (words[layout.HEADER_ROOT_BITS_4] = 9),
  },
  {
    name: "a root size nobody writes (IPv6)",
    code: "bad-layout",
    section: "header",
    corrupt: (words) => void (words[layout.HEADER_ROOT_BITS_6] = 33),
  },
  {
    name: "another root size than the root has",
    code: "bad-layout",
    section: "root4",
    in: "header",
    corrupt: (words) => void (words[layout.HEADER_ROOT_BITS_4] = 16),
  },
  {
    name: "another root size than the IPv6 root has",
    code: "bad-layout",
    section: "root6",
    in: "header",
    corrupt: (words) => void (words[layout.HEADER_ROOT_BITS_6] = 16),
  },
  {
    name: "more matches than there are",
    code: "bad-layout",
    section: "matchValue",
    in: "header",
    corrupt: (words) => void words[layout.HEADER_MATCH_COUNT]!++,
  },
  {
    name: "a negative number of matches",
    code: "bad-layout",
    section: "matchValue",
    in: "header",
    corrupt: (words) => void (words[layout.HEADER_MATCH_COUNT] = -1),
  },
  {
    name: "a wrong prefix count",
    code: "bad-count",
    section: "header",
    corrupt: (words) => void words[layout.HEADER_PREFIX_COUNT_4]!++,
  },
  {
    name: "a leaf past the matches",
    code: "bad-node",
    section: "nodes4",
    in: "root4",
    corrupt: (words) => void (words[0] = 1e6),
  },
  {
    name: "a pointer to the middle of a node",
    code: "bad-node",
    section: "nodes4",
    in: "root4",
    corrupt: (words) => void words[10]!++,
  },
  {
    name: "a pointer past the end",
    code: "bad-node",
    section: "nodes6",
    in: "root6",
    corrupt: (words) => void (words[0] = layout.NODE_FLAG | 0xfff_ffff),
  },
  {
    name: "two pointers to one node",
    code: "bad-node",
    section: "nodes4",
    in: "root4",
    corrupt: (words) => void (words[172] = words[10]!),
  },
  {
    name: "a node nothing points to",
    code: "bad-node",
    section: "nodes4",
    in: "root4",
    corrupt: (words) => void (words[172] = 0),
  },
  {
    name: "a bitmap without its first bit",
    code: "bad-node",
    section: "nodes4",
    corrupt: (words, table) => void (words[firstNode(table, 4, layout.NODE_BITMAP)]! &= ~1),
  },
  {
    name: "a bitmap with a bit too many",
    code: "bad-node",
    section: "nodes4",
    corrupt: (words, table) => void (words[firstNode(table, 4, layout.NODE_BITMAP) + 1]! ^= 1 << 30),
  },
  {
    name: "a bitmap in IPv6",
    code: "bad-node",
    section: "nodes6",
    in: "root6",
    corrupt: (words) => void (words[0]! &= layout.NODE_FLAG | layout.OFFSET_MASK),
  },
  {
    name: "a list of one entry",
    code: "bad-node",
    section: "nodes4",
    corrupt: (words, table) => void (words[firstNode(table, 4, layout.NODE_LIST)] = 1),
  },
  {
    name: "a list longer than the nodes",
    code: "bad-node",
    section: "nodes4",
    corrupt: (words, table) => void (words[firstNode(table, 4, layout.NODE_LIST)] = 60_000),
  },
  {
    name: "a list whose keys do not ascend",
    code: "bad-node",
    section: "nodes4",
    corrupt: (words, table) => void (words[firstNode(table, 4, layout.NODE_LIST) + 2] = 0),
  },
  {
    name: "a list of more than a list's entries",
    code: "bad-node",
    section: "nodes4",
    corrupt: (words, table) => void (words[firstNode(table, 4, layout.NODE_LIST)] = 18),
  },
  {
    name: "a tree of so few entries that it were a list",
    code: "bad-node",
    section: "nodes4",
    corrupt: (words, table) => void (words[firstNode(table, 4, layout.NODE_TREE)] = 17),
  },
  {
    name: "a tree of too many entries",
    code: "bad-node",
    section: "nodes4",
    corrupt: (words, table) => void (words[firstNode(table, 4, layout.NODE_TREE)] = 258),
  },
  {
    name: "a tree with a wrong separator",
    code: "bad-node",
    section: "nodes4",
    corrupt: (words, table) => void (words[firstNode(table, 4, layout.NODE_TREE) + 1]! ^= 1),
  },
  {
    name: "a tree whose keys do not ascend",
    code: "bad-node",
    section: "nodes4",
    corrupt: (words, table) => void (words[firstNode(table, 4, layout.NODE_TREE) + 4] = 0),
  },
  {
    name: "points whose entries are stored in a way that there is not",
    code: "bad-node",
    section: "nodes4",
    corrupt: (words, table) => void (words[firstPoints(table, layout.POINTS_ONE) + 2]! |= 0x3000),
  },
  {
    name: "points in front of a node",
    code: "bad-node",
    section: "nodes4",
    corrupt: (words, table) => void (words[firstPoints(table, layout.POINTS_ONE)]! |= layout.NODE_FLAG),
  },
  {
    name: "points whose one entry is a node",
    code: "bad-node",
    section: "nodes4",
    corrupt: (words, table) => void (words[firstPoints(table, layout.POINTS_ONE) + 1]! |= layout.NODE_FLAG),
  },
  {
    name: "points with entries of their own and a first one",
    code: "bad-node",
    section: "nodes4",
    corrupt: (words, table) => void (words[firstPoints(table, layout.POINTS_EACH) + 1] = 1),
  },
  {
    name: "consecutive entries that begin past the matches",
    code: "bad-node",
    section: "nodes4",
    corrupt: (words, table) => void (words[firstPoints(table, layout.POINTS_CONSECUTIVE) + 1] = table.matchCount + 1),
  },
  {
    name: "one point more than there are",
    code: "bad-node",
    section: "nodes4",
    corrupt: (words, table) => void words[firstPoints(table, layout.POINTS_ONE) + 2]!++,
  },
  {
    name: "points that run past the end",
    code: "bad-node",
    section: "nodes4",
    in: "root4",
    corrupt: (words, table) => {
      const { byteLength } = table.sections.nodes4;
      words[250] = layout.NODE_FLAG | (layout.NODE_POINTS << layout.KIND_SHIFT) | (byteLength / 4 - 1);
    },
  },
  {
    name: "points whose keys do not ascend",
    code: "bad-node",
    section: "nodes4",
    corrupt: (words, table) => void (words[firstPoints(table, layout.POINTS_ONE) + 3] = 0),
  },
  {
    name: "points larger than their distances",
    code: "bad-node",
    section: "nodes4",
    corrupt: (words, table) => void (words[firstPoints(table, layout.POINTS_ONE) + 2]! |= 15 << 8),
  },
  {
    name: "points with padding that is not zero",
    code: "bad-node",
    section: "nodes4",
    corrupt: (words, table) => {
      const node = firstPoints(table, layout.POINTS_CONSECUTIVE);
      words[node + pointsWords(4) - 1]! |= 1 << 16;
    },
  },
  {
    name: "a point of several slots that leads to a node",
    code: "bad-node",
    section: "nodes4",
    corrupt: (words, table) => {
      const node = firstPoints(table, layout.POINTS_EACH);
      words[node + 2]! |= 1 << 8;
      const count = (words[node + 2]! & 0xff) + 1;
      // The keys are multiples of 2, so that only the size is wrong.
      for (let half = 1; half <= count; half++) words[node + 2 + (half >>> 1)]! &= ~(1 << ((half & 1) << 4));
    },
  },
  {
    name: "a skip of no bits",
    code: "bad-node",
    section: "nodes6",
    corrupt: (words, table) => void (words[firstNode(table, 6, layout.NODE_SKIP)] = 0),
  },
  {
    name: "a skip of half a unit",
    code: "bad-node",
    section: "nodes6",
    corrupt: (words, table) => void (words[firstNode(table, 6, layout.NODE_SKIP)]! += 8),
  },
  {
    name: "a skip past the address",
    code: "bad-node",
    section: "nodes6",
    corrupt: (words, table) => void (words[firstNode(table, 6, layout.NODE_SKIP)] = 128),
  },
  {
    name: "a skip that leads aside to a node",
    code: "bad-node",
    section: "nodes6",
    corrupt: (words, table) => void (words[firstNode(table, 6, layout.NODE_SKIP) + 1] = layout.NODE_FLAG),
  },
  {
    name: "a skip that expects bits past its own",
    code: "bad-node",
    section: "nodes6",
    corrupt: (words, table) =>
      void (words[
        firstNode(table, 6, layout.NODE_SKIP) + 2 + ((words[firstNode(table, 6, layout.NODE_SKIP)]! + 31) >>> 5)
      ]! |= 1),
  },
  {
    name: "a wide node with a wrong rank",
    code: "bad-node",
    section: "nodes6",
    corrupt: (words, table) => void words[firstNode(table, 6, layout.NODE_WIDE) + 101]!++,
  },
  {
    name: "a kind that IPv4 does not have",
    code: "bad-node",
    section: "nodes4",
    in: "root4",
    corrupt: (words) => void (words[10]! |= layout.NODE_SKIP << layout.KIND_SHIFT),
  },
  {
    name: "a leaf of another prefix's match",
    code: "bad-count",
    section: "header",
    in: "root4",
    corrupt: (words, table) => void (words[193] = table.lookup("10.0.0.1")),
  },
  {
    name: "a parent that does not cover the place",
    code: "bad-match",
    section: "matchParent",
    corrupt: (words, table) => void (words[table.lookup("10.8.0.1")] = 0),
  },
  {
    name: "a match that is its own parent",
    code: "bad-match",
    section: "matchParent",
    corrupt: (words) => void (words[2] = 2),
  },
  {
    name: "a younger parent",
    code: "bad-match",
    section: "matchParent",
    corrupt: (words, table) => void (words[1] = table.matchCount),
  },
  { name: "a negative parent", code: "bad-match", section: "matchParent", corrupt: (words) => void (words[2] = -1) },
  {
    name: "a parent as specific as its child",
    code: "bad-match",
    section: "matchParent",
    in: "matchLength",
    corrupt: (words) => new Uint8Array(words.buffer, words.byteOffset).fill(8, 1, 3),
  },
  {
    name: "a prefix length past 128",
    code: "bad-match",
    section: "matchLength",
    corrupt: (words) => new Uint8Array(words.buffer, words.byteOffset).fill(129, 1, 2),
  },
  {
    name: "a length that does not fit the place",
    code: "bad-match",
    section: "matchLength",
    corrupt: (words, table) =>
      new Uint8Array(words.buffer, words.byteOffset).fill(
        62,
        table.lookup("2001:db8:0:ffff::"),
        table.lookup("2001:db8:0:ffff::") + 1,
      ),
  },
  { name: "a value id of 0", code: "bad-values", section: "matchValue", corrupt: (words) => void (words[1] = 0) },
  {
    name: "a value list that is not there",
    code: "bad-values",
    section: "valueLists",
    in: "matchValue",
    corrupt: (words) => void (words[1] = layout.VALUE_LIST_FLAG | 0xfff_ffff),
  },
  {
    name: "a value list that is not one of them",
    code: "bad-values",
    section: "valueLists",
    in: "matchValue",
    corrupt: (words) => void (words[1] = layout.VALUE_LIST_FLAG | 1),
  },
  { name: "a value list of one", code: "bad-values", section: "valueLists", corrupt: (words) => void (words[0] = 1) },
  {
    name: "a value list past the end",
    code: "bad-values",
    section: "valueLists",
    corrupt: (words) => void (words[0] = 1000),
  },
  {
    name: "a value list that does not ascend",
    code: "bad-values",
    section: "valueLists",
    corrupt: (words) => void (words[1] = 9),
  },
  {
    name: "an expiry that is not a number",
    code: "bad-values",
    section: "expiresAt",
    corrupt: (words) => void words.fill(-1),
  },
  {
    name: "an expiry that is not that of the last value",
    code: "bad-values",
    section: "expiresAt",
    corrupt: (words, table) => void words.fill(0, 2 * table.lookup("2001:db8::"), 2 * table.lookup("2001:db8::") + 2),
  },
];

describe("each kind of corruption is rejected with its code and section", () => {
  for (const { name, code, section, corrupt, in: place = section } of CORRUPTIONS) {
    test(name, () => {
      const table = sample();
      corrupt(wordsOf(table, place), table);
      assert.throws(
        () => new PrefixTable(table.buffer, table.sections).checkStructure(),
        (error) =>
          error instanceof TableError &&
          (assert.deepEqual([error.code, error.section], [code, section], error.message), true),
      );
    });
  }
});

test("the intact sample passes, so the corruption is what is rejected", () => {
  sample().checkStructure();
});

const SPANS: [string, SectionName, (sections: TableSections) => object][] = [
  ["misaligned words", "nodes4", ({ nodes4 }) => ({ ...nodes4, byteOffset: nodes4.byteOffset + 2 })],
  ["half a word", "nodes6", ({ nodes6 }) => ({ ...nodes6, byteLength: nodes6.byteLength - 2 })],
  ["half a time", "expiresAt", ({ expiresAt }) => ({ ...expiresAt, byteLength: 4 })],
  ["a short header", "header", ({ header }) => ({ ...header, byteLength: 8 })],
  ["too few lengths", "matchLength", ({ matchLength }) => ({ ...matchLength, byteLength: 1 })],
  ["too few parents", "matchParent", ({ matchParent }) => ({ ...matchParent, byteLength: 4 })],
];

describe("sections that cannot form a table are rejected when the table is made", () => {
  for (const [name, section, change] of SPANS) {
    test(name, () => {
      const table = sample();
      const sections = { ...table.sections, [section]: change(table.sections) };
      assert.throws(
        () => new PrefixTable(table.buffer, sections),
        (error) => error instanceof TableError && error.code === "bad-layout" && error.section === section,
      );
    });
  }
});

test("lookups in corrupt nodes end: with a typed error or an id, never in a loop", () => {
  const table = sample();
  for (const name of ["nodes4", "nodes6"] as const) {
    const nodes = new Int32Array(table.buffer, table.sections[name].byteOffset, table.sections[name].byteLength / 4);
    const lookup = (): number => (name === "nodes4" ? table.lookup("10.0.0.1") : table.lookup("2001:db8::1"));
    let refused = 0;
    for (let kind = 0; kind <= layout.KIND_MASK; kind++) {
      nodes.fill(layout.NODE_FLAG | (kind << layout.KIND_SHIFT));
      if (name === "nodes6") nodes[0] = 2; // the list under the root has two entries
      try {
        assert.equal(typeof lookup(), "number");
      } catch (error) {
        assert.ok(error instanceof TableError && error.section === name, String(error));
        refused++;
      }
    }
    assert.ok(refused > 0, "no kind of node led deeper than an address");
  }
});

test("a crafted chain of parents ends in a typed error, even in an unchecked table", () => {
  const table = sample();
  const parents = new Int32Array(table.buffer, table.sections.matchParent.byteOffset, table.matchCount + 1);
  const match = table.lookup("2001:db8::1");
  parents[match] = match;
  for (const ask of [() => table.chain(match), () => table.activeMatch(match, Infinity), () => [...table.entries(6)]]) {
    assert.throws(ask, (error) => error instanceof TableError && error.code === "bad-match");
  }
});

test("a crafted length that stands for 2^24 prefixes is rejected at the first one too many", () => {
  const nested = new PrefixTrie();
  nested.insert(parsePrefix("10.0.0.0/8"), 1);
  const crafted = freeze(nested);
  new Uint8Array(crafted.buffer, crafted.sections.matchLength.byteOffset)[1] = 32;
  assert.throws(
    () => crafted.checkStructure(),
    (error) =>
      error instanceof TableError &&
      error.code === "bad-count" &&
      /the header says 1 IPv4 prefixes, more are found/.test(error.message),
  );
});

test("an invalid match id is rejected", () => {
  const table = sample();
  assert.throws(() => table.values((table.matchCount + 1) as MatchId), TableError);
  assert.throws(() => table.values(NO_MATCH), { name: "RangeError", message: /"no match"/ });
  for (const wrong of [-1, 1.5, NaN]) assert.throws(() => table.values(wrong as MatchId), RangeError);
});

test("a value that is not an address is rejected, for callers without types", () => {
  const table = sample();
  const trie = new PrefixTrie();
  const wrong = (value: unknown): never => value as never;
  assert.throws(() => table.lookupAddress(wrong("10.1.1.1")), { name: "TypeError", message: /the text "10.1.1.1"/ });
  assert.throws(() => table.lookupAddress(wrong({ family: 5, w0: 0 })), TypeError);
  assert.throws(() => trie.insert(wrong("192.0.2.0/24"), 7), { name: "TypeError", message: /the text "192.0.2.0/ });
  assert.throws(() => trie.has(wrong("192.0.2.0/24")), TypeError);
  assert.throws(() => table.lookup(wrong(null)), TypeError);
  assert.throws(() => parsePrefix(wrong(42)), TypeError);
  assert.throws(() => parsePrefix("10.0.0.1/8", wrong("masc")), TypeError);
  assert.throws(() => table.lookupBatchInto(wrong(5), new Uint32Array(4), new Uint32Array(4)), RangeError);
  const bytes = new TextEncoder().encode("10.1.1.1");
  for (const [start, end] of [
    [-1, 8],
    [0, 9],
    [5, 4],
    [NaN, 8],
  ] as const)
    assert.throws(() => table.lookupBytes(bytes, start, end), RangeError);
});

test("a batch needs whole addresses and room for the results", () => {
  const table = sample();
  assert.throws(() => table.lookupBatchInto(6, new Uint32Array(6), new Uint32Array(2)), RangeError);
  assert.throws(() => table.lookupBatchInto(4, new Uint32Array(6), new Uint32Array(5)), RangeError);
  assert.throws(() => table.lookupBatchInto(4, new Uint32Array(6), new Uint32Array(6), 7), RangeError);
});

test("malformed text and bytes throw; they are never a miss", () => {
  const table = sample();
  for (const text of ["", "10.0.0", "10.0.0.01", "10.0.0.0/8", "2001:db8:::1", "fe80::1%eth0"]) {
    assert.throws(() => table.lookup(text), { name: "AddressError" });
    const bytes = new TextEncoder().encode(text);
    assert.throws(() => table.lookupBytes(bytes, 0, bytes.length), { name: "AddressError" });
  }
});
