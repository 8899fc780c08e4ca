import { bucketStart, groupsFor, hashBucket, hashedFormWord, hashedKeysAt, wordMask } from "./_hashed.ts";
import type { Segments } from "./_segments.ts";
import {
  GROUP_BUCKETS,
  GROUP_KEYS,
  GROUP_WORDS,
  HASHED_EACH,
  HASHED_HEADER_WORDS,
  HASHED_KEYS,
  HASHED_ONE,
} from "./layout.ts";

type Steps<Result> = Generator<undefined, Result, undefined>;

/** Segments that are worked through between two interruptions: less than a millisecond. */
const STEP = 1 << 12;
/**
 * Maximum blocks of one segment: more are a wider prefix, which other nodes hold as a whole. But one block more for every
 * eight segments can be anywhere, as a large list of hosts has a few that fill a small prefix.
 */
const MAX_BLOCKS = 16;
const SEGMENTS_PER_EXTRA = 8;
/**
 * Blocks of which so many, on average, share all but their last 16 bits are other nodes: points take half a word for each
 * and some ten for a node, instead of a key of up to four words for each. Fewer are smaller or faster hashed.
 */
const DENSE = 16;
const DENSE_BITS = 16;

/**
 * The segments below a place read as blocks of one length on a background:
 *
 *     segments   | b | p | b       | p         | q | b   |       b: the background, the first or the last match
 *     blocks         p               p   p   p   q               all of the length that all changes are multiples of
 */
export class HashedBlocks {
  /** The bits that a block decides. */
  length = 0;
  background = 0;
  count = 0;
  /** How entries are stored (`layout.ts`), and the one for all. */
  stored: number = HASHED_ONE;
  first = 0;
  readonly #segments: Segments;
  #from = 0;
  #end = 0;
  #depth = 0;
  /** Sets of blocks that share all but their last bits. */
  #dense = 0;
  /** The blocks past `MAX_BLOCKS` that there can still be. */
  #extra = 0;
  readonly #key = new Uint32Array(4);
  readonly #last = new Uint32Array(4);
  readonly #after = new Uint32Array(4);

  constructor(segments: Segments) {
    this.#segments = segments;
  }

  /** The words of the node. */
  get words(): number {
    return this.#entriesAt + (this.stored === HASHED_EACH ? this.count : 0);
  }

