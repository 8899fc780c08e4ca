import { finished } from "../turns/finished.ts";
import { type KindCounts, noKinds } from "./_kind-counts.ts";
import { GrowingWords } from "./growing-words.ts";
import { HashedBlocks } from "./_hashed-blocks.ts";
import { type SplitHosts, splittingHosts } from "./_host-buckets.ts";
import { type HostsForm, wordsOfHosts } from "./_hosts.ts";
import { ENTRY_WORDS, PointSet } from "./_point-set.ts";
import { choosingRootBits } from "./_root-sizes.ts";
import type { Segments } from "./_segments.ts";
import { pointsWords, separatorWords } from "./_walk.ts";
import {
  BITMAP_BITS,
  BITMAP_HEADER_WORDS,
  HOST_BUCKETS,
  KIND_MASK,
  KIND_SHIFT,
  LIST_BITS,
  LIST_KEYS,
  NODE_BITMAP,
  NODE_FLAG,
  NODE_HASHED,
  NODE_LIST,
  NODE_POINTS,
  NODE_SKIP,
  NODE_TREE,
  NODE_WIDE,
  OFFSET_MASK,
  POINTS_BITS,
  POINTS_EACH,
  POINTS_HEADER_WORDS,
  POINTS_KEYS,
  POINTS_SIZE_SHIFT,
  POINTS_STORED_SHIFT,
  SKIP_UNIT,
  TREE_KEYS,
  WIDE_BITS,
  WIDE_WORDS,
} from "./layout.ts";

/** Changes are scattered when more than one in four is not at a slot of a bitmap node. */
const SCATTERED = 4;
/**
 * From this many shared bits on a skip node (5 words for 32 bits) is smaller than a chain of lists, one for every 16
 * bits (1 count + 1 word of keys + up to 3 entries each).
 */
const SKIP_FROM = 32;

/** Segments that are worked through between two interruptions: some hundred microseconds. */
const STEP = 1 << 12;
/** The first bits of the root, by which it is cut so that no step goes over all segments. */
const FIRST_BITS = 8;

/** In place of a pointer, which is negative: these segments are no hashed node. */
const NOT_HASHED = 0;

/** Which kinds of nodes are preferred where several could stand. */
export interface NodeRules {
  /** Sorted keys in place of slots, whatever the changes look like: no bitmap where a list or tree is enough, no wide node. */
  readonly sortedKeys: boolean;
}

/** Sorted keys for scattered changes only. */
export const MIXED_NODES: NodeRules = { sortedKeys: false };

export interface Index {
  readonly root: Int32Array;
  readonly nodes: Int32Array;
  readonly use: KindCounts;
  /** What precedes the nodes, if anything does. */
  readonly hosts: HostsForm | null;
}

/**
 * Builds a family's root and nodes from its segments, depth first, so that a node's children follow it closely and
 * `SegmentWalk` can demand that order.
 *
 * A node is made for segments [first, end) at a depth: the segments that hold somewhere among the addresses that share
 * the bits before that depth. Each step hands every child a smaller range or a greater depth, and at full depth a range
 * is one segment, since segments begin at different addresses: so the recursion ends, 32 / 6 or 128 / 16 levels down.
 *
 * Segment indices stay below `count` and stack offsets below the stack's length; reads of both exist (`!`).
 */
class NodeBuilder {
  readonly #segments: Segments;
  readonly #split: SplitHosts | null;
  readonly #bits: number;
  readonly #rootBits: number;
  readonly #sortedKeys: boolean;
  readonly #use = noKinds();
  readonly #nodes: GrowingWords;
  // Partitions of the nodes under construction, a stack: each node's entries lie on top while its children are built.
  readonly #stack = new GrowingWords(1 << 12);
  readonly #pointSet = new PointSet();
  readonly #hashedBlocks: HashedBlocks;
  /** Segments since the last interruption. */
  #work = 0;
  /** Of the node that was started last: where its entries go, their number, the depth from which they are seen. */
  #entriesAt = 0;
  #entries = 0;
  #childDepth = 0;

