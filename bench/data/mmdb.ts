import { addressBits } from "../../src/address/address.ts";
import { wordsAt } from "./table-data.ts";
import type { TableData } from "./table-data.ts";

/**
 * Writes a table in MaxMind's DB format 2.0 (https://maxmind.github.io/MaxMind-DB/), the format of the contenders mmdb-lib
 * and maxmind: a binary tree of 24, 28 or 32-bit records, and a data section that holds each value once, as a bare uint32.
 */
export function writeMmdb(table: TableData): Buffer {
  const tree = growTree(table);
  const { data, offsetOfValue } = dataSection(table.values);
  const recordBits = recordSize(tree.nodeCount + 16 + data.length);
  const search = Buffer.alloc((tree.nodeCount * recordBits) / 4);
  for (let node = 0; node < tree.nodeCount; node++) {
    const [left, right] = [0, 1].map((side) => {
      const record = tree.records[node * 2 + side]!;
      if (record === EMPTY) return tree.nodeCount;
      return record > 0 ? record : tree.nodeCount + 16 + offsetOfValue.get(-record)!;
    });
    writeNode(search, recordBits, node, left!, right!);
  }
  return Buffer.concat([search, Buffer.alloc(16), data, METADATA_MARK, metadata(table, tree.nodeCount, recordBits)]);
}

// a record while the tree grows: 0 nothing, > 0 a node, < 0 the value with its sign turned (node 0 is the root, never
// pointed at)
const EMPTY = 0;
const METADATA_MARK = Buffer.concat([Buffer.from([0xab, 0xcd, 0xef]), Buffer.from("MaxMind.com")]);

function growTree(table: TableData): { records: Int32Array; nodeCount: number } {
  // less specific first, so that a longer prefix always finds the shorter one's value in its way and pushes it down
  const order = Array.from({ length: table.count }, (_, i) => i).sort((a, b) => table.lengths[a]! - table.lengths[b]!);
  let records = new Int32Array(1 << 16);
  let nodeCount = 1;
  const addNode = (inherited: number): number => {
    if ((nodeCount + 1) * 2 > records.length) {
      const larger = new Int32Array(records.length * 2);
      larger.set(records);
      records = larger;
    }
    records.fill(inherited, nodeCount * 2, nodeCount * 2 + 2);
    return nodeCount++;
  };
  for (const index of order) {
    const words = wordsAt(table.family, table.words, index);
    const length = table.lengths[index]!;
    if (length === 0) throw new Error("the MMDB writer takes no prefix of length 0");
    let node = 0;
    for (let bit = 0; ; bit++) {
      const record = node * 2 + ((words[bit >>> 5]! >>> (31 - (bit & 31))) & 1);
      if (bit === length - 1) {
        records[record] = -table.values[index]!;
        break;
      }
      if (records[record]! <= 0) {
        const inherited = records[record]!;
        const child = addNode(inherited);
        records[record] = child;
      }
      node = records[record]!;
    }
  }
  return { records, nodeCount };
}

function dataSection(values: Uint32Array): { data: Buffer; offsetOfValue: Map<number, number> } {
  const offsetOfValue = new Map<number, number>();
  const parts: Buffer[] = [];
  let offset = 0;
  for (const value of values) {
    if (offsetOfValue.has(value)) continue;
    const part = unsigned(TYPE_UINT32, value);
    offsetOfValue.set(value, offset);
    parts.push(part);
    offset += part.length;
  }
  return { data: Buffer.concat(parts), offsetOfValue };
}

function recordSize(largest: number): 24 | 28 | 32 {
  if (largest < 2 ** 24) return 24;
  return largest < 2 ** 28 ? 28 : 32;
}

function writeNode(out: Buffer, recordBits: 24 | 28 | 32, node: number, left: number, right: number): void {
  const at = (node * recordBits) / 4;
  if (recordBits === 24) {
    out.writeUIntBE(left, at, 3);
    out.writeUIntBE(right, at + 3, 3);
  } else if (recordBits === 28) {
    // the middle byte holds the upper four bits of both records
    out.writeUIntBE(left & 0xffffff, at, 3);
    out[at + 3] = ((left >>> 24) << 4) | (right >>> 24);
    out.writeUIntBE(right & 0xffffff, at + 4, 3);
  } else {
    out.writeUInt32BE(left, at);
    out.writeUInt32BE(right, at + 4);
  }
}

const TYPE_STRING = 2;
const TYPE_UINT16 = 5;
const TYPE_UINT32 = 6;
const TYPE_MAP = 7;
const TYPE_UINT64 = 9;
const TYPE_ARRAY = 11;

/** The control byte: type and size; a type above 7 is written as 0 and follows, less 7, in a byte of its own. */
function control(type: number, size: number): Buffer {
  if (size > 28) throw new Error(`the MMDB writer takes no field of ${size} bytes`);
  return type <= 7 ? Buffer.from([(type << 5) | size]) : Buffer.from([size, type - 7]);
}

function unsigned(type: number, value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return Buffer.concat([control(type, bytes.length), Buffer.from(bytes)]);
}

function string(text: string): Buffer {
  return Buffer.concat([control(TYPE_STRING, text.length), Buffer.from(text)]);
}

function map(fields: Record<string, Buffer>): Buffer {
  const entries = Object.entries(fields);
  return Buffer.concat([
    control(TYPE_MAP, entries.length),
    ...entries.flatMap(([name, value]) => [string(name), value]),
  ]);
}

function metadata(table: TableData, nodeCount: number, recordBits: number): Buffer {
  return map({
    binary_format_major_version: unsigned(TYPE_UINT16, 2),
    binary_format_minor_version: unsigned(TYPE_UINT16, 0),
    build_epoch: unsigned(TYPE_UINT64, 1),
    database_type: string("ipsieve benchmark"),
    description: map({ en: string("value ids") }),
    ip_version: unsigned(TYPE_UINT16, addressBits(table.family) === 32 ? 4 : 6),
    languages: Buffer.concat([control(TYPE_ARRAY, 1), string("en")]),
    node_count: unsigned(TYPE_UINT32, nodeCount),
    record_size: unsigned(TYPE_UINT16, recordBits),
  });
}
