import { addressBits, type Family } from "../address/address.ts";
import { type HashedBlock, readHashedNode } from "./_hashed-node.ts";
import { type HostsForm, wordsOfHosts } from "./_hosts.ts";
import { pointsWords, separatorWords } from "./_walk.ts";
import { popcount } from "./popcount.ts";
import { addressAfter, compareWords, endsAt, withBits, type Words } from "./_words.ts";
import {
  BITMAP_BITS,
  BITMAP_HEADER_WORDS,
  KIND_MASK,
  KIND_SHIFT,
  LIST_BITS,
  LIST_KEYS,
  NODE_BITMAP,
  NODE_HASHED,
  NODE_LIST,
  NODE_POINTS,
  NODE_SKIP,
  NODE_TREE,
  NODE_WIDE,
  OFFSET_MASK,
  POINTS_BITS,
  POINTS_CONSECUTIVE,
  POINTS_EACH,
  POINTS_HEADER_WORDS,
  POINTS_SIZE_MASK,
  POINTS_SIZE_SHIFT,
  POINTS_STORED_SHIFT,
  SKIP_UNIT,
  TREE_KEYS,
  WIDE_BITS,
  WIDE_WORDS,
} from "./layout.ts";
import { type KindCounts, noKinds } from "./_kind-counts.ts";
import { type MatchId, NO_MATCH } from "./match-id.ts";
import type { SectionName } from "./sections.ts";
import { TableError } from "./table-error.ts";

/** One family's part of a table. */
export interface FamilyIndex {
  readonly family: Family;
  readonly root: Int32Array;
  readonly nodes: Int32Array;
  /** What precedes the nodes, if anything does. */
  readonly hosts: HostsForm | null;
}

/** What goes over a family's segments in order. */
export interface Walk {
  /** Addresses from `start` up to the next segment's have the longest-prefix match `match`. */
  readonly start: Words;
  readonly match: MatchId;
  /** The nodes that lead to the segment, as `nodesOnPath` reads them. */
  readonly path: number;
  /** The nodes so far by kind, without visits. */
  readonly use: KindCounts;
  /**
   * Moves to the next segment, to the first one at first; false after the last. Throws `TableError` at what `freeze`
   * would not have written.
   */
  advance(): boolean;
}

/** An entry still to be visited: where it begins and how many leading bits are decided there. */
interface Pending {
  readonly entry: number;
  readonly key: Words;
  readonly depth: number;
  /** As that of `SegmentWalk`. */
  readonly path: number;
}

/** No path has more nodes than 15: IPv4 is decided 6 bits a node at the least, IPv6 16. */
const PATH_BITS = 4;

/** How many nodes of a kind a path has. */
export function nodesOnPath(path: number, kind: number): number {
  return (path >>> (kind * PATH_BITS)) & 15;
}

/**
 * Reads the segments back out of root and nodes, in address order, checking every node on the way: kinds, counts, key order,
 * and that nodes are stored in the order in which this walk meets them:
 *
 *     nodes   | root's first child | its first child ... | its second child ... | root's second child | ...
 *             ^ nextNode: where the next node met must begin; it moves to the end of that node
 *
 * `nextNode` only increases and is compared at every node and at the end. A walk that ends has therefore seen each word
 * exactly once: no cycle, no node shared, nothing out of bounds, nothing unreachable. It takes O(words) time and, with
 * the entries of at most one node a level pending, O(depth) nodes' memory, whatever the words are.
 */
export class SegmentWalk implements Walk {
  start: Words = [0, 0, 0, 0];
  match: MatchId = NO_MATCH;
  path = 0;
  readonly use: KindCounts = noKinds();
  readonly #index: FamilyIndex;
  readonly #bits: number;
  readonly #matchCount: number;
  readonly #section: SectionName;
  readonly #rootBits: number;
  readonly #stack: Pending[] = [];
  /** What is left of the hashed node at hand, which may be most of the table: its entries are leaves, met one by one. */
  #blocks: Iterator<Pending> | null = null;
  #nextSlot = 0;
  #nextNode = 0;

  constructor(index: FamilyIndex, matchCount: number) {
    this.#index = index;
    this.#bits = addressBits(index.family);
    this.#matchCount = matchCount;
    this.#section = index.family === 4 ? "nodes4" : "nodes6";
    this.#rootBits = Math.log2(index.root.length);
    this.#nextNode = index.hosts === null ? 0 : wordsOfHosts(index.hosts);
  }

