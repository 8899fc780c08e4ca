import { KIND_MASK, KIND_SHIFT, NODE_FLAG, NODE_HASHED, NODE_LIST, NODE_POINTS, NODE_SKIP, NODE_TREE, NODE_WIDE, OFFSET_MASK, SKIP_UNIT, WIDE_WORDS } from "../../table/layout.ts";
import { HASHED_KIND, OFFSET_STEP, GROUP, LIST_KIND, OFFSETS, POINTS_KIND, QUEUE_BYTES, SHUFFLES, TREE_KIND, WIDE_KIND } from "../workspace.ts";
import { findKeys, hashedMatch } from "./hashed.ts";
import { pointsEntry } from "./points.ts";
import { listEntry, treeEntry } from "./sorted.ts";
import { lookingUp, matchCount, nodes6, root6, rootShift6 } from "./table.ts";
import { append, queueAt } from "./waiting.ts";
import { workspace } from "./workspace.ts";

/*
 * 128 bits in eight steps of 16, by the root (of up to 16 bits) and wide, list and tree nodes; a skip node stands for
 * several steps in which all addresses of the table agree. Words are little-endian in memory, so the halves of an
 * address are not in order:
 *
 *     byte       0   2   4   6   8   10  12  14
 *     16 bits    #1  #0  #3  #2  #5  #4  #7  #6       halfAt(16 * i): word i / 2, its upper half if i is even
 *
 * Between the two loops of a step, `out` holds addresses of entries (32 bits here, like an entry), so that all loads of
 * one kind are in flight at once. Every entry of `out` is read by the step that wrote it, before any other looks at it.
 */
/** As `lookupBatch4`, for IPv6 addresses of four words each. */
export function lookupBatch6(words: usize, out: usize, count: i32): void {
  lookingUp(6);
  while (count > 0) {
    const size = min(count, GROUP);
    lookupGroup(words, out, <usize>((size + 3) >>> 2) << 4);
    words += <usize>size << 4;
    out += <usize>size << 2;
    count -= size;
  }
}

/*
 * The bits that each step decides:
 *
 *     bit       0         16        32        48        64                          128
 *     large     |  descend: root, node |  step   |  finish, a node of each address a turn |
 *     small     |  step   |  step   |  step   |  finish                                 |      the root is one entry
 *
 * An address leaves as soon as its entry is a match; most of a routing table have by bit 48. `finish` handles the rest
 * in at most (128 - 48) / 16 = 5 iterations, because `walk6` takes an address to its end.
 */
/** `bytes` is the length of `out`, a multiple of 16; an address begins at four times the offset of its entry. */
function lookupGroup(words: usize, out: usize, bytes: usize): void {
  if (rootShift6 == 0) {
    descend(words, out, bytes);
    step(words, out, bytes, 32);
    finish(words, out, bytes, 48);
  } else {
    // A small table: one node is the root.
    for (let offset: usize = 0; offset < bytes; offset += 4) store<u32>(out + offset, load<u32>(root6));
    step(words, out, bytes, 0);
    step(words, out, bytes, 16);
    step(words, out, bytes, 32);
    finish(words, out, bytes, 48);
  }
}

/**
 * The first 32 bits, through the root and the node under it: in a table of routes nearly always a wide node. First the
 * addresses of the entries are found, then the entries are read.
 */
function descend(words: usize, out: usize, bytes: usize): void {
  const root = root6;
  const nodes = nodes6;
  for (let offset: usize = 0; offset < bytes; offset += 16) {
    const address = words + (offset << 2);
    const w0 = load<u32>(address);
    const w1 = load<u32>(address, 16);
    const w2 = load<u32>(address, 32);
    const w3 = load<u32>(address, 48);
    const e0 = load<u32>(rootSlot(root, w0));
    const e1 = load<u32>(rootSlot(root, w1));
    const e2 = load<u32>(rootSlot(root, w2));
    const e3 = load<u32>(rootSlot(root, w3));
    // The four have the kind of wide pointers in their top bits if none of the differences has a bit there.
    if ((((e0 ^ WIDE_POINTER) | (e1 ^ WIDE_POINTER) | (e2 ^ WIDE_POINTER) | (e3 ^ WIDE_POINTER)) >>> KIND_SHIFT) == 0) {
      store<usize>(out + offset, wideEntry(nodeAt(nodes, e0), w0 & 0xffff));
      store<usize>(out + offset, wideEntry(nodeAt(nodes, e1), w1 & 0xffff), 4);
      store<usize>(out + offset, wideEntry(nodeAt(nodes, e2), w2 & 0xffff), 8);
      store<usize>(out + offset, wideEntry(nodeAt(nodes, e3), w3 & 0xffff), 12);
    } else {
      for (let lane: usize = 0; lane < 16; lane += 4) {
        const at = rootSlot(root, load<u32>(address + (lane << 2)));
        store<usize>(out + offset + lane, isSettled(load<i32>(at)) ? at : entryUnder(at, address + (lane << 2), offset + lane));
      }
    }
  }
  for (let offset: usize = 0; offset < bytes; offset += 16) {
    readEntry(out + offset);
    readEntry(out + offset + 4);
    readEntry(out + offset + 8);
    readEntry(out + offset + 12);
  }
}

