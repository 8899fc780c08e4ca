import { BITMAP_CHANGE_WORDS, BITMAP_HEADER_WORDS, KIND_SHIFT, LIST_BITS, NODE_BITMAP, NODE_LIST, OFFSET_MASK } from "../../table/layout.ts";
import { nodes4, root4, rootShift4 } from "./table.ts";

/** Looks up `count` IPv4 words at `words` and writes a match id each to `out`. */
export function lookupBatch4(words: usize, out: usize, count: i32): void {
  for (let i = 0; i < count; i++) {
    const address = load<u32>(words + (<usize>i << 2));
    store<i32>(out + (<usize>i << 2), walk4(load<i32>(root4 + (<usize>(address >>> rootShift4) << 2)), address, 32 - rootShift4));
  }
}

/** Goes on from `entry` at `depth` to the leaf, as `walk4` of the table room. Damaged nodes end as no match. */
function walk4(entry: i32, address: u32, depth: i32): i32 {
  while (entry < 0) {
    if (depth > 31) return 0;
    const node = nodes4 + (<usize>(entry & OFFSET_MASK) << 2);
    const kind = (entry >>> KIND_SHIFT) & 3;
    if (kind == NODE_BITMAP) {
      entry = load<i32>(bitmapEntry(node, (address << depth) >>> 24));
      depth += 8;
    } else if (kind == NODE_LIST) {
      entry = load<i32>(listEntry(node, (address << depth) >>> 16));
      depth += LIST_BITS;
    } else {
      return 0;
    }
  }
  return entry;
}

/** The address of the entry of `slot` in the bitmap node at `node`. */
@inline
export function bitmapEntry(node: usize, slot: u32): usize {
  const before = load<u8>(node + (BITMAP_CHANGE_WORDS << 2) + (slot >>> 5));
  const changes = load<u32>(node + ((slot >>> 5) << 2)) & ((2 << slot) - 1);
  return node + (<usize>(BITMAP_HEADER_WORDS - 1 + before + popcnt(changes)) << 2);
}

/** The address of the entry of `slot` in the list node at `node`: the last one whose key is <= slot. */
@inline
export function listEntry(node: usize, slot: u32): usize {
  const count = load<u32>(node);
  let from: u32 = 0;
  let left = count;
  while (left > 1) {
    const half = left >>> 1;
    if (load<u16>(node + 4 + ((from + half - 1) << 1)) <= slot) from += half;
    left -= half;
  }
  return node + (<usize>(1 + (count >>> 1) + from) << 2);
}
