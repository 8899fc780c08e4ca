import { MmdbData } from "../../src/formats/data/mmdb/mmdb-data.ts";
import { mmdbFile } from "../../src/formats/data/mmdb/mmdb-file.ts";
import { MmdbTree } from "../../src/formats/data/mmdb/mmdb-tree.ts";
import { wordsAt } from "./table-data.ts";
import type { TableData } from "./table-data.ts";

/**
 * The table in MaxMind's format, for the contenders mmdb-lib and maxmind. The data holds each value once, as a bare
 * uint32, which is the least that they can decode.
 */
export function writeMmdb(table: TableData): Buffer {
  const tree = new MmdbTree();
  // The less specific first, as the tree demands.
  const order = Array.from({ length: table.count }, (_, i) => i).sort((a, b) => table.lengths[a]! - table.lengths[b]!);
  for (const index of order) {
    const [w0, w1, w2, w3] = wordsAt(table.family, table.words, index);
    tree.add({ family: table.family, w0, w1, w2, w3, length: table.lengths[index]! }, table.values[index]!);
  }
  const data = new MmdbData();
  const offsets = new Map<number, number>();
  for (const value of tree.values()) {
    if (value === "") continue;
    offsets.set(value, data.byteLength);
    data.number(value, "uint32");
  }
  const about = { type: "ipsieve benchmark", title: "value ids", buildSeconds: 1 };
  return Buffer.concat([...mmdbFile(tree, data, (value) => offsets.get(value)!, about)]);
}
