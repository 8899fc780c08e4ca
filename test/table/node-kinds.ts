import { pointsWords, separatorWords } from "../../src/table/_walk.ts";
import { popcount } from "../../src/table/popcount.ts";
import * as layout from "../../src/table/layout.ts";
import type { PrefixTable } from "../../src/table/prefix-table.ts";

/** A node of a table's index: its kind, and its word offset among the family's nodes. */
export interface NodePlace {
  readonly kind: number;
  readonly node: number;
}

const kindOf = (entry: number): number => (entry >>> layout.KIND_SHIFT) & layout.KIND_MASK;

/** The offset of a node's entries, relative to the node, and their number. */
function entriesOf(nodes: Int32Array, { node, kind }: NodePlace): [start: number, count: number] {
  const count = nodes[node]!;
  switch (kind) {
    case layout.NODE_BITMAP:
      return [2, popcount(nodes[node]!) + popcount(nodes[node + 1]!)];
    case layout.NODE_LIST:
      return [1 + (count >>> 1), count];
    case layout.NODE_TREE:
      return [1 + separatorWords(count) + (count >>> 1), count];
    case layout.NODE_WIDE:
      return [4096, nodes[node + 4095]! + popcount(nodes[node + 4094]!)];
    case layout.NODE_POINTS: {
      const form = nodes[node + 2]! & 0xffff;
      const points = (form & 0xff) + 1;
      return [pointsWords(points), form >>> 12 === layout.POINTS_EACH ? points : 0];
    }
    case layout.NODE_HASHED:
      return [0, 0]; // only leaves
    default:
      return [3 + ((count + 31) >>> 5), 1];
  }
}

/** All nodes of a family, grouped by depth. */
export function nodeLevels(table: PrefixTable, family: 4 | 6): NodePlace[][] {
  const wordsOf = (name: `root${4 | 6}` | `nodes${4 | 6}`): Int32Array =>
    new Int32Array(table.buffer, table.sections[name].byteOffset, table.sections[name].byteLength / 4);
  const nodes = wordsOf(`nodes${family}`);
  const levels: NodePlace[][] = [];
  const placesOf = (entries: Int32Array): NodePlace[] =>
    [...entries]
      .filter((entry) => entry < 0)
      .map((entry) => ({ kind: kindOf(entry), node: entry & layout.OFFSET_MASK }));
  for (let level = placesOf(wordsOf(`root${family}`)); level.length > 0;) {
    levels.push(level);
    level = level.flatMap((place) => {
      const [start, count] = entriesOf(nodes, place);
      return placesOf(nodes.subarray(place.node + start, place.node + start + count));
    });
  }
  return levels;
}
