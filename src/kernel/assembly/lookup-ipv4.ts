import { BITMAP_BITS, BITMAP_HEADER_WORDS, KIND_MASK, KIND_SHIFT, LIST_BITS, NODE_BITMAP, NODE_LIST, NODE_POINTS, NODE_TREE, OFFSET_MASK, POINTS_BITS } from "../../table/layout.ts";
import { BITMAP_LIMIT, OFFSET_STEP, GROUP, LIST_KIND, OFFSETS, POINTS_KIND, QUEUE_BYTES, SHUFFLES } from "../workspace.ts";
import { buckets4, findHosts } from "./hosts.ts";
import { pointsEntry } from "./points.ts";
import { listEntry, treeEntry } from "./sorted.ts";
import { lookingUp, matchCount, nodes4, root4, rootShift4 } from "./table.ts";
import { append, queueAt } from "./waiting.ts";
import { workspace } from "./workspace.ts";

/*
 * An address of 32 bits is used from the top, by the root and then node after node:
 *
 *     |  32 - shift: root  |  6: bitmap, or 16: list or tree  |  ...  |
 *     0                   depth
 *
 * An entry (src/table/layout.ts) with bit 31 clear is a match id, the end of the walk; with it set, a pointer:
 *
 *     | 1 | kind: 3 | offset in the nodes, in words: 28 |
 *
 * Reads of nodes are unchecked. In a table that `openSnapshot` has checked, they are inside it. If the table was
 * corrupted later, either WebAssembly's own bounds check traps, or some other entry is read: `depth` grows with every
 * node, so a cycle ends, and a match is compared with `matchCount` before it is returned. Nothing but `out` and the
 * queues is written.
 */
/**
 * Looks up `count` IPv4 words at `words` and writes a match id for each to `out`. Up to three more of both are read and
 * written. Traps if a corrupt table leads out of the memory, deeper than an address has bits, or to a match that does
 * not exist.
 */
export function lookupBatch4(words: usize, out: usize, count: i32): void {
  lookingUp(4);
  while (count > 0) {
    const size = min(count, GROUP);
    const bytes = <usize>((size + 3) >>> 2) << 4;
    if (buckets4 == 0) lookupGroup(words, out, bytes);
    else lookupAmongHosts(words, out, bytes);
    words += <usize>size << 2;
    out += <usize>size << 2;
    count -= size;
  }
}

/** `bytes` is the length of both arrays, a multiple of 16. */
function lookupGroup(words: usize, out: usize, bytes: usize): void {
  // `shift` leaves as many bits as the root has entries (2 to the power of 32 - shift): no index is outside it.
  const root = root4;
  const shift = rootShift4;
  for (let offset: usize = 0; offset < bytes; offset += 16) {
    store<u32>(out + offset, load<u32>(root + (<usize>(load<u32>(words + offset) >>> shift) << 2)));
    store<u32>(out + offset, load<u32>(root + (<usize>(load<u32>(words + offset, 4) >>> shift) << 2)), 4);
    store<u32>(out + offset, load<u32>(root + (<usize>(load<u32>(words + offset, 8) >>> shift) << 2)), 8);
    store<u32>(out + offset, load<u32>(root + (<usize>(load<u32>(words + offset, 12) >>> shift) << 2)), 12);
  }

  // `out` holds three kinds of entries now, distinguished four at a time by signs and comparisons: bitmask is the sign
  // bits. A bitmap pointer is less than all other entries: its kind is 0.
  const bitmapLimit = v128.load(workspace + BITMAP_LIMIT);
  const listKind = v128.load(workspace + LIST_KIND);
  const pointsKind = v128.load(workspace + POINTS_KIND);
  const bitmaps = queueAt(0);
  const lists = queueAt(1);
  const trees = queueAt(2);
  const points = queueAt(3);
  let bitmapsEnd = bitmaps;
  let listsEnd = lists;
  let treesEnd = trees;
  let pointsEnd = points;
  const shuffles = workspace + SHUFFLES;
  const step = v128.load(workspace + OFFSET_STEP);
  let offsets = v128.load(workspace + OFFSETS);
  for (let offset: usize = 0; offset < bytes; offset += 16) {
    const entries = v128.load(out + offset);
    const bitmap = i32x4.bitmask(i32x4.lt_s(entries, bitmapLimit));
    const other = i32x4.bitmask(entries) ^ bitmap;
    bitmapsEnd = append(bitmapsEnd, offsets, shuffles, bitmap);
    // A table of routes has few of these; a table of single addresses has nothing else.
    if (other != 0) {
      const kinds = i32x4.shr_u(entries, KIND_SHIFT);
      const point = i32x4.bitmask(i32x4.eq(kinds, pointsKind));
      pointsEnd = append(pointsEnd, offsets, shuffles, point);
      const rest = other ^ point;
      if (rest != 0) {
        const list = i32x4.bitmask(i32x4.eq(kinds, listKind));
        listsEnd = append(listsEnd, offsets, shuffles, list);
        treesEnd = append(treesEnd, offsets, shuffles, rest ^ list);
      }
    }
    offsets = i32x4.add(offsets, step);
  }

  // Each address is in one queue at most, and a queue is read only after it is filled: the order of steps is free.
  const nodes = nodes4;
  const depth = 32 - shift;
  const slotShift = shift - BITMAP_BITS;
  for (let at = bitmaps; at < bitmapsEnd; at += 4) {
    const offset = load<usize>(at);
    // The shift drops the pointer's flag.
    const node = nodes + (load<usize>(out + offset) << 2);
    store<u32>(out + offset, load<u32>(bitmapEntry(node, load<u32>(words + offset) >>> slotShift)));
  }
  // Large tables of single addresses do not fit into any cache: first the addresses of the entries are found, then the
  // entries are read.
  for (let at = lists; at < listsEnd; at += 4) {
    const offset = load<usize>(at);
    const node = nodes + (<usize>(load<u32>(out + offset) & OFFSET_MASK) << 2);
    store<usize>(out + offset, listEntry(node, (load<u32>(words + offset) << depth) >>> 16));
  }
  for (let at = lists; at < listsEnd; at += 4) {
    const offset = load<usize>(at);
    const entry = load<i32>(load<usize>(out + offset));
    store<i32>(out + offset, entry >= 0 ? entry : walk4(entry, load<u32>(words + offset), depth + LIST_BITS));
  }
  // The keys of a node are one or two cache lines: a word of each is read before any key is compared, so that as many
  // misses as there can be are under way at once. The words go to a queue that IPv4 does not have, since what is not
  // used is not read.
  for (let at = points; at < pointsEnd; at += 4) {
    const node = nodes + (<usize>(load<u32>(out + load<usize>(at)) & OFFSET_MASK) << 2);
    store<i32>(at, load<i32>(node) + load<i32>(node, 70), QUEUE_BYTES);
  }
  for (let at = points; at < pointsEnd; at += 4) {
    const offset = load<usize>(at);
    const word = load<u32>(words + offset);
    const node = nodes + (<usize>(load<u32>(out + offset) & OFFSET_MASK) << 2);
    const entry = pointsEntry(node, (word << depth) >>> 16);
    store<i32>(out + offset, entry >= 0 ? entry : walk4(entry, word, depth + POINTS_BITS));
  }
  for (let at = trees; at < treesEnd; at += 4) {
    const offset = load<usize>(at);
    store<i32>(out + offset, walk4(load<i32>(out + offset), load<u32>(words + offset), depth));
  }

  finishGroup(words, out, bytes, depth + BITMAP_BITS);
}