/** The entry of a wide node at offset 0: flag and kind, above the bits of the offset. */
const WIDE_POINTER: u32 = (8 | NODE_WIDE) << KIND_SHIFT;

@inline
function rootSlot(root: usize, word: u32): usize {
  return root + (<usize>(word >>> 16) << 2);
}

/** Whether an entry of the root is a match, or a hashed node, which has a step of its own. */
@inline
function isSettled(entry: i32): bool {
  return (<i32>(entry >= 0) | <i32>(<u32>entry >>> KIND_SHIFT == (8 | NODE_HASHED))) != 0;
}

/** Where the entry of an address is in the node that its root slot at `at` leads to. */
function entryUnder(at: usize, address: usize, offset: usize): usize {
  const word = load<u32>(address);
  const entry = load<i32>(at);
  const kind = (entry >>> KIND_SHIFT) & KIND_MASK;
  const node = nodeAt(nodes6, entry);
  const slot = word & 0xffff;
  if (kind == NODE_LIST) return listEntry(node, slot);
  if (kind == NODE_WIDE) return wideEntry(node, slot);
  if (kind == NODE_TREE) return treeEntry(node, slot);
  // A skip node has no entry to point to before its bits are compared, and a points node does not always have a word
  // for one. These are done immediately; the entry is written where there is no queue yet, at the address's own offset
  // in queue 0, below 4 * GROUP, and `out` gets its address.
  const match = queueAt(0) + offset;
  store<i32>(match, kind == NODE_POINTS ? pointsEntry(node, slot) : walk6(entry, address, 16));
  return match;
}