  get #groups(): number {
    return groupsFor(this.count);
  }

  get #word(): number {
    return this.#depth >>> 5;
  }

  get #keyWords(): number {
    return ((this.length - 1) >>> 5) + 1 - this.#word;
  }

  get #entriesAt(): number {
    return hashedKeysAt(this.#groups) + this.count * this.#keyWords;
  }

  /** Whether segments [from, end) seen from `depth` are two blocks or more, each with many bits of its own. O(segments). */
  *reading(from: number, end: number, depth: number): Steps<boolean> {
    this.#from = from;
    this.#end = end;
    this.#depth = depth;
    this.length = yield* this.#findingLength();
    const { matches } = this.#segments;
    for (const background of new Set([matches[end - 1]!, matches[from]!])) {
      this.background = background;
      if (yield* this.#counting()) return this.count > 1 && this.count < DENSE * this.#dense;
    }
    return false;
  }

  /** Writes the node of what was read into words that are 0; false if too many keys have one bucket. O(blocks). */
  *writing(words: Int32Array): Steps<boolean> {
    const { length, stored } = this;
    words[0] = this.background;
    words[1] = stored === HASHED_ONE ? this.first : 0;
    words[2] = hashedFormWord({ word: this.#word, length, stored });
    words[3] = this.count;
    const keys = new Uint8Array(this.#groups * GROUP_BUCKETS); // of each bucket, up to one too many
    yield* this.#visiting((key) => {
      const bucket = this.#bucketOf(key);
      if (keys[bucket]! <= HASHED_KEYS) keys[bucket]!++;
    });
    if (!writeGroups(words, keys)) return false;
    keys.fill(0);
    yield* this.#visiting((key, match) => this.#place(words, keys, key, match));
    return true;
  }

  /** The bits after which no change has any. */
  *#findingLength(): Steps<number> {
    const { starts } = this.#segments;
    const all = new Uint32Array(4);
    for (let i = this.#from + 1; i < this.#end; i++) {
      if (i % STEP === 0) yield;
      for (let word = 0; word < 4; word++) all[word]! |= starts[4 * i + word]!;
    }
    const last = all.findLastIndex((word) => word !== 0);
    return 32 * last + Math.clz32(all[last]! & -all[last]!) + 1; // its lowest bit is the last one
  }

  *#counting(): Steps<boolean> {
    this.count = 0;
    this.#dense = 0;
    this.stored = HASHED_ONE;
    return yield* this.#visiting((key, match) => this.#count(key, match));
  }

  #count(key: Uint32Array, match: number): void {
    if (this.count === 0) this.first = match;
    else if (match !== this.first) this.stored = HASHED_EACH;
    if (this.count === 0 || !this.#isBesideLast(key)) this.#dense++;
    this.#last.set(key);
    this.count++;
  }

  #isBesideLast(key: Uint32Array): boolean {
    const last = this.#last;
    for (let word = 0; word < 4; word++)
      if (((key[word]! ^ last[word]!) & wordMask(word, this.length - DENSE_BITS)) !== 0) return false;
    return true;
  }

  /** `placed`: the keys that each bucket has by now. */
  #place(words: Int32Array, placed: Uint8Array, key: Uint32Array, match: number): void {
    const bucket = this.#bucketOf(key);
    const group = HASHED_HEADER_WORDS + GROUP_WORDS * Math.trunc(bucket / GROUP_BUCKETS);
    const number = bucketStart(words, group, bucket % GROUP_BUCKETS) + placed[bucket]!++;
    const keyWords = this.#keyWords;
    const at = hashedKeysAt(this.#groups) + number * keyWords;
    for (let word = 0; word < keyWords; word++) words[at + word] = key[this.#word + word]!;
    if (this.stored === HASHED_EACH) words[this.#entriesAt + number] = match;
  }

  #bucketOf(key: Uint32Array): number {
    const first = this.#word;
    return hashBucket(first > 0 ? 0 : key[0]!, first > 1 ? 0 : key[1]!, first > 2 ? 0 : key[2]!, key[3]!, this.#groups);
  }

  /** Each block in order; false, and an end, at a segment that is many blocks. */
  *#visiting(visit: (key: Uint32Array, match: number) => void): Steps<boolean> {
    const { matches } = this.#segments;
    this.#extra = Math.trunc((this.#end - this.#from) / SEGMENTS_PER_EXTRA);
    for (let i = this.#from; i < this.#end; i++) {
      if (i % STEP === 0) yield;
      if (matches[i] !== this.background && !this.#visit(i, visit)) return false;
    }
    return true;
  }

  #visit(segment: number, visit: (key: Uint32Array, match: number) => void): boolean {
    const match = this.#segments.matches[segment]!;
    const key = this.#key;
    this.#setRange(segment);
    for (let block = 0; block < MAX_BLOCKS || this.#extra-- > 0; block++) {
      visit(key, match);
      addBlock(key, this.length);
      if (isEqual(key, this.#after)) return true;
    }
    return false;
  }

  /** `#key` and `#after`: where a segment begins and ends below the place. (After the last address comes the first.) */
  #setRange(segment: number): void {
    const { starts } = this.#segments;
    const inside = segment === this.#from ? segment + 1 : segment; // any that begins below the place
    for (let word = 0; word < 4; word++) {
      const above = starts[4 * inside + word]! & wordMask(word, this.#depth);
      this.#key[word] = segment === this.#from ? above : starts[4 * segment + word]!;
      this.#after[word] = segment + 1 < this.#end ? starts[4 * segment + 4 + word]! : above;
    }
    if (segment + 1 === this.#end) addBlock(this.#after, this.#depth);
  }
}

/** Writes the groups, by the keys of each bucket; false if a bucket or a group has too many. */
function writeGroups(words: Int32Array, keys: Uint8Array): boolean {
  let first = 0;
  for (let bucket = 0, at = HASHED_HEADER_WORDS; bucket < keys.length; bucket += GROUP_BUCKETS, at += GROUP_WORDS) {
    words[at + GROUP_WORDS - 1] = first;
    let sum = 0;
    for (let i = 0; i < GROUP_BUCKETS; i++) {
      if (keys[bucket + i]! > HASHED_KEYS) return false;
      sum += keys[bucket + i]!;
      words[at + ((i + 1) >>> 2)]! |= sum << (8 * ((i + 1) & 3));
    }
    if (sum > GROUP_KEYS) return false;
    first += sum;
  }
  return true;
}

/** Moves on by a block of `length` bits; after the last address, and by a block of none, to the first. */
function addBlock(key: Uint32Array, length: number): void {
  if (length === 0) return void key.fill(0);
  let added = 2 ** (-length & 31);
  for (let word = (length - 1) >>> 5; word >= 0 && added > 0; word--) {
    const sum = key[word]! + added;
    key[word] = sum;
    added = sum > 0xffff_ffff ? 1 : 0;
  }
}

function isEqual(a: Uint32Array, b: Uint32Array): boolean {
  return a[0] === b[0] && a[1] === b[1] && a[2] === b[2] && a[3] === b[3];
}