/** As `lookupGroup`, where hosts precede the nodes: few addresses go on to these. */
function lookupAmongHosts(words: usize, out: usize, bytes: usize): void {
  findHosts(words, out, bytes);
  finishGroup(words, out, bytes, 32 - rootShift4);
}

/** Walks to the end with the addresses whose entries, at `depth`, are pointers. */
function finishGroup(words: usize, out: usize, bytes: usize, depth: i32): void {
  // With e an entry: e < 0 is a pointer; matchCount - e < 0 is a match past the last. Both are in the sign of (e | last
  // - e); for e < 0 the difference may wrap, where the sign of e decides already. What is still at a node is negative,
  // and so is what a match past the last one leaves of it.
  const last = i32x4.splat(matchCount);
  for (let offset: usize = 0; offset < bytes; offset += 16) {
    const entries = v128.load(out + offset);
    const mask = i32x4.bitmask(v128.or(entries, i32x4.sub(last, entries)));
    if (mask != 0) finish(words, out, offset, mask, depth);
  }
}

/**
 * Walks to the end with those of the four addresses from `offset` on that `mask` (1 to 15) names, one set bit per
 * iteration.
 */
function finish(words: usize, out: usize, offset: usize, mask: i32, depth: i32): void {
  for (; mask != 0; mask &= mask - 1) {
    const lane = offset + (<usize>ctz(mask) << 2);
    const match = walk4(load<i32>(out + lane), load<u32>(words + lane), depth);
    if (match > matchCount) unreachable();
    store<i32>(out + lane, match);
  }
}

/**
 * The address of the entry of a slot in the bitmap node at `node`. The slot is the last six bits of `slot`: shifts of
 * 64-bit numbers count modulo 64, and that by ~slot leaves the changes up to and including the slot's.
 */
@inline
function bitmapEntry(node: usize, slot: u32): usize {
  // rank = changes up to and including the slot, at least 1 (slot 0 is always one), so the entries are counted from the
  // header's last word. For slot 2, of changes at 0, 2 and 5:
  //     bit      63 ... 6  5  4  3  2  1  0
  //     changes         0  1  0  0  1  0  1      << ~2, modulo 64 << 61, leaves bits 2, 1 and 0, on top: popcount 2
  return node + 4 * (BITMAP_HEADER_WORDS - 1) + (<usize>popcnt<u64>(load<u64>(node) << ~(<u64>slot)) << 2);
}

/**
 * Continues from `entry` at `depth` to the leaf, like `walk4` in the table room.
 *
 * `depth` is below 32 where it is a shift, and grows by 6 or 16: after a root of 8 bits that is four bitmaps at most.
 * Bits past the address are zeros, which the shift to the left brings in: a node at depth 28 reads 4 bits and two
 * zeros.
 *
 *     address << depth    | 6 bits | ...            >>> 26: the slot of a bitmap
 *                         | 16 bits         | ...   >>> 16: the slot of a list or a tree
 */
function walk4(entry: i32, address: u32, depth: i32): i32 {
  while (entry < 0) {
    if (depth > 31) unreachable();
    const node = nodes4 + (<usize>(entry & OFFSET_MASK) << 2);
    const kind = (entry >>> KIND_SHIFT) & KIND_MASK;
    if (kind == NODE_LIST) {
      entry = load<i32>(listEntry(node, (address << depth) >>> 16));
      depth += LIST_BITS;
    } else if (kind == NODE_BITMAP) {
      entry = load<i32>(bitmapEntry(node, (address << depth) >>> 26));
      depth += BITMAP_BITS;
    } else if (kind == NODE_POINTS) {
      entry = pointsEntry(node, (address << depth) >>> 16);
      depth += POINTS_BITS;
    } else if (kind == NODE_TREE) {
      entry = load<i32>(treeEntry(node, (address << depth) >>> 16));
      depth += LIST_BITS;
    } else {
      unreachable();
    }
  }
  return entry;
}
