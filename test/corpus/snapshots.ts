import { parsePrefix } from "../../src/address/prefix.ts";
import { ENTRY, HEAD_BYTES, HEADER, layOut, SNAPSHOT_SECTIONS, sealHead } from "../../src/snapshot/format.ts";
import type { SnapshotErrorCode } from "../../src/snapshot/snapshot-error.ts";
import { freeze } from "../../src/table/freeze.ts";
import {
  GROUP_BUCKETS,
  GROUP_WORDS,
  HASHED_HEADER_WORDS,
  HASHED_LENGTH_SHIFT,
  HASHED_STORED_SHIFT,
  NODE_FLAG,
  NODE_HASHED,
  NODE_POINTS,
  POINTS_CONSECUTIVE,
  POINTS_EACH,
  POINTS_KEYS,
  POINTS_ONE,
  POINTS_SIZE_MASK,
  POINTS_SIZE_SHIFT,
  POINTS_STORED_SHIFT,
} from "../../src/table/layout.ts";
import { bucketStart } from "../../src/table/_hashed.ts";
import type { PrefixTable } from "../../src/table/prefix-table.ts";
import { PrefixTrie } from "../../src/trie/prefix-trie.ts";
import { nodeLevels } from "../table/node-kinds.ts";
import { reseal } from "../snapshot/harness/sample.ts";

/** A way to turn a good file into a bad one, where it is noticed, and how. */
export interface BadSnapshot {
  readonly name: string;
  readonly code: SnapshotErrorCode;
  readonly section?: string;
  /** What rejects it: `openSnapshot`, the first use of `metadata`, or only `verifySnapshot`. */
  readonly stage: "open" | "metadata" | "verify";
  /** A part of the message, where several checks have the same code. */
  readonly reason?: string;
  /** Changes a copy of a good file in place, or returns another file. */
  readonly corrupt: (file: Buffer) => Uint8Array | void;
}

interface Span {
  readonly entry: number;
  readonly from: number;
  readonly length: number;
}

function spanOf(file: Buffer, name: string): Span {
  const entry = HEADER.size + SNAPSHOT_SECTIONS.findIndex((section) => section === name) * ENTRY.size;
  return {
    entry,
    from: Number(file.readBigUInt64LE(entry + ENTRY.byteOffset)),
    length: Number(file.readBigUInt64LE(entry + ENTRY.byteLength)),
  };
}

/** Writes a wrong header field, with correct checksums. */
function withField(write: (file: Buffer) => void): (file: Buffer) => void {
  return (file) => {
    write(file);
    sealHead(file);
  };
}

/** Writes wrong words into a section, with correct checksums. */
function withWords(section: string, write: (words: DataView) => void): (file: Buffer) => void {
  return (file) => {
    const { from, length } = spanOf(file, section);
    write(new DataView(file.buffer, file.byteOffset + from, length));
    reseal(file);
  };
}

/** The file with one section replaced, laid out again and with correct checksums. */
export function withSection(file: Buffer, name: string, content: Uint8Array): Buffer {
  const parts = SNAPSHOT_SECTIONS.map((section) => {
    const { from, length } = spanOf(file, section);
    return section === name ? content : file.subarray(from, from + length);
  });
  return assemble(file, parts);
}

/**
 * A table of lists of prefixes of one length, and of single addresses: its nodes are points that store their entries in
 * each of the ways.
 */
export function pointsTable(): PrefixTable {
  const trie = new PrefixTrie();
  const add = (text: string, value: number): void => void trie.add(parsePrefix(text), value);
  for (let i = 0; i < 33; i++) add(`11.${i * 5}.${i}.0/24`, 1);
  for (let i = 0; i < 4; i++) add(`12.${i * 5}.${i}.0/24`, 100 + i);
  for (let i = 0; i < 5; i++) add(`13.${i * 5}.${i}.${i * 9}`, 1);
  for (let i = 0; i < 40; i++) add(`14.0.${i}.${i * 5}`, 2);
  for (let i = 0; i < 20; i++) add(`2001:db8::${(i * 3).toString(16)}`, 3);
  return freeze(trie);
}

/**
 * A table of hosts with one match below one /32, and of hosts with three matches below another: two hashed nodes, in
 * that order.
 */