  /** `split`: hosts that are written before the nodes; `segments` are what is left. */
  constructor(segments: Segments, rootBits: number, rules: NodeRules, split: SplitHosts | null = null) {
    this.#segments = segments;
    this.#split = split;
    this.#hashedBlocks = new HashedBlocks(segments);
    this.#sortedKeys = rules.sortedKeys;
    this.#rootBits = rootBits;
    this.#bits = segments.wordsPerKey * 32;
    this.#nodes = new GrowingWords((split === null ? 0 : wordsOfHosts(split.form)) + segments.count * 2);
  }

  *building(): Generator<undefined, Index, undefined> {
    if (this.#split !== null) yield* this.#writeHosts(this.#split);
    const root = new Int32Array(1 << this.#rootBits);
    if (this.#rootBits === 0) root[0] = yield* this.#entryInSteps(0, this.#segments.count, 0);
    else yield* this.#fillRoot(root, 0, 0, this.#segments.count, 0);
    return { root, nodes: this.#nodes.written(), use: this.#use, hosts: this.#split?.form ?? null };
  }

  *#writeHosts({ form, writing }: SplitHosts): Generator<undefined, void, undefined> {
    this.#nodes.reserve(wordsOfHosts(form));
    yield* writing(this.#nodes.written());
    this.#use.nodes[HOST_BUCKETS] = 1;
    this.#use.words[HOST_BUCKETS] = this.#nodes.length;
    this.#use.visits[HOST_BUCKETS] = form.hosts + this.#segments.count;
  }

  /**
   * Fills root slots from `start` on for segments [first, end), which begin with the same `depth` bits: by the first
   * bits, then by the rest of them, so that a step has few segments in each.
   */
  *#fillRoot(
    root: Int32Array,
    start: number,
    first: number,
    end: number,
    depth: number,
  ): Generator<undefined, void, undefined> {
    const width = depth === 0 && this.#rootBits > FIRST_BITS ? FIRST_BITS : this.#rootBits - depth;
    const left = this.#rootBits - depth - width;
    const base = this.#stack.length;
    const entries = this.#partition(first, end, depth, width);
    for (let i = 0; i < entries; i++) {
      const at = base + i * ENTRY_WORDS;
      const from = start + (this.#stack.words[at]! << left);
      const to = start + ((i + 1 < entries ? this.#stack.words[at + ENTRY_WORDS]! : 1 << width) << left);
      const [one, next] = [this.#stack.words[at + 1]!, this.#stack.words[at + 2]!];
      if (left > 0 && next - one > 1) yield* this.#fillRoot(root, from, one, next, depth + width);
      else root.fill(yield* this.#entryInSteps(one, next, this.#rootBits), from, to);
    }
    this.#pop(entries);
  }

  /**
   * Splits segments [first, end) by the `width` bits at `depth` and pushes an entry for every slot at which the answer
   * may change: (slot, first', end'), where segment first' holds at the slot's first address. More than one segment
   * means that the slot needs a child; after it the child's last segment continues in an entry of its own. Returns the
   * number of entries.
   *
   *     slots        0       1       2       3       4       5
   *              |-------|-------|-------|-------|-------|-------|
   *     segments | A         | B   | C                   | D
   *     entries  0: A    1: A B C        2: C            5: D       (1 is a child; 2 is C continued; 3 and 4 are equal to 2)
   */
  #partition(first: number, end: number, depth: number, width: number): number {
    const base = this.#stack.length;
    let slot = 0;
    let next = first + 1;
    for (;;) {
      // Invariant: entries before `slot` are pushed, segment `first` holds at the slot's first address, and `next` is
      // the first segment that begins after that address.
      next = this.#endOf(slot, next, end, depth, width);
      this.#pushEntry(slot, first, next);
      const continues = next === end ? slot + 1 < 2 ** width : this.#bitsOf(next, depth, width) > slot + 1;
      if (next - first > 1 && continues) this.#pushEntry(slot + 1, next - 1, next);
      if (next === end) return (this.#stack.length - base) / ENTRY_WORDS;
      slot = this.#bitsOf(next, depth, width);
      // A segment that begins inside the slot leaves the slot's first address to the one before it.
      first = this.#isAligned(next, depth + width) ? next++ : next - 1;
    }
  }

  /**
   * The first segment from `next` on that begins after the slot, or `end`; since starts ascend, by steps that double
   * and then by halves. O(log) of the segments passed.
   */
  #endOf(slot: number, next: number, end: number, depth: number, width: number): number {
    if (next === end || this.#bitsOf(next, depth, width) !== slot) return next;
    // Invariant: `low` is in the slot; `high` is not, or is the end.
    let low = next;
    let high = low + 1;
    for (let step = 1; high < end && this.#bitsOf(high, depth, width) === slot; high = low + step) {
      low = high;
      step *= 2;
    }
    high = Math.min(high, end);
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if (this.#bitsOf(middle, depth, width) === slot) low = middle;
      else high = middle;
    }
    return high;
  }

  #pushEntry(slot: number, first: number, end: number): void {
    const at = this.#stack.reserve(ENTRY_WORDS);
    const { words } = this.#stack;
    words[at] = slot;
    words[at + 1] = first;
    words[at + 2] = end;
  }

  /** The entry word for segments [first, end) seen from `depth`: a leaf for one segment, a new node for more. */
  #entry(first: number, end: number, depth: number): number {
    if (end - first === 1) return this.#segments.matches[first]!;
    const hashed = this.#mayBeHashed(first, end, depth) ? finished(this.#hashing(first, end, depth)) : NOT_HASHED;
    if (hashed !== NOT_HASHED) return hashed;
    const pointer = this.#begin(first, end, depth);
    const [entriesAt, entries, childDepth] = [this.#entriesAt, this.#entries, this.#childDepth];
    const base = this.#stack.length - entries * ENTRY_WORDS;
    for (let i = 0; i < entries; i++) {
      const from = base + i * ENTRY_WORDS;
      const entry = this.#entry(this.#stack.words[from + 1]!, this.#stack.words[from + 2]!, childDepth);
      this.#nodes.words[entriesAt + i] = entry;
    }
    this.#pop(entries);
    return pointer;
  }

  /** The same, with an interruption after every `STEP` segments or so. */
  *#entryInSteps(first: number, end: number, depth: number): Generator<undefined, number, undefined> {
    this.#work += end - first;
    if (this.#work > STEP) {
      this.#work = 0;
      yield;
    }
    if (end - first <= STEP) return this.#entry(first, end, depth);
    const hashed = this.#mayBeHashed(first, end, depth) ? yield* this.#hashing(first, end, depth) : NOT_HASHED;
    if (hashed !== NOT_HASHED) return hashed;
    const pointer = this.#begin(first, end, depth);
    const [entriesAt, entries, childDepth] = [this.#entriesAt, this.#entries, this.#childDepth];
    const base = this.#stack.length - entries * ENTRY_WORDS;
    for (let i = 0; i < entries; i++) {
      const from = base + i * ENTRY_WORDS;
      const [one, next] = [this.#stack.words[from + 1]!, this.#stack.words[from + 2]!];
      const entry = yield* this.#entryInSteps(one, next, childDepth);
      this.#nodes.words[entriesAt + i] = entry;
    }
    this.#pop(entries);
    return pointer;
  }

  /**
   * Begins a node for segments [first, end): reserves and writes all of it but its entries. Says in `#entriesAt`,
   * `#entries` and `#childDepth` where those belong, how many they are, and from which depth they are seen; their
   * partition is on top of the stack.
   */
  #begin(first: number, end: number, depth: number): number {
    const before = this.#nodes.length;
    const pointer = this.#bits === 32 ? this.#node4(first, end, depth) : this.#node6(first, end, depth);
    this.#countUse(pointer, before, end - first);
    return pointer;
  }

  #countUse(pointer: number, before: number, segments: number): void {
    const kind = (pointer >>> KIND_SHIFT) & KIND_MASK;
    this.#use.nodes[kind]!++;
    this.#use.words[kind]! += this.#nodes.length - before;
    this.#use.visits[kind]! += segments;
  }

  /** Only where blocks may have more bits of their own than a node of another kind decides, and do not share them. */
  #mayBeHashed(first: number, end: number, depth: number): boolean {
    return (
      this.#bits === 128 &&
      this.#hasUnaligned(first, end, depth + LIST_BITS) &&
      this.#sharedBits(first + 1, end - 1, depth) < SKIP_FROM
    );
  }

  /** The whole hashed node for segments [first, end), or `NOT_HASHED`. */
  *#hashing(first: number, end: number, depth: number): Generator<undefined, number, undefined> {
    const blocks = this.#hashedBlocks;
    if (!(yield* blocks.reading(first, end, depth))) return NOT_HASHED;
    const node = this.#nodes.reserve(blocks.words);
    const written = yield* blocks.writing(this.#nodes.words.subarray(node, this.#nodes.length));
    if (!written) {
      this.#nodes.words.fill(0, node, this.#nodes.length);
      this.#nodes.length = node;
      return NOT_HASHED;
    }
    const pointer = this.#pointer(NODE_HASHED, node);
    this.#countUse(pointer, node, end - first);
    return pointer;
  }

  #leaveEntries(entriesAt: number, entries: number, childDepth: number): void {
    this.#entriesAt = entriesAt;
    this.#entries = entries;
    this.#childDepth = childDepth;
  }

  /**
   * A bitmap where its slots decide nearly everything; but scattered changes, such as single addresses, make points or
   * one sorted list.
   */
  #node4(first: number, end: number, depth: number): number {
    const changes = end - first - 1;
    const unaligned = this.#countUnaligned(first, end, depth + BITMAP_BITS);
    if ((unaligned === 0 && !this.#sortedKeys) || changes > 2 * POINTS_KEYS) return this.#bitmap(first, end, depth);
    const entries = this.#partition(first, end, depth, LIST_BITS);
    const scattered = this.#sortedKeys || unaligned * SCATTERED > changes;
    if (scattered && this.#pointsWithin(entries, sortedWords(entries) - 1)) return this.#points(entries, depth);
    if (entries <= (scattered ? TREE_KEYS : LIST_KEYS) + 1) return this.#sorted(entries, depth);
    this.#pop(entries);
    return this.#bitmap(first, end, depth);
  }

  #node6(first: number, end: number, depth: number): number {
    if (this.#hasUnaligned(first, end, depth + LIST_BITS)) {
      const shared = this.#sharedBits(first + 1, end - 1, depth) & -SKIP_UNIT;
      if (shared >= SKIP_FROM) return this.#skip(first, end, depth, shared);
    }
    const entries = this.#partition(first, end, depth, LIST_BITS);
    // A list is compared faster than points, a tree is not; so points in place of one must take half the room.
    const isList = entries <= LIST_KEYS + 1;
    if (this.#pointsWithin(entries, (sortedWords(entries) - 1) >>> (isList ? 1 : 0)))
      return this.#points(entries, depth);
    // Nearly every address comes through the few nodes under the root of a large table: these should be fast rather
    // than small.
    const isUnderRoot = depth === this.#rootBits && depth > 0;
    const maxKeys = isUnderRoot && !this.#sortedKeys ? LIST_KEYS : TREE_KEYS;
    return entries <= maxKeys + 1 ? this.#sorted(entries, depth) : this.#wide(entries, depth);
  }

  #bitmap(first: number, end: number, depth: number): number {
    const entries = this.#partition(first, end, depth, BITMAP_BITS);
    const node = this.#nodes.reserve(BITMAP_HEADER_WORDS + entries);
    const { words } = this.#nodes;
    for (let i = 0; i < entries; i++) {
      const slot = this.#slotOf(i, entries);
      words[node + (slot >>> 5)]! |= 1 << (slot & 31);
    }
    this.#leaveEntries(node + BITMAP_HEADER_WORDS, entries, depth + BITMAP_BITS);
    return this.#pointer(NODE_BITMAP, node);
  }

  /** The partition on top as a list node or, if its keys are too many for one, a tree. */
  #sorted(entries: number, depth: number): number {
    const isTree = entries - 1 > LIST_KEYS;
    const separators = isTree ? separatorWords(entries) : 0;
    const keyWords = entries >>> 1;
    const node = this.#nodes.reserve(1 + separators + keyWords + entries);
    const { words } = this.#nodes;
    words[node] = entries;
    const keys = node + 1 + separators;
    for (let key = 0; key < entries - 1; key++) {
      const slot = this.#slotOf(key + 1, entries);
      words[keys + (key >>> 1)]! |= slot << ((key & 1) << 4); // the low half first
      if (isTree && (key & 15) === 15) words[node + 1 + (key >>> 5)]! |= slot << (key & 16);
    }
    this.#leaveEntries(keys + keyWords, entries, depth + LIST_BITS);
    return this.#pointer(isTree ? NODE_TREE : NODE_LIST, node);
  }

  /** Whether the partition on top, of 16 bits, is points that take at most so many words. */
  #pointsWithin(entries: number, mostWords: number): boolean {
    const base = this.#stack.length - entries * ENTRY_WORDS;
    const isRead = this.#pointSet.read(this.#stack.words, base, entries, this.#segments.matches);
    return isRead && this.#pointSet.words <= mostWords;
  }

  /** The partition on top as the points that `#pointsWithin` has read. */
  #points(entries: number, depth: number): number {
    const { background, first, size, count, stored, points, words: length } = this.#pointSet;
    const node = this.#nodes.reserve(length);
    const { words } = this.#nodes;
    words[node] = background;
    words[node + 1] = first;
    words[node + POINTS_HEADER_WORDS] = (count - 1) | (size << POINTS_SIZE_SHIFT) | (stored << POINTS_STORED_SHIFT);
    for (let half = 1; half <= count; half++) {
      const key = points.words[(half - 1) * ENTRY_WORDS]!;
      words[node + POINTS_HEADER_WORDS + (half >>> 1)]! |= key << ((half & 1) << 4);
    }
    // Of the partition remain the points whose entries are still to be made.
    this.#pop(entries);
    const left = stored === POINTS_EACH ? count : 0;
    const at = this.#stack.reserve(left * ENTRY_WORDS);
    for (let word = 0; word < left * ENTRY_WORDS; word++) this.#stack.words[at + word] = points.words[word]!;
    this.#leaveEntries(node + pointsWords(count), left, depth + POINTS_BITS);
    return this.#pointer(NODE_POINTS, node);
  }

  #wide(entries: number, depth: number): number {
    const node = this.#nodes.reserve(WIDE_WORDS + entries);
    const { words } = this.#nodes;
    // `word` only moves forward, over the pairs up to that of the entry: 2,048 steps in all. A pair's rank is the
    // number of changes in pairs before it, which is how many entries came before: i. The pairs after the last change
    // get all.
    for (let i = 0, word = 0; i < entries; i++) {
      const slot = this.#slotOf(i, entries);
      for (; word <= slot >>> 5; word++) words[node + 2 * word + 1] = i;
      words[node + 2 * (slot >>> 5)]! |= 1 << (slot & 31);
      if (i === entries - 1) for (; word < WIDE_WORDS / 2; word++) words[node + 2 * word + 1] = entries;
    }
    this.#leaveEntries(node + WIDE_WORDS, entries, depth + WIDE_BITS);
    return this.#pointer(NODE_WIDE, node);
  }

  /**
   * All changes lie under one prefix `shared` bits longer: compare those bits once instead of descending through them.
   */
  #skip(first: number, end: number, depth: number, shared: number): number {
    const expectedWords = (shared + 31) >>> 5;
    //     | shared | match before | match after | expected bits, left-aligned, ceil(shared / 32) words | entry |
    // Segment `first` holds before the shared prefix and `end - 1` after it: all changes lie inside.
    const node = this.#nodes.reserve(4 + expectedWords);
    const { words } = this.#nodes;
    words[node] = shared;
    words[node + 1] = this.#segments.matches[first]!;
    words[node + 2] = this.#segments.matches[end - 1]!;
    for (let word = 0; word < expectedWords; word++) {
      const width = Math.min(32, shared - word * 32);
      words[node + 3 + word] = this.#bitsOf(first + 1, depth + word * 32, width) << (32 - width);
    }
    const inside = this.#isAligned(first + 1, depth + shared) ? first + 1 : first;
    this.#pushEntry(0, inside, end);
    this.#leaveEntries(node + 3 + expectedWords, 1, depth + shared);
    return this.#pointer(NODE_SKIP, node);
  }

