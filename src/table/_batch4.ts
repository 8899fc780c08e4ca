import { walk4 } from "./_walk.ts";
import { BITMAP_HEADER_WORDS, OFFSET_MASK } from "./layout.ts";

/**
 * The header, the largest rank that a byte can tell, and the bits of a change word: reading any slot of node 0 stays inside
 * nodes of this many words, whatever they hold.
 */
const LARGEST_BITMAP_NODE = BITMAP_HEADER_WORDS + 256 + 32;

/**
 * Looks up `count` IPv4 addresses. Four go side by side and, up to the first node's entry, without a branch: a lookup is
 * three dependent reads, each likely a cache miss, and a processor has several of them under way at once only while it need
 * not guess where a branch goes. Measured against one address at a time: 1.4 times as fast on hits (DESIGN.md, "Batch lookups").
 *
 * A root leaf goes through the same instructions with node 0 in place of a node of its own, and its result is masked away;
 * other kinds than bitmap in the root (sparse tables) leave the fast path for the whole group.
 */
export function lookupBatch4(root: Int32Array, nodes: Int32Array, words: Uint32Array, out: Uint32Array, count: number): void {
  const shift = Math.clz32(root.length) + 1;
  const depth = 32 - shift;
  let i = 0;
  for (const grouped = nodes.length < LARGEST_BITMAP_NODE ? 0 : count - 3; i < grouped; i += 4) {
    const a0 = words[i] | 0;
    const a1 = words[i + 1] | 0;
    const a2 = words[i + 2] | 0;
    const a3 = words[i + 3] | 0;
    const e0 = root[a0 >>> shift];
    const e1 = root[a1 >>> shift];
    const e2 = root[a2 >>> shift];
    const e3 = root[a3 >>> shift];
    // Bit 31 (a node) together with bit 30 or 29 (its kind is not 0, bitmap) in any of the four.
    if (((e0 & ((e0 << 1) | (e0 << 2))) | (e1 & ((e1 << 1) | (e1 << 2))) | (e2 & ((e2 << 1) | (e2 << 2))) | (e3 & ((e3 << 1) | (e3 << 2)))) < 0) {
      out[i] = walk4(nodes, e0, a0, depth);
      out[i + 1] = walk4(nodes, e1, a1, depth);
      out[i + 2] = walk4(nodes, e2, a2, depth);
      out[i + 3] = walk4(nodes, e3, a3, depth);
      continue;
    }
    // All ones for a node, zero for a leaf.
    const m0 = e0 >> 31;
    const m1 = e1 >> 31;
    const m2 = e2 >> 31;
    const m3 = e3 >> 31;
    const n0 = e0 & OFFSET_MASK & m0;
    const n1 = e1 & OFFSET_MASK & m1;
    const n2 = e2 & OFFSET_MASK & m2;
    const n3 = e3 & OFFSET_MASK & m3;
    const s0 = (a0 << depth) >>> 24;
    const s1 = (a1 << depth) >>> 24;
    const s2 = (a2 << depth) >>> 24;
    const s3 = (a3 << depth) >>> 24;
    // The changes up to and including the slot, in its change word.
    let c0 = nodes[n0 + (s0 >>> 5)] & ((2 << s0) - 1);
    let c1 = nodes[n1 + (s1 >>> 5)] & ((2 << s1) - 1);
    let c2 = nodes[n2 + (s2 >>> 5)] & ((2 << s2) - 1);
    let c3 = nodes[n3 + (s3 >>> 5)] & ((2 << s3) - 1);
    // The rank before that word: byte s >>> 5 of the two rank words.
    const b0 = (nodes[n0 + 8 + (s0 >>> 7)] >>> ((s0 >>> 2) & 24)) & 0xff;
    const b1 = (nodes[n1 + 8 + (s1 >>> 7)] >>> ((s1 >>> 2) & 24)) & 0xff;
    const b2 = (nodes[n2 + 8 + (s2 >>> 7)] >>> ((s2 >>> 2) & 24)) & 0xff;
    const b3 = (nodes[n3 + 8 + (s3 >>> 7)] >>> ((s3 >>> 2) & 24)) & 0xff;
    // popcount, see _walk.ts.
    c0 -= (c0 >>> 1) & 0x5555_5555;
    c1 -= (c1 >>> 1) & 0x5555_5555;
    c2 -= (c2 >>> 1) & 0x5555_5555;
    c3 -= (c3 >>> 1) & 0x5555_5555;
    c0 = (c0 & 0x3333_3333) + ((c0 >>> 2) & 0x3333_3333);
    c1 = (c1 & 0x3333_3333) + ((c1 >>> 2) & 0x3333_3333);
    c2 = (c2 & 0x3333_3333) + ((c2 >>> 2) & 0x3333_3333);
    c3 = (c3 & 0x3333_3333) + ((c3 >>> 2) & 0x3333_3333);
    const r0 = nodes[n0 + 9 + b0 + (Math.imul((c0 + (c0 >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24)];
    const r1 = nodes[n1 + 9 + b1 + (Math.imul((c1 + (c1 >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24)];
    const r2 = nodes[n2 + 9 + b2 + (Math.imul((c2 + (c2 >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24)];
    const r3 = nodes[n3 + 9 + b3 + (Math.imul((c3 + (c3 >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24)];
    let x0 = (r0 & m0) | (e0 & ~m0);
    let x1 = (r1 & m1) | (e1 & ~m1);
    let x2 = (r2 & m2) | (e2 & ~m2);
    let x3 = (r3 & m3) | (e3 & ~m3);
    if (x0 < 0) x0 = walk4(nodes, x0, a0, depth + 8);
    if (x1 < 0) x1 = walk4(nodes, x1, a1, depth + 8);
    if (x2 < 0) x2 = walk4(nodes, x2, a2, depth + 8);
    if (x3 < 0) x3 = walk4(nodes, x3, a3, depth + 8);
    out[i] = x0;
    out[i + 1] = x1;
    out[i + 2] = x2;
    out[i + 3] = x3;
  }
  for (; i < count; i++) out[i] = walk4(nodes, root[words[i] >>> shift], words[i] | 0, depth);
}
