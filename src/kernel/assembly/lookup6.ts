import { KIND_SHIFT, NODE_BITMAP, NODE_LIST, NODE_WIDE, OFFSET_MASK, WIDE_WORDS } from "../../table/layout.ts";
import { bitmapEntry, listEntry } from "./lookup4.ts";
import { nodes6, root6, rootShift6 } from "./table.ts";

/** Looks up `count` IPv6 addresses of four words each at `words` and writes a match id each to `out`. */
export function lookupBatch6(words: usize, out: usize, count: i32): void {
  for (let i = 0; i < count; i++) {
    const address = words + (<usize>i << 4);
    const entry = load<i32>(root6 + (<usize>(load<u32>(address) >>> rootShift6) << 2));
    store<i32>(out + (<usize>i << 2), walk6(entry, address, 32 - rootShift6));
  }
}

/** Bits [depth, depth + 32) of the address, depth < 128; those past its end are zero. */
function bitsAt(address: usize, depth: i32): u32 {
  const word = depth >>> 5;
  const high = load<u32>(address + (<usize>word << 2));
  const low = word < 3 ? load<u32>(address + (<usize>(word + 1) << 2)) : 0;
  const shift = depth & 31;
  return (high << shift) | ((low >>> 1) >>> (31 - shift));
}

/** As `walk6` of the table room. Damaged nodes end as no match. */
function walk6(entry: i32, address: usize, depth: i32): i32 {
  while (entry < 0) {
    if (depth > 127) return 0;
    const node = nodes6 + (<usize>(entry & OFFSET_MASK) << 2);
    const kind = (entry >>> KIND_SHIFT) & 3;
    const next = bitsAt(address, depth);
    if (kind == NODE_LIST) {
      entry = load<i32>(listEntry(node, next >>> 16));
      depth += 16;
    } else if (kind == NODE_WIDE) {
      const slot = next >>> 16;
      const word = node + (<usize>(slot >>> 5) << 3);
      const rank = load<u32>(word, 4) + popcnt(load<u32>(word) & ((2 << slot) - 1));
      entry = load<i32>(node + (<usize>(WIDE_WORDS - 1 + rank) << 2));
      depth += 16;
    } else if (kind == NODE_BITMAP) {
      entry = load<i32>(bitmapEntry(node, next >>> 24));
      depth += 8;
    } else {
      const bits = load<i32>(node);
      if (bits < 1 || bits > 128 - depth) return 0;
      const order = compareSkipped(node + 12, bits, address, depth);
      if (order != 0) return load<i32>(order < 0 ? node + 4 : node + 8) & 0x7fff_ffff;
      entry = load<i32>(node + 12 + (<usize>((bits + 31) >>> 5) << 2));
      depth += bits;
    }
  }
  return entry;
}

/** Negative, 0, positive: `bits` bits of the address from `depth` on are less than, equal to, greater than those expected. */
function compareSkipped(expectedAt: usize, bits: i32, address: usize, depth: i32): i32 {
  for (let done = 0; done < bits; done += 32) {
    const keep: u32 = bits - done >= 32 ? <u32>-1 : <u32>-1 << (32 - (bits - done));
    const expected = load<u32>(expectedAt);
    const actual = bitsAt(address, depth + done) & keep;
    expectedAt += 4;
    if (actual != expected) return actual < expected ? -1 : 1;
  }
  return 0;
}
