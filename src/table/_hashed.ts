import {
  GROUP_BUCKETS,
  GROUP_KEYS_SHIFT,
  GROUP_WORDS,
  HASH_0,
  HASH_1,
  HASH_2,
  HASH_3,
  HASH_BITS,
  HASH_BUCKET_BITS,
  HASH_FOLD,
  HASH_MIX,
  HASHED_HEADER_WORDS,
  HASHED_LENGTH_MASK,
  HASHED_LENGTH_SHIFT,
  HASHED_STORED_SHIFT,
  HASHED_WORD_MASK,
} from "./layout.ts";

/** What the form of a hashed node (`layout.ts`) says. */
export interface HashedForm {
  /** The first word of an address that keys hold, and how many they hold. */
  readonly word: number;
  readonly keyWords: number;
  /** The bits of an address that a block decides, from the first one on. */
  readonly length: number;
  /** `HASHED_ONE` or `HASHED_EACH`. */
  readonly stored: number;
}

export function hashedForm(form: number): HashedForm {
  const last = (form >>> HASHED_LENGTH_SHIFT) & HASHED_LENGTH_MASK;
  const word = form & HASHED_WORD_MASK;
  return { word, keyWords: (last >>> 5) + 1 - word, length: last + 1, stored: form >>> HASHED_STORED_SHIFT };
}

export function hashedFormWord({ word, length, stored }: Omit<HashedForm, "keyWords">): number {
  return word | ((length - 1) << HASHED_LENGTH_SHIFT) | (stored << HASHED_STORED_SHIFT);
}

/** The groups of so many keys. */
export function groupsFor(keys: number): number {
  return (keys + (1 << GROUP_KEYS_SHIFT) - 1) >>> GROUP_KEYS_SHIFT;
}

/** The words of a hashed node before its keys. */
export function hashedKeysAt(groups: number): number {
  return HASHED_HEADER_WORDS + GROUP_WORDS * groups;
}

/** The bits of word `word` of an address that belong to its first `length`. */
export function wordMask(word: number, length: number): number {
  const bits = length - 32 * word;
  return bits >= 32 ? -1 : bits <= 0 ? 0 : -1 << (32 - bits);
}

/**
 * The bucket, of `groups` times `GROUP_BUCKETS`, of a key: an address in which all words and bits beside the key's are 0.
 * The product of hash and groups is below 2^53: its upper bits are the group, those after them the bucket in it.
 */
export function hashBucket(w0: number, w1: number, w2: number, w3: number, groups: number): number {
  const sum = (Math.imul(w0, HASH_0) + Math.imul(w1, HASH_1) + Math.imul(w2, HASH_2) + Math.imul(w3, HASH_3)) | 0;
  const product = (Math.imul(sum ^ (sum >>> HASH_FOLD), HASH_MIX) >>> (32 - HASH_BITS)) * groups;
  const group = Math.floor(product / 2 ** HASH_BITS);
  const rest = (product - group * 2 ** HASH_BITS) >>> (HASH_BITS - HASH_BUCKET_BITS);
  return group * GROUP_BUCKETS + ((rest * GROUP_BUCKETS) >>> HASH_BUCKET_BITS);
}

/** The number of the first key of bucket `bucket` of the group at word `at`; of bucket `GROUP_BUCKETS`, the end of its keys. */
export function bucketStart(nodes: Int32Array, at: number, bucket: number): number {
  return nodes[at + GROUP_WORDS - 1]! + ((nodes[at + (bucket >>> 2)]! >>> (8 * (bucket & 3))) & 0xff);
}
