import {
  HASH_0,
  HASH_1,
  HASH_2,
  HASH_3,
  HASH_FOLD,
  HASH_MIX,
  HASHED_BUCKETS_MASK,
  HASHED_HEADER_WORDS,
  HASHED_LENGTH_MASK,
  HASHED_LENGTH_SHIFT,
  HASHED_STORED_SHIFT,
  HASHED_WORD_MASK,
  HASHED_WORD_SHIFT,
} from "./layout.ts";

/** What the form of a hashed node (`layout.ts`) says. */
export interface HashedForm {
  /** There are 2^bucketBits buckets. */
  readonly bucketBits: number;
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
  const word = (form >>> HASHED_WORD_SHIFT) & HASHED_WORD_MASK;
  return {
    bucketBits: form & HASHED_BUCKETS_MASK,
    word,
    keyWords: (last >>> 5) + 1 - word,
    length: last + 1,
    stored: form >>> HASHED_STORED_SHIFT,
  };
}

export function hashedFormWord({ bucketBits, word, length, stored }: Omit<HashedForm, "keyWords">): number {
  return (
    bucketBits | (word << HASHED_WORD_SHIFT) | ((length - 1) << HASHED_LENGTH_SHIFT) | (stored << HASHED_STORED_SHIFT)
  );
}

/** As many buckets as leave one to two keys to each: their bits, one at the least. */
export function bucketBitsFor(keys: number): number {
  return Math.max(1, 32 - Math.clz32((keys - 1) >>> 1));
}

/** The words of a hashed node before its keys. */
export function hashedKeysAt(bucketBits: number): number {
  return HASHED_HEADER_WORDS + 2 ** bucketBits + 1;
}

/** The bits of word `word` of an address that belong to its first `length`. */
export function wordMask(word: number, length: number): number {
  const bits = length - 32 * word;
  return bits >= 32 ? -1 : bits <= 0 ? 0 : -1 << (32 - bits);
}

/** The bucket, of 2^bucketBits with 1 to 31 bits, of a key: an address in which all words and bits beside the key's are 0. */
export function hashBucket(w0: number, w1: number, w2: number, w3: number, bucketBits: number): number {
  const sum = (Math.imul(w0, HASH_0) + Math.imul(w1, HASH_1) + Math.imul(w2, HASH_2) + Math.imul(w3, HASH_3)) | 0;
  return Math.imul(sum ^ (sum >>> HASH_FOLD), HASH_MIX) >>> (32 - bucketBits);
}
