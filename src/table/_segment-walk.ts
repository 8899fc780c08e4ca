import { addressBits, type Family } from "../address/address.ts";
import { popcount } from "./_walk.ts";
import { BITMAP_BITS, BITMAP_CHANGE_WORDS, BITMAP_HEADER_WORDS, KIND_SHIFT, LIST_BITS, NODE_BITMAP, NODE_LIST, NODE_SKIP, OFFSET_MASK, WIDE_BITS, WIDE_WORDS } from "./layout.ts";
import type { SectionName } from "./sections.ts";
import { TableError } from "./table-error.ts";

/** One family's part of a table. */
export interface FamilyIndex {
  readonly family: Family;
  readonly root: Int32Array;
  readonly nodes: Int32Array;
}

/** Addresses from `start` (as one number) up to the next segment's have the longest-prefix match `match`. */
export interface Segment {
  readonly start: bigint;
  readonly match: number;
}

/** An entry still to be visited: where it begins and how many leading bits are decided there. */
interface Pending {
  readonly entry: number;
  readonly key: bigint;
  readonly depth: number;
}

/**
 * Reads the segments back out of the nodes, in address order, checking every node on the way: kinds, counts, key order,
 * and that nodes lie in the order in which this walk meets them, each once and without gaps. A walk that ends has
 * therefore seen each word of the nodes exactly once: no cycle, no sharing, nothing out of bounds, nothing unreachable.
 */
class SegmentWalk {
  readonly #index: FamilyIndex;
  readonly #bits: number;
  readonly #matchCount: number;
  readonly #section: SectionName;
  #nextNode = 0;

  constructor(index: FamilyIndex, matchCount: number) {
    this.#index = index;
    this.#bits = addressBits(index.family);
    this.#matchCount = matchCount;
    this.#section = index.family === 4 ? "nodes4" : "nodes6";
  }

  *segments(): Generator<Segment> {
    const { root } = this.#index;
    const rootBits = Math.log2(root.length);
    for (let slot = 0; slot < root.length; slot++) {
      // Equal neighbours are one segment; only leaves can be equal.
      if (slot > 0 && root[slot] >= 0 && root[slot] === root[slot - 1]) continue;
      yield* this.#below({ entry: root[slot], key: BigInt(slot) << BigInt(this.#bits - rootBits), depth: rootBits });
    }
    if (this.#nextNode !== this.#index.nodes.length) this.#damaged(`its last ${this.#index.nodes.length - this.#nextNode} words belong to no node`);
  }

  *#below(from: Pending): Generator<Segment> {
    const stack = [from];
    for (let pending = stack.pop(); pending !== undefined; pending = stack.pop()) {
      if (pending.entry < 0) {
        stack.push(...this.#children(pending).reverse());
        continue;
      }
      if (pending.entry > this.#matchCount) this.#damaged(`a leaf names match ${pending.entry} of ${this.#matchCount}`);
      yield { start: pending.key, match: pending.entry };
    }
  }

  #children(parent: Pending): Pending[] {
    const node = parent.entry & OFFSET_MASK;
    if (node !== this.#nextNode) this.#damaged(`a node at word ${node} where the one at word ${this.#nextNode} should follow`);
    const kind = (parent.entry >>> KIND_SHIFT) & 3;
    if (kind === NODE_SKIP) return this.#skipChildren(parent, node);
    if (kind === NODE_BITMAP) return this.#bitmapChildren(parent, node);
    if (kind === NODE_LIST) return this.#listChildren(parent, node);
    return this.#wideChildren(parent, node);
  }

  #bitmapChildren(parent: Pending, node: number): Pending[] {
    const changes = this.#words(node, BITMAP_CHANGE_WORDS);
    const ranks = this.#words(node + BITMAP_CHANGE_WORDS, BITMAP_HEADER_WORDS - BITMAP_CHANGE_WORDS);
    let rank = 0;
    for (let i = 0; i < changes.length; i++) {
      if (((ranks[i >>> 2] >>> ((i & 3) << 3)) & 0xff) !== rank) this.#damaged(`a wrong rank in the bitmap node at word ${node}`);
      rank += popcount(changes[i]);
    }
    return this.#slotChildren(parent, node, BITMAP_HEADER_WORDS, bitmapSlots(changes), BITMAP_BITS);
  }

  #listChildren(parent: Pending, node: number): Pending[] {
    const count = this.#words(node, 1)[0];
    if (count < 2 || count > 1 << LIST_BITS) this.#damaged(`a list node of ${count} entries at word ${node}`);
    const keys = this.#words(node + 1, count >>> 1);
    const slots = [0];
    for (let i = 0; i < count - 1; i++) slots.push((keys[i >>> 1] >>> ((i & 1) << 4)) & 0xffff);
    if ((count & 1) === 0 && keys[keys.length - 1] >>> 16 !== 0) this.#damaged(`padding that is not zero in the list node at word ${node}`);
    return this.#slotChildren(parent, node, 1 + keys.length, slots, LIST_BITS);
  }

