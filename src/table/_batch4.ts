import { bitmapEntry, walk4 } from "./_walk.ts";
import { KIND_SHIFT, NODE_BITMAP, NODE_FLAG, OFFSET_MASK } from "./layout.ts";

/** Addresses whose steps are done together: their entries and places stay in the first-level cache. */
const GROUP = 512;

/** Where in the group the addresses are that a root slot sends to a bitmap node. */
const waiting = new Uint16Array(GROUP);

const BITMAP_POINTER = (NODE_FLAG >>> KIND_SHIFT) | NODE_BITMAP;

/**
 * Looks up `count` IPv4 addresses, a group at a time and each step for all of a group: first the root, then the nodes of
 * those that need one. A lookup is three dependent reads, each likely a cache miss, and a processor has several of them under way at
 * once only while it need not guess where a branch goes. So which addresses go on is written down without a branch: each
 * place is written, and kept by moving on (DESIGN.md, "Batch lookups"). What is rare below that goes alone.
 */
export function lookupBatch4(root: Int32Array, nodes: Int32Array, words: Uint32Array, out: Uint32Array, count: number): void {
  const shift = Math.clz32(root.length) + 1;
  const depth = 32 - shift;
  for (let start = 0; start < count; start += GROUP) {
    const end = Math.min(start + GROUP, count);
    let places = 0;
    for (let i = start; i < end; i++) {
      const entry = root[words[i] >>> shift];
      out[i] = entry;
      waiting[places] = i - start;
      places += entry >>> 31;
    }
    for (let place = 0; place < places; place++) {
      const i = start + waiting[place];
      const address = words[i] | 0;
      let entry = out[i] | 0;
      let below = depth;
      if (entry >>> KIND_SHIFT === BITMAP_POINTER) {
        entry = nodes[bitmapEntry(nodes, entry & OFFSET_MASK, (address << depth) >>> 26)] | 0;
        below += 6;
      }
      out[i] = entry < 0 ? walk4(nodes, entry, address, below) : entry;
    }
  }
}