export function hashedTable(): PrefixTable {
  const trie = new PrefixTrie();
  const add = (text: string, value: number): void => void trie.add(parsePrefix(text), value);
  const part = (i: number, factor: number): string => ((i * factor) & 0xffff).toString(16);
  for (let i = 1; i <= 40; i++) add(`2001:db8:${part(i, 40503)}::${part(i, 30011)}`, 1);
  for (let i = 1; i <= 40; i++) add(`2003:db8:${part(i, 40503)}::${part(i, 30011)}`, 2 + (i % 3));
  for (let i = 0; i < 300; i++) add(`3000:${(i * 2).toString(16)}::/32`, 1); // keeps the two below one wide node
  return freeze(trie);
}

/** A file with a wrong hashed node: either the one for a single match, or the one in which each key has its own. */
function withHashed(stored: number, write: (node: Int32Array, table: PrefixTable) => void): (file: Buffer) => Buffer {
  return (file) => {
    const table = hashedTable();
    const nodes = nodes6Of(table);
    write(nodes.subarray(hashedNode(table, nodes, stored)), table);
    return withTable(file, table);
  };
}

/** A file whose nodes end after so many words of a hashed node. */
function withCutHashed(words: number): (file: Buffer) => Buffer {
  return (file) => {
    const table = hashedTable();
    const nodes = nodes6Of(table);
    const cut = nodes.subarray(0, hashedNode(table, nodes, 0) + words);
    return withSection(withTable(file, table), "nodes6", new Uint8Array(cut.buffer, cut.byteOffset, cut.byteLength));
  };
}

function nodes6Of({ buffer, sections: { nodes6 } }: PrefixTable): Int32Array<ArrayBufferLike> {
  return new Int32Array(buffer, nodes6.byteOffset, nodes6.byteLength / 4);
}

function hashedNode(table: PrefixTable, nodes: Int32Array, stored: number): number {
  const place = nodeLevels(table, 6)
    .flat()
    .find(({ kind, node }) => kind === NODE_HASHED && nodes[node + 2]! >>> HASHED_STORED_SHIFT === stored);
  if (place === undefined) throw new Error(`no hashed node stores its entries in the way ${stored}`);
  return place.node;
}

/** The file with its table replaced by another. */
export function withTable(file: Buffer, { buffer, sections }: PrefixTable): Buffer {
  const parts = SNAPSHOT_SECTIONS.map((section) => {
    if (section !== "metadata") {
      const { byteOffset, byteLength } = sections[section];
      return new Uint8Array(buffer, byteOffset, byteLength);
    }
    const { from, length } = spanOf(file, section);
    return file.subarray(from, from + length);
  });
  return assemble(file, parts);
}

/** A file with a wrong points node: the first one that stores its entries in this way. */
function withPoints(stored: number, write: (node: Int32Array, table: PrefixTable) => void): (file: Buffer) => Buffer {
  return (file) => {
    const table = pointsTable();
    const { byteOffset, byteLength } = table.sections.nodes4;
    const nodes = new Int32Array(table.buffer, byteOffset, byteLength / 4);
    const place = nodeLevels(table, 4)
      .flat()
      .find(({ kind, node }) => kind === NODE_POINTS && (nodes[node + 2]! & 0xffff) >>> POINTS_STORED_SHIFT === stored);
    if (place === undefined) throw new Error(`no points node stores its entries in the way ${stored}`);
    write(nodes.subarray(place.node), table);
    return withTable(file, table);
  };
}

/** A file of these sections with the header of the template. */
export function assemble(template: Buffer, parts: readonly Uint8Array[]): Buffer {
  const sections = layOut(parts);
  const last = sections[sections.length - 1]!;
  const file = Buffer.alloc(last.byteOffset + last.byteLength);
  template.copy(file, 0, 0, HEAD_BYTES);
  file.writeBigUInt64LE(BigInt(file.length), HEADER.byteLength);
  for (const [i, section] of sections.entries()) {
    const entry = HEADER.size + i * ENTRY.size;
    file.writeBigUInt64LE(BigInt(section.byteOffset), entry + ENTRY.byteOffset);
    file.writeBigUInt64LE(BigInt(section.byteLength), entry + ENTRY.byteLength);
    file.set(parts[i]!, section.byteOffset);
  }
  reseal(file);
  return file;
}

