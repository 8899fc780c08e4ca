import type { Hosts } from "./_hosts.ts";
import { bitmapEntry, walk4 } from "./_walk.ts";
import { OFFSET_MASK } from "./layout.ts";

/**
 * Addresses whose steps are done together: 512 x (4 + 4 + 2 + 2) bytes, 6 KiB, stay in the first-level cache. Indices into
 * the group fit 16 bits.
 */
const GROUP = 512;

/**
 * The addresses of a group (`out` may be `words`), the root's entries for them, and which of them it sends to a bitmap
 * node, and to another one.
 */
const addresses = new Int32Array(GROUP);
const entries = new Int32Array(GROUP);
const bitmaps = new Uint16Array(GROUP);
const others = new Uint16Array(GROUP);

/**
 * Looks up `count` IPv4 addresses, a group at a time and each step for all of a group: first the root, then the nodes
 * of those that need one, four side by side. A lookup is three dependent reads, each likely a cache miss, and a
 * processor has several of them under way at once only while it need not guess where a branch goes. So which addresses
 * go on is recorded without a branch: each index is written, and kept by advancing the count (docs/design/kernel.md).
 * The count never passes i, so that the write stays inside the group. What is rare is walked alone.
 *
 * `start + i` is below `count`, which the caller has checked against `words` and `out`; a root of 2^b slots is indexed by
 * 32 - (clz32(2^b) + 1) = b bits; what was stored in the group's arrays is below `size`. So reads exist, except that of
 * `nodes` in a corrupt table (see `_walk.ts`), where undefined is stored as 0.
 */
export function lookupBatch4(
  root: Int32Array,
  nodes: Int32Array,
  hosts: Hosts | null,
  words: Uint32Array,
  out: Uint32Array,
  count: number,
): void {
  const shift = Math.clz32(root.length) + 1;
  const depth = 32 - shift;
  if (hosts !== null) {
    for (let i = 0; i < count; i++) {
      const word = words[i]!;
      const host = hosts.matchOf(word);
      out[i] = host >= 0 ? host : walk4(nodes, root[word >>> shift]!, word | 0, depth);
    }
    return;
  }
  for (let start = 0; start < count; start += GROUP) {
    const size = Math.min(GROUP, count - start);
    for (let i = 0; i < size; i++) {
      const address = words[start + i]!;
      addresses[i] = address;
      entries[i] = root[address >>> shift]!;
    }
    let bitmapCount = 0;
    let otherCount = 0;
    for (let i = 0; i < size; i++) {
      const entry = entries[i]!;
      out[start + i] = entry;
      // Bit 31, a node, together with any of the three below, a kind that is not 0.
      const isOther = (entry & ((entry << 1) | (entry << 2) | (entry << 3))) >>> 31;
      bitmaps[bitmapCount] = i;
      bitmapCount += (entry >>> 31) & ~isOther;
      others[otherCount] = i;
      otherCount += isOther;
    }
    let waiting = 0;
    for (; waiting + 3 < bitmapCount; waiting += 4) {
      const i0 = bitmaps[waiting]!;
      const i1 = bitmaps[waiting + 1]!;
      const i2 = bitmaps[waiting + 2]!;
      const i3 = bitmaps[waiting + 3]!;
      const e0 = nodes[bitmapEntry(nodes, entries[i0]! & OFFSET_MASK, (addresses[i0]! << depth) >>> 26)]!;
      const e1 = nodes[bitmapEntry(nodes, entries[i1]! & OFFSET_MASK, (addresses[i1]! << depth) >>> 26)]!;
      const e2 = nodes[bitmapEntry(nodes, entries[i2]! & OFFSET_MASK, (addresses[i2]! << depth) >>> 26)]!;
      const e3 = nodes[bitmapEntry(nodes, entries[i3]! & OFFSET_MASK, (addresses[i3]! << depth) >>> 26)]!;
      out[start + i0] = e0 < 0 ? walk4(nodes, e0, addresses[i0]!, depth + 6) : e0;
      out[start + i1] = e1 < 0 ? walk4(nodes, e1, addresses[i1]!, depth + 6) : e1;
      out[start + i2] = e2 < 0 ? walk4(nodes, e2, addresses[i2]!, depth + 6) : e2;
      out[start + i3] = e3 < 0 ? walk4(nodes, e3, addresses[i3]!, depth + 6) : e3;
    }
    for (; waiting < bitmapCount; waiting++)
      out[start + bitmaps[waiting]!] = walk4(nodes, entries[bitmaps[waiting]!]!, addresses[bitmaps[waiting]!]!, depth);
    for (let other = 0; other < otherCount; other++)
      out[start + others[other]!] = walk4(nodes, entries[others[other]!]!, addresses[others[other]!]!, depth);
  }
}