  advance(): boolean {
    for (let pending = this.#next(); pending !== undefined; pending = this.#next()) {
      if (pending.entry < 0) {
        for (const child of this.#children(pending).reverse()) this.#stack.push(child);
        continue;
      }
      if (pending.entry > this.#matchCount) this.#corrupt(`a leaf names match ${pending.entry} of ${this.#matchCount}`);
      this.start = pending.key;
      this.match = pending.entry as MatchId; // a leaf: checked just now
      this.path = pending.path;
      return true;
    }
    if (this.#nextNode !== this.#index.nodes.length)
      this.#corrupt(`its last ${this.#index.nodes.length - this.#nextNode} words belong to no node`);
    return false;
  }

  #next(): Pending | undefined {
    const block = this.#blocks?.next();
    if (block?.done === false) return block.value;
    this.#blocks = null;
    if (this.#stack.length === 0) this.#nextRoot();
    return this.#stack.pop();
  }

  /** Takes up the next entry of the root, if there is one. Equal neighbours are one segment; only leaves can be equal. */
  #nextRoot(): void {
    //     root   | a | a | a | ->node | ->node' | b |      a: one segment of three slots; nodes are never equal, since
    //                                                        each is stored once
    const { root } = this.#index;
    let slot = this.#nextSlot;
    while (slot > 0 && isLeaf(root[slot]) && root[slot] === root[slot - 1]) slot++;
    this.#nextSlot = slot + 1;
    const entry = root[slot];
    if (entry === undefined) return;
    this.#stack.push({
      entry,
      key: [(slot << (32 - this.#rootBits)) >>> 0, 0, 0, 0],
      depth: this.#rootBits,
      path: 0,
    });
  }

  #children(parent: Pending): Pending[] {
    const node = parent.entry & OFFSET_MASK;
    if (node !== this.#nextNode)
      this.#corrupt(`a node at word ${node} where the one at word ${this.#nextNode} should follow`);
    const kind = (parent.entry >>> KIND_SHIFT) & KIND_MASK;
    const children = this.#childrenOf(kind, parent, node);
    this.use.nodes[kind]!++;
    this.use.words[kind]! += this.#nextNode - node;
    return children;
  }

  #childrenOf(kind: number, parent: Pending, node: number): Pending[] {
    if (kind === NODE_LIST) return this.#listChildren(parent, node);
    if (kind === NODE_TREE) return this.#treeChildren(parent, node);
    if (kind === NODE_POINTS) return this.#pointsChildren(parent, node);
    if (kind === NODE_BITMAP && this.#bits === 32) return this.#bitmapChildren(parent, node);
    if (kind === NODE_WIDE && this.#bits === 128) return this.#wideChildren(parent, node);
    if (kind === NODE_SKIP && this.#bits === 128) return this.#skipChildren(parent, node);
    if (kind === NODE_HASHED && this.#bits === 128) return this.#hashedChildren(parent, node);
    return this.#corrupt(`a node of kind ${kind} at word ${node}`);
  }

  #bitmapChildren(parent: Pending, node: number): Pending[] {
    const changes = this.#words(node, BITMAP_HEADER_WORDS);
    return this.#slotChildren(parent, node, BITMAP_HEADER_WORDS, bitmapSlots(changes), BITMAP_BITS);
  }

  #listChildren(parent: Pending, node: number): Pending[] {
    const count = this.#word(node);
    if (count < 2 || count > LIST_KEYS + 1) this.#corrupt(`a list node of ${count} entries at word ${node}`);
    return this.#sortedChildren(parent, node, 1, count);
  }

  #treeChildren(parent: Pending, node: number): Pending[] {
    const count = this.#word(node);
    if (count <= LIST_KEYS + 1 || count > TREE_KEYS + 1)
      this.#corrupt(`a tree node of ${count} entries at word ${node}`);
    const header = 1 + separatorWords(count);
    const separators = keysIn(this.#words(node + 1, header - 1));
    const keys = keysIn(this.#words(node + header, count >>> 1));
    for (const [i, separator] of separators.entries()) {
      // After the last separator there may be half a word of padding.
      const expected = i < (count - 1) >>> 4 ? keys[16 * i + 15] : 0;
      if (separator !== expected)
        this.#corrupt(`a separator that is not the last key of its block in the tree node at word ${node}`);
    }
    return this.#sortedChildren(parent, node, header, count);
  }

  /**
   * The entries of a node with `count` entries after sorted keys, which begin `header` words after the node's start.
   */
  #sortedChildren(parent: Pending, node: number, header: number, count: number): Pending[] {
    const keyWords = count >>> 1;
    const keys = keysIn(this.#words(node + header, keyWords));
    if ((count & 1) === 0 && keys.at(-1) !== 0)
      this.#corrupt(`padding that is not zero after the keys of the node at word ${node}`);
    return this.#slotChildren(parent, node, header + keyWords, [0, ...keys.slice(0, count - 1)], LIST_BITS);
  }

  /** Each point, and the background before, between and after them. */
  #pointsChildren(parent: Pending, node: number): Pending[] {
    const [background, first] = [this.#word(node), this.#word(node + 1)];
    const form = this.#word(node + POINTS_HEADER_WORDS) & 0xffff;
    const count = (form & 0xff) + 1;
    const size = 2 ** ((form >>> POINTS_SIZE_SHIFT) & POINTS_SIZE_MASK);
    const stored = form >>> POINTS_STORED_SHIFT;
    const header = pointsWords(count);
    const [, ...keys] = keysIn(this.#words(node + POINTS_HEADER_WORDS, header - POINTS_HEADER_WORDS));
    if (stored > POINTS_EACH || background < 0 || first < 0 || (stored === POINTS_EACH && first !== 0))
      this.#corrupt(`a form, a background or a first entry that no points node has at word ${node}`);
    if (keys.length > count && keys.pop() !== 0)
      this.#corrupt(`padding that is not zero after the keys of the node at word ${node}`);
    const entries = this.#words(node + header, stored === POINTS_EACH ? count : 0);
    this.#nextNode = node + header + entries.length;
    const depth = parent.depth + POINTS_BITS;
    const path = pathThrough(parent, NODE_POINTS);
    const children: Pending[] = [];
    const push = (slot: number, entry: number): void =>
      void children.push({ entry, key: this.#withBits(parent.key, slot, depth, node), depth, path });
    let end = 0; // of the points before
    for (const [i, key] of keys.entries()) {
      if (key < end || key % size !== 0)
        this.#corrupt(`the keys of the node at word ${node} do not ascend by its size`);
      const entry = stored === POINTS_EACH ? entries[i]! : first + (stored === POINTS_CONSECUTIVE ? i : 0);
      if (entry < 0 && size > 1) this.#corrupt(`a point of ${size} slots leads to a node at word ${node}`);
      if (key > end) push(end, background);
      push(key, entry);
      end = key + size;
    }
    if (end < 2 ** POINTS_BITS) push(end, background);
    return children;
  }

  /** None on the stack: `#blocks` has them. */
  #hashedChildren(parent: Pending, node: number): Pending[] {
    const content = readHashedNode(this.#index.nodes, node, parent);
    if (typeof content === "string") this.#corrupt(`${content} in the hashed node at word ${node}`);
    this.#nextNode = content.end;
    this.#blocks = pendingBlocks(content.blocks(), content.length, pathThrough(parent, NODE_HASHED));
    return [];
  }

  #wideChildren(parent: Pending, node: number): Pending[] {
    const pairs = this.#words(node, WIDE_WORDS);
    const changes = pairs.filter((_, i) => i % 2 === 0);
    let rank = 0;
    for (let i = 0; i < changes.length; i++) {
      if (pairs[2 * i + 1] !== rank) this.#corrupt(`a wrong rank in the wide node at word ${node}`);
      rank += popcount(changes[i]!);
    }
    return this.#slotChildren(parent, node, WIDE_WORDS, bitmapSlots(changes), WIDE_BITS);
  }

  /** The entries of a node that is indexed by `width` bits; they begin `header` words after the node. */
  #slotChildren(parent: Pending, node: number, header: number, slots: number[], width: number): Pending[] {
    if (slots[0] !== 0) this.#corrupt(`the node at word ${node} does not begin at slot 0`);
    const entries = this.#words(node + header, slots.length);
    this.#nextNode = node + header + slots.length;
    const depth = parent.depth + width;
    const path = pathThrough(parent, (parent.entry >>> KIND_SHIFT) & KIND_MASK);
    let before = -1;
    return slots.map((slot, i) => {
      if (slot <= before) this.#corrupt(`the keys of the node at word ${node} do not ascend`);
      before = slot;
      return { entry: entries[i]!, key: this.#withBits(parent.key, slot, depth, node), depth, path };
    });
  }

  #skipChildren(parent: Pending, node: number): Pending[] {
    const [bits, below, above] = [this.#word(node), this.#word(node + 1), this.#word(node + 2)];
    const depth = parent.depth + bits;
    if (bits < SKIP_UNIT || bits % SKIP_UNIT !== 0 || depth > this.#bits)
      this.#corrupt(`a skip node of ${bits} bits at depth ${parent.depth}`);
    const expected = this.#words(node + 3, (bits + 31) >>> 5);
    this.#nextNode = node + 4 + expected.length;
    const entry = this.#word(this.#nextNode - 1);
    let key = parent.key;
    for (let i = 0; i < expected.length; i++)
      key = this.#withBits(key, expected[i]! >>> 0, parent.depth + 32 * (i + 1), node);
    if (!endsAt(key, depth)) this.#corrupt(`the skip node at word ${node} expects more than its ${bits} bits`);
    // Below the expected key, at it, and above it; the outer two only where the parent's range has addresses there.
    const path = pathThrough(parent, NODE_SKIP);
    const children: Pending[] = [{ entry, key, depth, path }];
    if (compareWords(key, parent.key) !== 0) children.unshift({ entry: below, key: parent.key, depth, path });
    const after = addressAfter(key, depth);
    const end = addressAfter(parent.key, parent.depth);
    if (after !== null && (end === null || compareWords(after, end) < 0))
      children.push({ entry: above, key: after, depth, path });
    if (below < 0 || above < 0) this.#corrupt(`the skip node at word ${node} has a node below or above its key`);
    return children;
  }

  /** The key with bits whose last one is bit `end` of the address; those past the address must be zero. */
  #withBits(key: Words, bits: number, end: number, node: number): Words {
    // The last node of a walk may reach past the address, as bits [30, 36) of 32 do: the slots it has then
    // differ in the bits that there are, and the others are zeros.
    const past = end - this.#bits;
    if (past <= 0) return withBits(key, bits, end);
    if (bits % 2 ** past !== 0)
      this.#corrupt(`the node at word ${node} distinguishes addresses by bits that they do not have`);
    return withBits(key, bits / 2 ** past, this.#bits);
  }

  #word(at: number): number {
    return this.#index.nodes[at] ?? this.#corrupt(`a node runs past the end at word ${at}`);
  }

  #words(at: number, count: number): Int32Array {
    if (at + count > this.#index.nodes.length) this.#corrupt(`a node runs past the end at word ${at}`);
    return this.#index.nodes.subarray(at, at + count);
  }

  #corrupt(what: string): never {
    throw new TableError("bad-node", this.#section, what);
  }
}

/** The path of what is below a node of this kind. */
export function pathThrough({ path }: { readonly path: number }, kind: number): number {
  return path + (1 << (kind * PATH_BITS));
}

function isLeaf(entry: number | undefined): boolean {
  return entry !== undefined && entry >= 0;
}

/** The 16-bit keys that are stored two to a word, the low half first. */
function keysIn(words: Int32Array): number[] {
  //     bit 31          16 15           0
  //         |  key 2i + 1   |    key 2i     |
  return [...words].flatMap((word) => [word & 0xffff, word >>> 16]);
}

/**
 * The positions of the set bits of a bitmap, ascending. `left & -left` is the lowest set bit and `left & (left - 1)` is
 * what remains without it (Hacker's Delight, 2-1).
 */
function bitmapSlots(words: Int32Array): number[] {
  const slots = [];
  for (let i = 0; i < words.length; i++) {
    for (let left = words[i]!; left !== 0; left &= left - 1) slots.push(i * 32 + 31 - Math.clz32(left & -left));
  }
  return slots;
}

function* pendingBlocks(blocks: Iterable<HashedBlock>, depth: number, path: number): Generator<Pending> {
  for (const { key, entry } of blocks) yield { entry, key, depth, path };
}