const withMetadata =
  (...bytes: number[]) =>
  (file: Buffer): Buffer =>
    withSection(file, "metadata", Uint8Array.from(bytes));
const text = (value: string): number[] => [0xa0 + value.length, ...Buffer.from(value, "latin1")];

/** The form of a points node is in the low half of word 2, its first key in the high half. */
const POINTS_DAMAGES: Readonly<Record<string, (file: Buffer) => Buffer>> = {
  "points in front of a node": withPoints(POINTS_ONE, (node) => void (node[0]! |= NODE_FLAG)),
  "points in front of a match that there is not": withPoints(
    POINTS_ONE,
    (node, { matchCount }) => void (node[0] = matchCount + 1),
  ),
  "points whose one entry is a node": withPoints(POINTS_ONE, (node) => void (node[1]! |= NODE_FLAG)),
  "points that are a match that there is not": withPoints(
    POINTS_ONE,
    (node, { matchCount }) => void (node[1] = matchCount + 1),
  ),
  "points that are consecutive matches past the last one": withPoints(
    POINTS_CONSECUTIVE,
    (node, { matchCount }) => void (node[1] = matchCount + 1),
  ),
  "points whose entries are stored in a way that there is not": withPoints(
    POINTS_ONE,
    (node) => void (node[2]! |= 3 << POINTS_STORED_SHIFT),
  ),
  "points with entries of their own and a first one": withPoints(POINTS_EACH, (node) => void (node[1] = 1)),
  "more points than there are keys": withPoints(POINTS_ONE, (node) => void (node[2]! |= POINTS_KEYS - 1)),
  "points that are larger than their distances": withPoints(
    POINTS_ONE,
    (node) => void (node[2]! |= POINTS_SIZE_MASK << POINTS_SIZE_SHIFT),
  ),
  "points in no order": withPoints(POINTS_ONE, (node) => void (node[2]! |= 0xffff << 16)),
};

/** The offset of the keys in those nodes: 40 keys in one group. */
const HASHED_KEYS_AT = HASHED_HEADER_WORDS + GROUP_WORDS;
/** The word of a group that is the number of its first key, and the byte in the one before it where its last bucket ends. */
const FIRST_KEY_AT = HASHED_HEADER_WORDS + GROUP_WORDS - 1;
/** The nodes are below the first 16 bits: a key is all words of an address. */
const HASHED_KEY_WORDS = 4;

