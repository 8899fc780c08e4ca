import { bucketStart, groupsFor, hashBucket, hashedForm, type HashedForm, hashedKeysAt, wordMask } from "./_hashed.ts";
import { addressAfter, compareWords, type Words } from "./_words.ts";
import { GROUP_BUCKETS, GROUP_WORDS, HASHED_EACH, HASHED_HEADER_WORDS, HASHED_KEYS } from "./layout.ts";

/** Where a node stands: the addresses below it begin with the first `depth` bits of `key`. */
interface NodePlace {
  readonly key: Words;
  readonly depth: number;
}

/** A block of a hashed node, or what is between two: addresses from `key` on have the match `entry`. */
export interface HashedBlock {
  readonly key: Words;
  readonly entry: number;
}

/** A hashed node that is sound, except perhaps for the matches that it names. */
export interface HashedContent {
  /** The word after it. */
  readonly end: number;
  /** The bits that its blocks decide. */
  readonly length: number;
  /** Each block, and the background before, between and after them, by address. */
  readonly blocks: () => Generator<HashedBlock>;
}

/** Reads the hashed node at `node`; what is wrong with it, if it is none that `freeze` writes. O(n log n) of its blocks. */
export function readHashedNode(nodes: Int32Array, node: number, place: NodePlace): HashedContent | string {
  if (node + HASHED_HEADER_WORDS > nodes.length) return "no end";
  const [background, first, formWord, count] = nodes.subarray(node) as unknown as [number, number, number, number];
  const form = hashedForm(formWord);
  if (form.stored > HASHED_EACH || background < 0 || first < 0 || (form.stored === HASHED_EACH && first !== 0))
    return "a form, a background or a first entry that there is not";
  if (form.word !== place.depth >>> 5 || form.length <= place.depth) return "keys of another place";
  if (count < 2 || count > nodes.length) return `${count} keys`;
  const keysAt = node + hashedKeysAt(groupsFor(count));
  const entriesAt = keysAt + count * form.keyWords;
  const end = entriesAt + (form.stored === HASHED_EACH ? count : 0);
  if (end > nodes.length) return "no end";
  const keys = new Keys(nodes, keysAt, form, place);
  const wrong = wrongGroups(nodes, node, count) ?? wrongKeys(keys, nodes, node, groupsFor(count));
  if (wrong !== null) return wrong;
  const entries = nodes.subarray(entriesAt, end);
  if (entries.some((entry) => entry < 0)) return "an entry that is a node";
  const entryOf = (key: number): number => entries[key] ?? first;
  return { end, length: form.length, blocks: () => blocksOf(keys, count, background, entryOf) };
}

/** The keys of a node as addresses: the bits that they do not hold are those of the node's place, or 0. */
class Keys {
  readonly place: NodePlace;
  readonly length: number;
  readonly #nodes: Int32Array;
  readonly #at: number;
  readonly #form: HashedForm;

  constructor(nodes: Int32Array, at: number, form: HashedForm, place: NodePlace) {
    this.#nodes = nodes;
    this.#at = at;
    this.#form = form;
    this.place = place;
    this.length = form.length;
  }

  /** The first address of block `key`. */
  address(key: number): Words {
    const { word: first, keyWords } = this.#form;
    const at = this.#at + key * keyWords - first;
    const word = (i: number): number =>
      i < first ? this.place.key[i]! : i < first + keyWords ? this.#nodes[at + i]! >>> 0 : 0;
    return [word(0), word(1), word(2), word(3)];
  }

  bucket(key: number, groups: number): number {
    const words = this.address(key).map((word, i) => (i < this.#form.word ? 0 : word));
    return hashBucket(words[0]!, words[1]!, words[2]!, words[3]!, groups);
  }

  /** Whether the block is below the node's place, and has no bits after its length. */
  isInPlace(key: number): boolean {
    const { key: above, depth } = this.place;
    return this.address(key).every(
      (word, i) => ((word ^ above[i]!) & wordMask(i, depth)) === 0 && (word & ~wordMask(i, this.length)) === 0,
    );
  }
}

/** What is wrong with how a node divides its keys among buckets; null if nothing is. */
function wrongGroups(nodes: Int32Array, node: number, count: number): string | null {
  let next = 0;
  const end = node + hashedKeysAt(groupsFor(count));
  for (let at = node + HASHED_HEADER_WORDS; at < end; at += GROUP_WORDS) {
    if (bucketStart(nodes, at, 0) !== nodes[at + GROUP_WORDS - 1])
      return "a first bucket that does not begin its group";
    for (let bucket = 0; bucket < GROUP_BUCKETS; bucket++) {
      const [from, to] = [bucketStart(nodes, at, bucket), bucketStart(nodes, at, bucket + 1)];
      if (from !== next) return `a bucket that starts at key ${from}`;
      if (to < from || to - from > HASHED_KEYS) return `a bucket of ${to - from} keys`;
      next = to;
    }
  }
  return next === count ? null : `buckets of ${next} keys for ${count}`;
}

/** What is wrong with the keys of a node, divided rightly; null if nothing is. */
function wrongKeys(keys: Keys, nodes: Int32Array, node: number, groups: number): string | null {
  for (let bucket = 0; bucket < groups * GROUP_BUCKETS; bucket++) {
    const group = node + HASHED_HEADER_WORDS + GROUP_WORDS * Math.trunc(bucket / GROUP_BUCKETS);
    const from = bucketStart(nodes, group, bucket % GROUP_BUCKETS);
    const end = bucketStart(nodes, group, (bucket % GROUP_BUCKETS) + 1);
    for (let key = from; key < end; key++) {
      if (!keys.isInPlace(key)) return "a key that has bits of another place";
      if (keys.bucket(key, groups) !== bucket) return "a key in the bucket of others";
      if (key > from && compareWords(keys.address(key - 1), keys.address(key)) >= 0)
        return "keys of a bucket that do not ascend";
    }
  }
  return null;
}

function* blocksOf(
  keys: Keys,
  count: number,
  background: number,
  entryOf: (key: number) => number,
): Generator<HashedBlock> {
  const { key: first, depth } = keys.place;
  const order = Uint32Array.from({ length: count }, (_, key) => key).sort((a, b) =>
    compareWords(keys.address(a), keys.address(b)),
  );
  const end = addressAfter(first, depth);
  let next: Words | null = first; // the address after the blocks so far
  for (const key of order) {
    const address = keys.address(key);
    if (next !== null && compareWords(next, address) < 0) yield { key: next, entry: background };
    yield { key: address, entry: entryOf(key) };
    next = addressAfter(address, keys.length);
  }
  if (next !== null && (end === null || compareWords(next, end) < 0)) yield { key: next, entry: background };
}
