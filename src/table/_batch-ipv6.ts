import { walk6 } from "./_walk.ts";
import { popcount } from "./popcount.ts";
import { KIND_SHIFT, NODE_FLAG, NODE_WIDE, OFFSET_MASK, WIDE_WORDS } from "./layout.ts";

/** Addresses whose first steps are done together; their entries stay in registers and the first-level cache. */
const GROUP = 16;

const entries = new Int32Array(GROUP);

const WIDE_POINTER = (NODE_FLAG >>> KIND_SHIFT) | NODE_WIDE;

/**
 * Looks up `count` IPv6 addresses, four words each. In a table of routes nearly all of them go through the root and one
 * wide node, and each of those reads is likely a cache miss. So a group of addresses does these steps first, one after
 * the other with nothing to guess in between, and the misses overlap; then each goes on alone. Without a root (a small
 * table) each goes alone from the beginning.
 *
 * All of an address's words are below 4 * `count`, which the caller has checked against `words`; a root of 2^16 slots
 * is indexed by 16 bits, one of a single slot by none. Reads of `nodes` in a corrupt table: see `_walk.ts`.
 */
export function lookupBatch6(
  root: Int32Array,
  nodes: Int32Array,
  words: Uint32Array,
  out: Uint32Array,
  count: number,
): void {
  let i = 0;
  for (const grouped = root.length > 1 && nodes.length > 0 ? count - GROUP + 1 : 0; i < grouped; i += GROUP) {
    for (let lane = 0; lane < GROUP; lane++) {
      const w0 = words[4 * (i + lane)]!;
      const entry = root[w0 >>> 16]!;
      // All ones for a wide node. Everything else reads node 0 instead, and keeps its entry.
      const mask = -(entry >>> KIND_SHIFT === WIDE_POINTER ? 1 : 0);
      //     mask -1    node: | changes, rank | ... 2,048 pairs ... | entries |      the entry of the slot
      //     mask  0    node, slot, word, rank and the offset of the entry are 0, and `& mask` drops what was read there
      // (2 << slot) - 1 has the bits up to and including the slot's, modulo 32; for slot 31 it is -1, all of them.
      const node = entry & OFFSET_MASK & mask;
      const slot = w0 & 0xffff & mask;
      const word = node + 2 * (slot >>> 5);
      const rank = (nodes[word + 1]! + popcount(nodes[word]! & ((2 << slot) - 1))) & mask;
      entries[lane] = (nodes[(node + WIDE_WORDS - 1 + rank) & mask]! & mask) | (entry & ~mask) | 0;
    }
    for (let lane = 0; lane < GROUP; lane++) {
      const at = 4 * (i + lane);
      const w0 = words[at]!;
      const wasWide = root[w0 >>> 16]! >>> KIND_SHIFT === WIDE_POINTER;
      const entry = entries[lane]!;
      out[i + lane] =
        entry >= 0
          ? entry
          : walk6(nodes, entry, w0 | 0, words[at + 1]! | 0, words[at + 2]! | 0, words[at + 3]! | 0, wasWide ? 32 : 16);
    }
  }
  const shift = root.length > 1 ? 0 : 16;
  for (; i < count; i++) {
    const at = 4 * i;
    const w0 = words[at]!;
    out[i] = walk6(
      nodes,
      root[(w0 >>> 16) >>> shift]!,
      w0 | 0,
      words[at + 1]! | 0,
      words[at + 2]! | 0,
      words[at + 3]! | 0,
      16 - shift,
    );
  }
}