/** With what is said to be wrong. */
const HASHED_DAMAGES: Readonly<Record<string, readonly [reason: string, corrupt: (file: Buffer) => Buffer]>> = {
  "a hashed node in front of a node": [
    "a form, a background or a first entry that there is not",
    withHashed(0, (node) => void (node[0]! |= NODE_FLAG)),
  ],
  "a hashed node in front of a match that there is not": [
    "a leaf names match 6 of 5",
    withHashed(0, (node, { matchCount }) => void (node[0] = matchCount + 1)),
  ],
  "a hashed node whose one entry is a node": [
    "a form, a background or a first entry that there is not",
    withHashed(0, (node) => void (node[1]! |= NODE_FLAG)),
  ],
  "a hashed node with entries of its keys and a first one": [
    "a form, a background or a first entry that there is not",
    withHashed(1, (node) => void (node[1] = 1)),
  ],
  "a hashed node with an entry that is a node": [
    "an entry that is a node",
    withHashed(1, (node) => void (node[HASHED_KEYS_AT + 40 * HASHED_KEY_WORDS]! |= NODE_FLAG)),
  ],
  "a hashed node with an entry that is a match that there is not": [
    "a leaf names match 6 of 5",
    withHashed(1, (node, { matchCount }) => void (node[HASHED_KEYS_AT + 40 * HASHED_KEY_WORDS] = matchCount + 1)),
  ],
  "a hashed node with a bit of its form too many": [
    "a form, a background or a first entry that there is not",
    withHashed(0, (node) => void (node[2]! |= 2 << HASHED_STORED_SHIFT)),
  ],
  "a hashed node whose keys begin at another word": [
    "keys of another place",
    withHashed(0, (node) => void (node[2]! ^= 3)),
  ],
  "a hashed node whose keys end above it": [
    "keys of another place",
    withHashed(0, (node) => void (node[2] = (node[2]! & ~(127 << HASHED_LENGTH_SHIFT)) | (15 << HASHED_LENGTH_SHIFT))),
  ],
  "a hashed node whose keys have bits after their length": [
    "a key that has bits of another place",
    withHashed(0, (node) => {
      node[2]! -= 16 << HASHED_LENGTH_SHIFT;
    }),
  ],
  "a hashed node of one key": ["1 keys", withHashed(0, (node) => void (node[3] = 1))],
  "a hashed node of fewer keys than its buckets have": [
    "buckets of 40 keys for 39",
    withHashed(0, (node) => void node[3]!--),
  ],
  "a hashed node of more keys than the nodes have words": [
    "268435455 keys",
    withHashed(0, (node) => void (node[3] = 0x0fff_ffff)),
  ],
  "a hashed node whose keys do not end before the nodes do": [
    "no end",
    withHashed(0, (node) => void (node[3] = node.length - 1)),
  ],
  "a hashed node of fewer keys than none": ["-40 keys", withHashed(0, (node) => void (node[3] = -40))],
  "a hashed node of more keys than its buckets have": [
    "buckets of 40 keys for 64",
    withHashed(1, (node) => void (node[3] = 64)),
  ],
  "a hashed node whose first bucket does not begin its group": [
    "a first bucket that does not begin its group",
    withHashed(0, (node) => void (node[HASHED_HEADER_WORDS]! |= 1)),
  ],
  "a hashed node whose first group does not begin at key 0": [
    "a bucket that starts at key 1",
    withHashed(0, (node) => void (node[FIRST_KEY_AT] = 1)),
  ],
  "a hashed node with a bucket of too many keys": [
    "a bucket of 40 keys",
    withHashed(0, (node) => {
      node.fill(0, HASHED_HEADER_WORDS, FIRST_KEY_AT);
      node[FIRST_KEY_AT - 1] = 40 << 24;
    }),
  ],
  "a hashed node with a bucket that ends before it starts": [
    "a bucket of -39 keys",
    withHashed(0, (node) => void (node[FIRST_KEY_AT - 1]! &= 0x00ff_ffff)),
  ],
  "a hashed node with a key that is not below it": [
    "a key that has bits of another place",
    withHashed(0, (node) => void (node[HASHED_KEYS_AT]! ^= 1 << 31)),
  ],
  "a hashed node whose header does not end before the nodes do": ["no end", withCutHashed(HASHED_HEADER_WORDS - 1)],
  "a hashed node whose last key is cut off": ["no end", withCutHashed(HASHED_KEYS_AT + 40 * HASHED_KEY_WORDS - 1)],
  "a hashed node with a key in the bucket of others": [
    "a key in the bucket of others",
    withHashed(0, (node) => void node[HASHED_KEYS_AT]!++),
  ],
  "a hashed node with a key twice": [
    "keys of a bucket that do not ascend",
    withHashed(0, (node) => {
      const starts = Array.from({ length: GROUP_BUCKETS + 1 }, (_, i) => bucketStart(node, HASHED_HEADER_WORDS, i));
      const bucket = starts.findIndex((start, i) => starts[i + 1]! > start + 1);
      const key = HASHED_KEYS_AT + starts[bucket]! * HASHED_KEY_WORDS;
      node.copyWithin(key + HASHED_KEY_WORDS, key, key + HASHED_KEY_WORDS);
    }),
  ],
};