/** Takes every address that is at a node one node, or 16 bits, further; those that reach a skip node, to the end. */
function step(words: usize, out: usize, bytes: usize, depth: i32): void {
  // Four entries at a time, by their top bits:   | 0 ... |: a match, in no queue      | 1 | kkk | ... |: a pointer
  // The masks of the kinds do not overlap and lie in `all`, so the ^ leaves the skip nodes, and kinds that do not
  // exist: `walk6` stops at those.
  const wides = queueAt(0);
  const lists = queueAt(1);
  const trees = queueAt(2);
  const skips = queueAt(3);
  const points = queueAt(4);
  let widesEnd = wides;
  let listsEnd = lists;
  let treesEnd = trees;
  let skipsEnd = skips;
  const hashed = queueAt(5);
  let pointsEnd = points;
  let hashedEnd = hashed;
  const shuffles = workspace + SHUFFLES;
  const step = v128.load(workspace + OFFSET_STEP);
  const wideKind = v128.load(workspace + WIDE_KIND);
  const listKind = v128.load(workspace + LIST_KIND);
  const treeKind = v128.load(workspace + TREE_KIND);
  const pointsKind = v128.load(workspace + POINTS_KIND);
  const hashedKind = v128.load(workspace + HASHED_KIND);
  let offsets = v128.load(workspace + OFFSETS);
  for (let offset: usize = 0; offset < bytes; offset += 16) {
    const entries = v128.load(out + offset);
    const all = i32x4.bitmask(entries);
    if (all != 0) {
      const kinds = i32x4.shr_u(entries, KIND_SHIFT);
      const wide = i32x4.bitmask(i32x4.eq(kinds, wideKind));
      const list = i32x4.bitmask(i32x4.eq(kinds, listKind));
      const tree = i32x4.bitmask(i32x4.eq(kinds, treeKind));
      widesEnd = append(widesEnd, offsets, shuffles, wide);
      listsEnd = append(listsEnd, offsets, shuffles, list);
      treesEnd = append(treesEnd, offsets, shuffles, tree);
      const others = all ^ wide ^ list ^ tree;
      if (others != 0) {
        const point = i32x4.bitmask(i32x4.eq(kinds, pointsKind));
        const hash = i32x4.bitmask(i32x4.eq(kinds, hashedKind));
        pointsEnd = append(pointsEnd, offsets, shuffles, point);
        hashedEnd = append(hashedEnd, offsets, shuffles, hash);
        skipsEnd = append(skipsEnd, offsets, shuffles, others ^ point ^ hash);
      }
    }
    offsets = i32x4.add(offsets, step);
  }

  const nodes = nodes6;
  const slots = words + halfAt(depth);
  // For nodes that cost two cache misses, first the addresses of the entries are found, then the entries are read.
  for (let at = wides; at < widesEnd; at += 4) {
    const offset = load<usize>(at);
    store<usize>(out + offset, wideEntry(nodeAt(nodes, load<u32>(out + offset)), load<u16>(slots + (offset << 2))));
  }
  for (let at = trees; at < treesEnd; at += 4) {
    const offset = load<usize>(at);
    store<usize>(out + offset, treeEntry(nodeAt(nodes, load<u32>(out + offset)), load<u16>(slots + (offset << 2))));
  }
  for (let at = wides; at < widesEnd; at += 4) readEntry(out + load<usize>(at));
  for (let at = trees; at < treesEnd; at += 4) readEntry(out + load<usize>(at));
  for (let at = lists; at < listsEnd; at += 4) {
    const offset = load<usize>(at);
    store<u32>(out + offset, load<u32>(listEntry(nodeAt(nodes, load<u32>(out + offset)), load<u16>(slots + (offset << 2)))));
  }
  for (let at = points; at < pointsEnd; at += 4) {
    const offset = load<usize>(at);
    store<i32>(out + offset, pointsEntry(nodeAt(nodes, load<u32>(out + offset)), load<u16>(slots + (offset << 2))));
  }
  for (let at = skips; at < skipsEnd; at += 4) {
    const offset = load<usize>(at);
    store<i32>(out + offset, walk6(load<i32>(out + offset), words + (offset << 2), depth));
  }
  lookUpHashed(words, out, hashedEnd);
}

/**
 * Takes the addresses in queue 5 from a hashed node to the end. Where the keys of their buckets are, and how many, is in
 * the two arrays after it. A bucket is up to two cache lines of keys; a word of each is read before any key is compared,
 * so that all these misses overlap, and goes to queue 0, which is done, only because what is not used is not read.
 */
function lookUpHashed(words: usize, out: usize, end: usize): void {
  const nodes = nodes6;
  for (let at = queueAt(5); at < end; at += 4) {
    const offset = load<usize>(at);
    findKeys(nodeAt(nodes, load<u32>(out + offset)), words + (offset << 2), at + QUEUE_BYTES);
  }
  for (let at = queueAt(5); at < end; at += 4) {
    const keys = load<usize>(at, QUEUE_BYTES);
    store<i32>(at - 5 * QUEUE_BYTES, load<i32>(keys) + load<i32>(keys, 60));
  }
  for (let at = queueAt(5); at < end; at += 4) {
    const offset = load<usize>(at);
    store<i32>(out + offset, hashedMatch(nodeAt(nodes, load<u32>(out + offset)), load<usize>(at, QUEUE_BYTES), load<i32>(at, 2 * QUEUE_BYTES), words + (offset << 2)));
  }
}

/** Replaces the address of an entry by the entry. */
@inline
function readEntry(at: usize): void {
  store<u32>(at, load<u32>(load<usize>(at)));
}

/** Takes every address that is still at a node at `depth` to the end, one node per iteration. */
function finish(words: usize, out: usize, bytes: usize, depth: i32): void {
  const queue = queueAt(0);
  let end = queue;
  // What is still at a node is negative, and so is what a match past the last one leaves of it.
  const last = i32x4.splat(matchCount);
  const shuffles = workspace + SHUFFLES;
  const step = v128.load(workspace + OFFSET_STEP);
  let offsets = v128.load(workspace + OFFSETS);
  for (let offset: usize = 0; offset < bytes; offset += 16) {
    const entries = v128.load(out + offset);
    end = append(end, offsets, shuffles, i32x4.bitmask(v128.or(entries, i32x4.sub(last, entries))));
    offsets = i32x4.add(offsets, step);
  }
  const nodes = nodes6;
  while (end != queue) {
    if (depth > 127) unreachable();
    // In place: `next` is never past `at`, since each iteration reads one and keeps at most one. The sign of a match
    // that is still a pointer is 1: it stays in the queue.
    let next = queue;
    for (let at = queue; at < end; at += 4) {
      const offset = load<usize>(at);
      const entry = load<i32>(out + offset);
      const match = entry >>> KIND_SHIFT == (8 | NODE_LIST)
        ? load<i32>(listEntry(nodeAt(nodes, entry), load<u16>(words + (offset << 2) + halfAt(depth))))
        : walk6(entry, words + (offset << 2), depth);
      if (match > matchCount) unreachable();
      store<i32>(out + offset, match);
      store<usize>(next, offset);
      next += <usize>(match >>> 31) << 2;
    }
    end = next;
    depth += 16;
  }
}

