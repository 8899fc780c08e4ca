import { bucketBitsFor, hashBucket, hashedForm, type HashedForm, hashedKeysAt, wordMask } from "./_hashed.ts";
import { addressAfter, compareWords, type Words } from "./_words.ts";
import { HASHED_EACH, HASHED_HEADER_WORDS, HASHED_KEYS } from "./layout.ts";

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
  const [background, first, formWord] = [nodes[node], nodes[node + 1], nodes[node + 2]];
  if (background === undefined || first === undefined || formWord === undefined) return "no end";
  const form = hashedForm(formWord);
  const keysAt = node + hashedKeysAt(form.bucketBits);
  const starts = nodes.subarray(node + HASHED_HEADER_WORDS, keysAt);
  const count = starts.at(-1) ?? 0;
  if (form.stored > HASHED_EACH || background < 0 || first < 0 || (form.stored === HASHED_EACH && first !== 0))
    return "a form, a background or a first entry that there is not";
  if (form.word !== place.depth >>> 5 || form.length <= place.depth) return "keys of another place";
  if (starts.length <= 2 ** form.bucketBits) return "no end";
  if (count < 2 || form.bucketBits !== bucketBitsFor(count)) return `${2 ** form.bucketBits} buckets for ${count} keys`;
  const entriesAt = keysAt + count * form.keyWords;
  const end = entriesAt + (form.stored === HASHED_EACH ? count : 0);
  if (end > nodes.length) return "no end";
  const keys = new Keys(nodes, keysAt, form, place);
  const wrong = wrongKeys(keys, starts, form.bucketBits);
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

  bucket(key: number, bucketBits: number): number {
    const words = this.address(key).map((word, i) => (i < this.#form.word ? 0 : word));
    return hashBucket(words[0]!, words[1]!, words[2]!, words[3]!, bucketBits);
  }

  /** Whether the block is below the node's place, and has no bits after its length. */
  isInPlace(key: number): boolean {
    const { key: above, depth } = this.place;
    return this.address(key).every(
      (word, i) => ((word ^ above[i]!) & wordMask(i, depth)) === 0 && (word & ~wordMask(i, this.length)) === 0,
    );
  }
}

/** What is wrong with the keys of a node or where its buckets start; null if nothing is. */
function wrongKeys(keys: Keys, starts: Int32Array, bucketBits: number): string | null {
  if (starts[0] !== 0) return "a first bucket that does not start at key 0";
  for (let bucket = 0; bucket + 1 < starts.length; bucket++) {
    const [from, end] = [starts[bucket]!, starts[bucket + 1]!];
    if (end < from || end - from > HASHED_KEYS) return `a bucket of ${end - from} keys`;
    for (let key = from; key < end; key++) {
      if (!keys.isInPlace(key)) return "a key that has bits of another place";
      if (keys.bucket(key, bucketBits) !== bucket) return "a key in the bucket of others";
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