  /** The slot of entry `i` of the partition of `entries` entries on top of the stack. */
  #slotOf(i: number, entries: number): number {
    return this.#stack.words[this.#stack.length - (entries - i) * ENTRY_WORDS]!;
  }

  #pop(entries: number): void {
    this.#stack.length -= entries * ENTRY_WORDS;
  }

  #pointer(kind: number, node: number): number {
    if (node > OFFSET_MASK)
      throw new RangeError(`the table is too large: its nodes would pass ${OFFSET_MASK} words (2 GiB)`);
    return NODE_FLAG | (kind << KIND_SHIFT) | node;
  }

  /** Bits [depth, depth + width) of a segment's start, width 1..32; bits past the address are zero. */
  #bitsOf(segment: number, depth: number, width: number): number {
    const { wordsPerKey, starts } = this.#segments;
    //     word `at`                           word `at + 1`
    //     |  shift bits  |  high, from depth on  |  low, `shift` bits of it  |  ...
    //                    |<------ 32 bits, left-aligned ------>|      >>> (32 - width) keeps the first `width`
    // `width` is 1 to 32, so that shift is by 0 to 31. A word past the key is 0: bits past the address are zeros.
    const word = depth >>> 5;
    const shift = depth & 31;
    const at = segment * wordsPerKey + word;
    const high = word < wordsPerKey ? starts[at]! : 0;
    const low = word + 1 < wordsPerKey ? starts[at + 1]! : 0;
    // ">>> 1 >>> (31 - shift)" is ">>> (32 - shift)" that also holds for shift 0, where JavaScript would shift by 0.
    return ((high << shift) | ((low >>> 1) >>> (31 - shift))) >>> (32 - width);
  }

  /** Whether a segment begins at a multiple of 2^(bits - depth). */
  #isAligned(segment: number, depth: number): boolean {
    for (let at = depth; at < this.#bits; at = (at | 31) + 1) {
      if (this.#bitsOf(segment, at, 32 - (at & 31)) !== 0) return false;
    }
    return true;
  }

  /** How many of the changes do not lie at a multiple of 2^(bits - depth). */
  #countUnaligned(first: number, end: number, depth: number): number {
    let unaligned = 0;
    for (let segment = first + 1; segment < end; segment++) if (!this.#isAligned(segment, depth)) unaligned++;
    return unaligned;
  }

  /** Whether any change does not lie at a multiple of 2^(bits - depth). */
  #hasUnaligned(first: number, end: number, depth: number): boolean {
    for (let segment = first + 1; segment < end; segment++) if (!this.#isAligned(segment, depth)) return true;
    return false;
  }

  /** How many bits from `depth` on two segment starts share; since starts ascend, so do all between them. */
  #sharedBits(first: number, last: number, depth: number): number {
    for (let at = depth; at < this.#bits; at += 32) {
      const difference = this.#bitsOf(first, at, 32) ^ this.#bitsOf(last, at, 32);
      if (difference !== 0) return at - depth + Math.clz32(difference);
    }
    return this.#bits - depth;
  }
}

/** The words of a list or, if its keys are too many for one, a tree. */
function sortedWords(entries: number): number {
  return 1 + (entries - 1 > LIST_KEYS ? separatorWords(entries) : 0) + (entries >>> 1) + entries;
}

/** An index with so many root bits: O(segments) nodes, each segment visited once per level. */
export function buildIndex(segments: Segments, rootBits: number, rules: NodeRules): Index {
  return finished(new NodeBuilder(segments, rootBits, rules).building());
}

/**
 * The index that is both small and fast by the rules for root sizes, in steps of less than a millisecond or so, for
 * programs that have other things to do as well.
 */
export function* buildingIndex(segments: Segments): Generator<undefined, Index, undefined> {
  const split = yield* splittingHosts(segments);
  return yield* buildingBeside(split, split?.rest ?? segments);
}

/** The index with these hosts, and with root and nodes for what is left. */
export function* buildingBeside(split: SplitHosts | null, rest: Segments): Generator<undefined, Index, undefined> {
  const rootBits = yield* choosingRootBits(rest);
  return yield* new NodeBuilder(rest, rootBits, MIXED_NODES, split).building();
}