@inline
function nodeAt(nodes: usize, entry: u32): usize {
  return nodes + (<usize>(entry & OFFSET_MASK) << 2);
}

/** Where in an address the 16 bits from `depth`, a multiple of 16, on stand: words are little-endian. */
@inline
function halfAt(depth: i32): usize {
  // depth >>> 5 is the word; its upper half, in bytes 2 and 3, holds the bits from an even multiple of 16 on.
  return <usize>(((depth >>> 5) << 2) | ((~depth & 16) >>> 3));
}

/** The address of the entry of `slot` in the wide node at `node`. */
@inline
function wideEntry(node: usize, slot: u32): usize {
  //     node   | changes 0..31 | rank | changes 32..63 | rank | ... 2,048 pairs ... | entries
  // The pair of a slot is slot >>> 5, of 8 bytes; its rank counts the changes before it. Together at least 1, since
  // slot 0 is a change: entry number rank - 1, hence WIDE_WORDS - 1.
  const word = node + (<usize>(slot >>> 5) << 3);
  // Shifts count modulo 32: that by ~slot leaves the changes up to and including the slot's.
  return node + (<usize>(WIDE_WORDS - 1 + load<u32>(word, 4) + popcnt(load<u32>(word) << ~slot)) << 2);
}

/** Goes on from `entry` at `depth` to the leaf of the address at `address`, as `walk6` of the table room. */
function walk6(entry: i32, address: usize, depth: i32): i32 {
  while (entry < 0) {
    if (depth > 127) unreachable();
    const node = nodeAt(nodes6, entry);
    const kind = (entry >>> KIND_SHIFT) & KIND_MASK;
    const slot = <u32>load<u16>(address + halfAt(depth));
    if (kind == NODE_SKIP) {
      // | bits | entry if less | entry if greater | expected bits, in words | entry if equal |
      // The bits are checked, since they say where the last entry is: at most 4 words further on, whatever the file
      // says.
      const bits = load<i32>(node);
      if (bits < SKIP_UNIT || bits > 128 - depth || bits % SKIP_UNIT != 0) unreachable();
      const order = compareSkipped(node + 12, bits, address, depth);
      if (order != 0) return load<i32>(order < 0 ? node + 4 : node + 8) & ~NODE_FLAG;
      entry = load<i32>(node + 12 + (<usize>((bits + 31) >>> 5) << 2));
      depth += bits;
      continue;
    }
    if (kind == NODE_HASHED) {
      const found = queueAt(6);
      findKeys(node, address, found);
      return hashedMatch(node, load<usize>(found), load<i32>(found, QUEUE_BYTES), address);
    }
    if (kind == NODE_LIST) entry = load<i32>(listEntry(node, slot));
    else if (kind == NODE_POINTS) entry = pointsEntry(node, slot);
    else if (kind == NODE_TREE) entry = load<i32>(treeEntry(node, slot));
    else if (kind == NODE_WIDE) entry = load<i32>(wideEntry(node, slot));
    else unreachable();
    depth += 16;
  }
  return entry;
}

/**
 * Negative, 0, positive: `bits` bits of the address from `depth` on are less than, equal to, greater than those
 * expected.
 */
function compareSkipped(expected: usize, bits: i32, address: usize, depth: i32): i32 {
  // 16 bits at a time, most significant first, as unsigned numbers below 2^16: the difference fits and has the sign of
  // the comparison. depth + bits is at most 128, so `halfAt` stays within the 16 bytes of the address.
  for (let done = 0; done < bits; done += 16) {
    const difference = <i32>load<u16>(address + halfAt(depth + done)) - <i32>load<u16>(expected + halfAt(done));
    if (difference != 0) return difference;
  }
  return 0;
}