export const BAD_SNAPSHOTS: readonly BadSnapshot[] = [
  // Not a snapshot at all, or one that another program rewrote.
  { name: "a text file", code: "not-a-snapshot", stage: "open", corrupt: () => Buffer.from("10.0.0.0/8,private\n") },
  {
    name: "a gzip file",
    code: "not-a-snapshot",
    stage: "open",
    corrupt: () => Buffer.from("1f8b0800000000000003", "hex"),
  },
  {
    name: "a PNG image",
    code: "not-a-snapshot",
    stage: "open",
    corrupt: () => Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"),
  },
  { name: "a file of zeros", code: "not-a-snapshot", stage: "open", corrupt: (file) => void file.fill(0) },
  {
    name: "CR LF turned into LF",
    code: "text-mode",
    stage: "open",
    corrupt: (file) => Buffer.from(file.toString("latin1").replaceAll("\r\n", "\n"), "latin1"),
  },
  {
    name: "LF turned into CR LF",
    code: "text-mode",
    stage: "open",
    corrupt: (file) => Buffer.from(file.toString("latin1").replaceAll(/\r?\n/g, "\r\n"), "latin1").fill("\r\n", 6, 8),
  },
  {
    name: "the 8th bit cleared",
    code: "text-mode",
    stage: "open",
    corrupt: (file) => file.map((byte) => byte & 0x7f),
  },
  {
    name: "read as Latin-1 and written as UTF-8",
    code: "text-mode",
    stage: "open",
    corrupt: (file) => Buffer.from(file.toString("latin1")),
  },
  {
    name: "read and written as UTF-8",
    code: "text-mode",
    stage: "open",
    corrupt: (file) => Buffer.from(file.toString()),
  },
  // Lengths.
  { name: "an empty file", code: "truncated", stage: "open", corrupt: (file) => file.subarray(0, 0) },
  { name: "the first byte only", code: "truncated", stage: "open", corrupt: (file) => file.subarray(0, 1) },
  { name: "half a magic", code: "truncated", stage: "open", corrupt: (file) => file.subarray(0, 5) },
  { name: "half a header", code: "truncated", stage: "open", corrupt: (file) => file.subarray(0, 40) },
  {
    name: "half a section table",
    code: "truncated",
    stage: "open",
    corrupt: (file) => file.subarray(0, HEAD_BYTES - 1),
  },
  { name: "the head only", code: "truncated", stage: "open", corrupt: (file) => file.subarray(0, HEAD_BYTES) },
  { name: "the last byte missing", code: "truncated", stage: "open", corrupt: (file) => file.subarray(0, -1) },
  { name: "a byte more", code: "extended", stage: "open", corrupt: (file) => Buffer.concat([file, Buffer.alloc(1)]) },
  { name: "the file twice", code: "extended", stage: "open", corrupt: (file) => Buffer.concat([file, file]) },
  {
    name: "a length of 2^64 - 1",
    code: "truncated",
    stage: "open",
    corrupt: withField((file) => file.writeBigUInt64LE(0xffff_ffff_ffff_ffffn, HEADER.byteLength)),
  },
  {
    name: "a length of 0",
    code: "extended",
    stage: "open",
    corrupt: withField((file) => file.writeBigUInt64LE(0n, HEADER.byteLength)),
  },
  // The header.
  {
    name: "the byte-order mark reversed",
    code: "foreign-byte-order",
    stage: "open",
    corrupt: (file) => void file.subarray(HEADER.byteOrder, HEADER.byteOrder + 4).reverse(),
  },
  {
    name: "the byte-order mark corrupt",
    code: "header-checksum",
    stage: "open",
    corrupt: (file) => void file.writeUInt8(1, HEADER.byteOrder),
  },
  {
    name: "format version 0",
    code: "unsupported-version",
    stage: "open",
    corrupt: withField((file) => file.writeUInt32LE(0, HEADER.version)),
  },
  {
    name: "format version 3",
    code: "unsupported-version",
    stage: "open",
    corrupt: withField((file) => file.writeUInt32LE(3, HEADER.version)),
  },
  {
    name: "another generation",
    code: "header-checksum",
    stage: "open",
    corrupt: (file) => void (file[HEADER.generation]! ^= 1),
  },
  {
    name: "the header's checksum corrupt",
    code: "header-checksum",
    stage: "open",
    corrupt: (file) => void (file[HEADER.checksum]! ^= 1),
  },
  {
    name: "an empty kind",
    code: "bad-header",
    stage: "open",
    corrupt: withField((file) => file.fill(0, HEADER.kind, HEADER.kind + 20)),
  },
  {
    name: "a kind with a line end",
    code: "bad-header",
    stage: "open",
    corrupt: withField((file) => file.write("a\n", HEADER.kind)),
  },
  {
    name: "a kind with bytes after its end",
    code: "bad-header",
    stage: "open",
    corrupt: withField((file) => file.writeUInt8(0x61, HEADER.kind + 19)),
  },
  {
    name: "created in the year 287,396",
    code: "bad-header",
    stage: "open",
    corrupt: withField((file) => file.writeBigUInt64LE(8_640_000_000_000_001n, HEADER.createdAt)),
  },
  {
    name: "no sections",
    code: "bad-header",
    stage: "open",
    corrupt: withField((file) => file.writeUInt32LE(0, HEADER.sectionCount)),
  },
  {
    name: "2^32 - 1 sections",
    code: "bad-header",
    stage: "open",
    corrupt: withField((file) => file.writeUInt32LE(0xffff_ffff, HEADER.sectionCount)),
  },
  // The section table.
  {
    name: "a section's name corrupt",
    code: "section-table-checksum",
    stage: "open",
    corrupt: (file) => void (file[HEADER.size]! ^= 0x20),
  },
  {
    name: "another section name",
    code: "bad-section-table",
    section: "header",
    stage: "open",
    corrupt: withField((file) => file.write("Header", HEADER.size)),
  },
  {
    name: "a name with bytes after its end",
    code: "bad-section-table",
    section: "root4",
    stage: "open",
    corrupt: withField((file) => file.writeUInt8(1, spanOf(file, "root4").entry + 19)),
  },
  {
    name: "two sections in each other's place",
    code: "bad-section-table",
    section: "root4",
    stage: "open",
    corrupt: withField((file) => {
      const first = spanOf(file, "root4").entry;
      const second = spanOf(file, "root6").entry;
      const kept = Buffer.from(file.subarray(first, first + ENTRY.size));
      file.copyWithin(first, second, second + ENTRY.size);
      kept.copy(file, second);
    }),
  },
  {
    name: "a section that overlaps the one before",
    code: "bad-section-table",
    section: "root4",
    stage: "open",
    corrupt: withField((file) => file.writeBigUInt64LE(576n, spanOf(file, "root4").entry + ENTRY.byteOffset)),
  },
  {
    name: "a section inside the head",
    code: "bad-section-table",
    section: "header",
    stage: "open",
    corrupt: withField((file) => file.writeBigUInt64LE(0n, spanOf(file, "header").entry + ENTRY.byteOffset)),
  },
  {
    name: "a section off its alignment",
    code: "bad-section-table",
    section: "nodes4",
    stage: "open",
    corrupt: withField((file) =>
      file.writeBigUInt64LE(BigInt(spanOf(file, "nodes4").from + 4), spanOf(file, "nodes4").entry + ENTRY.byteOffset),
    ),
  },
  {
    name: "a section at 2^63",
    code: "bad-section-table",
    section: "nodes4",
    stage: "open",
    corrupt: withField((file) => file.writeBigUInt64LE(2n ** 63n, spanOf(file, "nodes4").entry + ENTRY.byteOffset)),
  },
  {
    name: "a section of 2^64 - 64 bytes",
    code: "bad-section-table",
    section: "nodes4",
    stage: "open",
    corrupt: withField((file) =>
      file.writeBigUInt64LE(2n ** 64n - 64n, spanOf(file, "nodes4").entry + ENTRY.byteLength),
    ),
  },
  {
    name: "a section that goes past the end",
    code: "bad-section-table",
    section: "metadata",
    stage: "open",
    corrupt: withField((file) =>
      file.writeBigUInt64LE(
        BigInt(spanOf(file, "metadata").length + 1),
        spanOf(file, "metadata").entry + ENTRY.byteLength,
      ),
    ),
  },
  {
    name: "metadata that ends before the file",
    code: "bad-section-table",
    section: "metadata",
    stage: "open",
    corrupt: withField((file) =>
      file.writeBigUInt64LE(
        BigInt(spanOf(file, "metadata").length - 1),
        spanOf(file, "metadata").entry + ENTRY.byteLength,
      ),
    ),
  },
  {
    name: "an empty section with a checksum",
    code: "bad-section-table",
    section: "expiresAt",
    stage: "open",
    corrupt: (file) => {
      const without = withSection(file, "expiresAt", new Uint8Array());
      without.writeUInt32LE(1, spanOf(without, "expiresAt").entry + ENTRY.checksum);
      sealHead(without);
      return without;
    },
  },
  // The sections' bytes.
  {
    name: "a byte between head and sections",
    code: "gap-not-zero",
    stage: "open",
    corrupt: (file) => void file.writeUInt8(1, HEAD_BYTES),
  },
  {
    name: "a byte between two sections",
    code: "gap-not-zero",
    stage: "open",
    corrupt: (file) => {
      const { from, length } = spanOf(file, "nodes4");
      // One word more, so that a gap follows it whatever the sample contains.
      const longer =
        length % 64 === 0
          ? withSection(file, "nodes4", Buffer.concat([file.subarray(from, from + length), Buffer.alloc(4)]))
          : file;
      const span = spanOf(longer, "nodes4");
      longer.writeUInt8(0x80, span.from + span.length);
      return longer;
    },
  },
  ...SNAPSHOT_SECTIONS.map((section): BadSnapshot => ({
    name: `a flipped bit in ${section}`,
    code: "section-checksum",
    section,
    stage: "open",
    corrupt: (file) => void (file[spanOf(file, section).from]! ^= 1),
  })),
  // An impossible table, with correct checksums.
  {
    name: "a table layout that is not known",
    code: "unsupported-version",
    section: "header",
    stage: "open",
    reason: "table layout version 99, this program reads versions 2, 3, 5, 6; use the release of ipsieve that wrote it",
    corrupt: withWords("header", (words) => words.setUint32(0, 99, true)),
  },
  {
    name: "the table layout 4, whose hashed nodes have another shape",
    code: "unsupported-version",
    section: "header",
    stage: "open",
    reason: "table layout version 4, this program reads versions 2, 3, 5, 6; use the release of ipsieve that wrote it",
    corrupt: withWords("header", (words) => words.setUint32(0, 4, true)),
  },
  {
    name: "a table header that is too short",
    code: "bad-table",
    section: "header",
    stage: "open",
    corrupt: (file) => withSection(file, "header", new Uint8Array(8)),
  },
  {
    name: "a root that is too short",
    code: "bad-table",
    section: "root4",
    stage: "open",
    corrupt: (file) => withSection(file, "root4", new Uint8Array(64)),
  },
  {
    name: "half a word",
    code: "bad-table",
    section: "nodes6",
    stage: "open",
    corrupt: (file) => withSection(file, "nodes6", new Uint8Array(6)),
  },
  {
    name: "half an expiry",
    code: "bad-table",
    section: "expiresAt",
    stage: "open",
    corrupt: (file) => withSection(file, "expiresAt", new Uint8Array(12)),
  },
  {
    name: "matches without lengths",
    code: "bad-table",
    section: "matchLength",
    stage: "open",
    corrupt: (file) => withSection(file, "matchLength", new Uint8Array(1)),
  },
  // A table whose errors only a walk finds.
  {
    name: "a match that is its own parent",
    code: "bad-table",
    section: "matchParent",
    stage: "verify",
    corrupt: withWords("matchParent", (words) => words.setUint32(4, 1, true)),
  },
  {
    name: "a match of prefix length 255",
    code: "bad-table",
    section: "matchLength",
    stage: "verify",
    corrupt: withWords("matchLength", (bytes) => bytes.setUint8(1, 255)),
  },
  {
    name: "a match of value 0",
    code: "bad-table",
    section: "matchValue",
    stage: "verify",
    corrupt: withWords("matchValue", (words) => words.setUint32(4, 0, true)),
  },
  {
    name: "nodes of zeros",
    code: "bad-table",
    section: "nodes4",
    stage: "verify",
    corrupt: withWords("nodes4", (words) => new Uint8Array(words.buffer, words.byteOffset, words.byteLength).fill(0)),
  },
  {
    name: "a prefix count that is wrong",
    code: "bad-table",
    section: "header",
    stage: "verify",
    corrupt: withWords("header", (words) => words.setUint32(12, words.getUint32(12, true) + 1, true)),
  },
  {
    name: "an expiry that is not a number",
    code: "bad-table",
    section: "expiresAt",
    stage: "verify",
    corrupt: withWords("expiresAt", (words) => words.setFloat64(8, Number.NaN, true)),
  },
  // Wrong points nodes; `layout.ts` has a drawing of one.
  ...Object.entries(POINTS_DAMAGES).map(([name, corrupt]): BadSnapshot => ({
    name,
    code: "bad-table",
    section: "nodes4",
    stage: "verify",
    corrupt,
  })),
  // Wrong hashed nodes.
  ...Object.entries(HASHED_DAMAGES).map(([name, [reason, corrupt]]): BadSnapshot => ({
    name,
    code: "bad-table",
    section: "nodes6",
    stage: "verify",
    reason,
    corrupt,
  })),
  // Metadata that is not a plain document.
  { name: "no metadata", code: "bad-metadata", section: "metadata", stage: "metadata", corrupt: withMetadata() },
  {
    name: "metadata that ends inside a text",
    code: "bad-metadata",
    section: "metadata",
    stage: "metadata",
    corrupt: withMetadata(0xa5, 0x61),
  },
  {
    name: "metadata that ends inside a length",
    code: "bad-metadata",
    section: "metadata",
    stage: "metadata",
    corrupt: withMetadata(0xdb, 0, 0),
  },
  {
    name: "metadata that ends inside a number",
    code: "bad-metadata",
    section: "metadata",
    stage: "metadata",
    corrupt: withMetadata(0xcf, 1),
  },
  {
    name: "metadata of two documents",
    code: "bad-metadata",
    section: "metadata",
    stage: "metadata",
    corrupt: withMetadata(0xc0, 0xc0),
  },
  {
    name: "an array of 2^32 - 1 elements",
    code: "bad-metadata",
    section: "metadata",
    stage: "metadata",
    corrupt: withMetadata(0xdd, 0xff, 0xff, 0xff, 0xff),
  },
  {
    name: "a map of 2^32 - 1 members",
    code: "bad-metadata",
    section: "metadata",
    stage: "metadata",
    corrupt: withMetadata(0xdf, 0xff, 0xff, 0xff, 0xff),
  },
  {
    name: "metadata 100,000 deep",
    code: "bad-metadata",
    section: "metadata",
    stage: "metadata",
    corrupt: withMetadata(...new Uint8Array(100_000).fill(0x91), 0xc0),
  },
  {
    name: "a token that MessagePack does not use",
    code: "bad-metadata",
    section: "metadata",
    stage: "metadata",
    corrupt: withMetadata(0xc1),
  },
  {
    name: "text that is not UTF-8",
    code: "bad-metadata",
    section: "metadata",
    stage: "metadata",
    corrupt: withMetadata(0xa2, 0xc3, 0x28),
  },
  {
    name: "the key __proto__",
    code: "bad-metadata",
    section: "metadata",
    stage: "metadata",
    corrupt: withMetadata(0x81, ...text("__proto__"), 0x81, ...text("polluted"), 0xc3),
  },
  {
    name: "the key __proto__ with a long length",
    code: "bad-metadata",
    section: "metadata",
    stage: "metadata",
    corrupt: withMetadata(0x81, 0xd9, 9, ...Buffer.from("__proto__"), 0xc0),
  },
  {
    name: "a key that is a number",
    code: "bad-metadata",
    section: "metadata",
    stage: "metadata",
    corrupt: withMetadata(0x81, 1, 2),
  },
  {
    name: "a record definition",
    code: "bad-metadata",
    section: "metadata",
    stage: "metadata",
    corrupt: withMetadata(0xd4, 0x72, 0x40, 0x91, ...text("__proto__"), 0xc0),
  },
  {
    name: "a regular expression",
    code: "bad-metadata",
    section: "metadata",
    stage: "metadata",
    corrupt: withMetadata(0xd4, 0x78, 0, 0x92, ...text("(a+)+$"), 0xa0),
  },
  {
    name: "an error object",
    code: "bad-metadata",
    section: "metadata",
    stage: "metadata",
    corrupt: withMetadata(0xd4, 0x65, 0, 0x93, ...text("Error"), ...text("x"), 0xc0),
  },
  {
    name: "a reference to itself",
    code: "bad-metadata",
    section: "metadata",
    stage: "metadata",
    corrupt: withMetadata(0xd6, 0x69, 0, 0, 0, 1, 0x91, 0xd6, 0x70, 0, 0, 0, 1),
  },
  {
    name: "bundled texts",
    code: "bad-metadata",
    section: "metadata",
    stage: "metadata",
    corrupt: withMetadata(0xd6, 0x62, 0x7f, 0xff, 0xff, 0xff, 0xc0),
  },
  {
    name: "a timestamp",
    code: "bad-metadata",
    section: "metadata",
    stage: "metadata",
    corrupt: withMetadata(0xd6, 0xff, 0, 0, 0, 0),
  },
];