  #wideChildren(parent: Pending, node: number): Pending[] {
    const pairs = this.#words(node, WIDE_WORDS);
    const changes = pairs.filter((_, i) => i % 2 === 0);
    let rank = 0;
    for (let i = 0; i < changes.length; i++) {
      if (pairs[2 * i + 1] !== rank) this.#damaged(`a wrong rank in the wide node at word ${node}`);
      rank += popcount(changes[i]);
    }
    return this.#slotChildren(parent, node, WIDE_WORDS, bitmapSlots(changes), WIDE_BITS);
  }

  /** The entries of a node that is indexed by `width` bits; they begin `header` words after the node. */
  #slotChildren(parent: Pending, node: number, header: number, slots: number[], width: number): Pending[] {
    if (slots[0] !== 0) this.#damaged(`the node at word ${node} does not begin at slot 0`);
    const entries = this.#words(node + header, slots.length);
    this.#nextNode = node + header + slots.length;
    return slots.map((slot, i) => {
      if (i > 0 && slot <= slots[i - 1]) this.#damaged(`the keys of the node at word ${node} do not ascend`);
      return { entry: entries[i], key: parent.key | this.#place(slot, parent.depth + width, node), depth: parent.depth + width };
    });
  }

  #skipChildren(parent: Pending, node: number): Pending[] {
    const [bits, below, above] = this.#words(node, 3);
    const depth = parent.depth + bits;
    if (bits < 1 || depth > this.#bits || this.#index.family === 4) this.#damaged(`a skip node of ${bits} bits at depth ${parent.depth}`);
    const expected = this.#words(node + 3, (bits + 31) >>> 5);
    this.#nextNode = node + 4 + expected.length;
    const entry = this.#words(this.#nextNode - 1, 1)[0];
    let key = parent.key;
    for (let i = 0; i < expected.length; i++) key |= this.#place(expected[i] >>> 0, parent.depth + 32 * (i + 1), node);
    const hostBits = BigInt(this.#bits - depth);
    if ((key >> hostBits) << hostBits !== key) this.#damaged(`the skip node at word ${node} expects more than its ${bits} bits`);
    const children: Pending[] = [{ entry, key, depth }];
    if (key !== parent.key) children.unshift({ entry: below, key: parent.key, depth });
    const after = key + (1n << hostBits);
    if (after < parent.key + (1n << BigInt(this.#bits - parent.depth))) children.push({ entry: above, key: after, depth });
    if (below < 0 || above < 0) this.#damaged(`the skip node at word ${node} leads aside to a node`);
    return children;
  }

  /** Bits whose last one is bit `end` of the address, as part of a key; those past the address must be zero. */
  #place(bits: number, end: number, node: number): bigint {
    const shift = this.#bits - end;
    if (shift >= 0) return BigInt(bits) << BigInt(shift);
    if (bits % 2 ** -shift !== 0) this.#damaged(`the node at word ${node} tells addresses apart by bits that they do not have`);
    return BigInt(bits) >> BigInt(-shift);
  }

  #words(at: number, count: number): Int32Array {
    if (at + count > this.#index.nodes.length) this.#damaged(`a node runs past the end at word ${at}`);
    return this.#index.nodes.subarray(at, at + count);
  }

  #damaged(what: string): never {
    throw new TableError("bad-node", this.#section, what);
  }
}

/** The positions of the set bits of a bitmap. */
function bitmapSlots(words: Int32Array): number[] {
  const slots = [];
  for (let i = 0; i < words.length; i++) {
    for (let left = words[i]; left !== 0; left &= left - 1) slots.push(i * 32 + 31 - Math.clz32(left & -left));
  }
  return slots;
}

/** The segments of an index in order. Throws `TableError` at the first thing that `freeze` would not have written. */
export function walkSegments(index: FamilyIndex, matchCount: number): Generator<Segment> {
  return new SegmentWalk(index, matchCount).segments();
}
