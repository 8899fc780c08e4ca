import {
  BUCKET_COUNT_MASK,
  BUCKET_KEYS,
  BUCKET_OVERFLOWS,
  BUCKET_TAGS,
  BUCKET_WORDS,
  MIX_FIRST,
  MIX_LAST,
  MIX_SHIFT,
  NODE_FLAG,
  TAGGED_KEYS,
} from "./layout.ts";

// Here again: a constant of another module is read from it at each use, which took a fourth of a lookup's time.
const WORDS = BUCKET_WORDS;
const COUNT_MASK = BUCKET_COUNT_MASK;
const OVERFLOWS = BUCKET_OVERFLOWS;
const FIRST_FACTOR = MIX_FIRST;
const LAST_FACTOR = MIX_LAST;
const SHIFT = MIX_SHIFT;

/** What the header says of the buckets of hosts that precede the nodes (`layout.ts`). */
export interface HostsForm {
  readonly buckets: number;
  /** In buckets and overflow. */
  readonly hosts: number;
  readonly overflow: number;
  /** The match of all of them, 0 if they have several. */
  readonly match: number;
  /** The matches that they have, 0 if it is one. */
  readonly tags: number;
}

/** The inverse of the odd number `factor` modulo 2^32: each step of Newton's doubles the bits that are right, 3 at first. */
function inverse(factor: number): number {
  let found = factor;
  for (let right = 3; right < 32; right *= 2) found = Math.imul(found, 2 - Math.imul(factor, found));
  return found;
}

const UNMIX_FIRST = inverse(MIX_FIRST);
const UNMIX_LAST = inverse(MIX_LAST);

/** A permutation of the 32-bit words after which neighbours are far apart. */
export function mixed(word: number): number {
  const first = Math.imul(word, MIX_FIRST);
  return Math.imul(first ^ (first >>> MIX_SHIFT), MIX_LAST) >>> 0;
}

/** The word that `mixed` gives this for. A shift by half the bits undoes itself. */
export function unmixed(mix: number): number {
  const first = Math.imul(mix, UNMIX_LAST);
  return Math.imul(first ^ (first >>> MIX_SHIFT), UNMIX_FIRST) >>> 0;
}

/** The bucket of a mixed word. Products with up to 2^21 buckets are below 2^53. */
export function bucketOf(mix: number, buckets: number): number {
  return Math.floor((mix * buckets) / 2 ** 32);
}

export function keyOf(mix: number, buckets: number): number {
  const product = mix * buckets;
  return (product - Math.floor(product / 2 ** 32) * 2 ** 32) >>> 16;
}

/** The mixed word with this key in this bucket: the first one whose product reaches them. Another's if there is none. */
export function mixOf(bucket: number, key: number, buckets: number): number {
  const least = bucket * 2 ** 32 + key * 2 ** 16;
  const mix = Math.floor(least / buckets);
  return mix * buckets < least ? mix + 1 : mix;
}

/** The most keys of a bucket. */
export function keysOfBuckets({ tags }: HostsForm): number {
  return tags === 0 ? BUCKET_KEYS : TAGGED_KEYS;
}

/** The words of buckets, overflow, its matches and tags. */
export function wordsOfHosts(form: HostsForm): number {
  return tagsAt(form) + form.tags;
}

/** Where the words of tags begin. */
export function tagsAt({ buckets, overflow, tags }: HostsForm): number {
  return BUCKET_WORDS * buckets + overflow * (tags === 0 ? 1 : 2);
}

const NOT_FOUND = -1;
const MAY_OVERFLOW = -2;

/**
 * Where the key of a host is among the halves of the words; else `NOT_FOUND`, or `MAY_OVERFLOW` if only the overflow
 * can say. `passed`: the keys that the first step passes, 15 less than a bucket has.
 */
function placeOf(halves: Uint16Array, buckets: number, passed: number, word: number): number {
  const first = Math.imul(word, FIRST_FACTOR);
  const mix = Math.imul(first ^ (first >>> SHIFT), LAST_FACTOR) >>> 0;
  const product = mix * buckets;
  const bucket = Math.floor(product * 2 ** -32);
  const key = (product - bucket * 2 ** 32) >>> 16;
  const keys = 2 * WORDS * bucket + 2;
  // How many of the keys are less, in five steps that nobody needs to guess (`sortedEntry` explains them): each passes so
  // many keys if the last of them is less. Where all are less, `at` is after them.
  let at = keys;
  at += ((halves[at + passed - 1]! - key) >> 31) & passed;
  at += ((halves[at + 7]! - key) >> 31) & 8;
  at += ((halves[at + 3]! - key) >> 31) & 4;
  at += ((halves[at + 1]! - key) >> 31) & 2;
  at += ((halves[at]! - key) >> 31) & 1;
  const head = halves[keys - 2]!;
  const place = at - keys;
  if (halves[at] === key && place < (head & COUNT_MASK)) return at;
  // Only the greatest keys of a bucket are in the overflow.
  return (head & OVERFLOWS) !== 0 && place === passed + 15 ? MAY_OVERFLOW : NOT_FOUND;
}

/**
 * The hosts of a table, to look up in. What the header says was compared with the length of the nodes, but their words are
 * those of a file: what is read beyond them is undefined, which the bitwise expressions make 0 (see `_walk.ts`).
 */
export class Hosts {
  readonly #nodes: Int32Array;
  /** The same as 16-bit halves, the low one of each word first, and as bytes. */
  readonly #halves: Uint16Array;
  readonly #bytes: Uint8Array;
  readonly #buckets: number;
  readonly #passed: number;
  readonly #form: HostsForm;
  readonly #match: number;
  readonly #tagsAt: number;

  constructor(nodes: Int32Array, form: HostsForm) {
    this.#nodes = nodes;
    this.#halves = new Uint16Array(nodes.buffer, nodes.byteOffset, 2 * nodes.length);
    this.#bytes = new Uint8Array(nodes.buffer, nodes.byteOffset, 4 * nodes.length);
    this.#buckets = form.buckets;
    this.#passed = keysOfBuckets(form) - 15;
    this.#form = form;
    this.#match = form.match;
    this.#tagsAt = tagsAt(form);
  }

  /** The match of a word that is a host; -1 for another one. O(1), O(log overflow) where a bucket overflows. */
  matchOf(word: number): number {
    const place = placeOf(this.#halves, this.#buckets, this.#passed, word);
    if (place >= 0) return this.#match !== 0 ? this.#match : this.#taggedMatch(place);
    return place === NOT_FOUND ? -1 : this.#overflowing(mixed(word));
  }

  #taggedMatch(place: number): number {
    const bucket = place & -(2 * BUCKET_WORDS); // in halves
    const tag = this.#bytes[2 * bucket + BUCKET_TAGS + place - bucket - 2]!;
    return this.#nodes[this.#tagsAt + tag]! & ~NODE_FLAG;
  }

  #overflowing(mix: number): number {
    const nodes = this.#nodes;
    const { buckets, overflow } = this.#form;
    const start = BUCKET_WORDS * buckets;
    let from = 0;
    for (let end = overflow; from < end;) {
      const middle = (from + end) >>> 1;
      if (nodes[start + middle]! >>> 0 < mix) from = middle + 1;
      else end = middle;
    }
    if (from === overflow || nodes[start + from]! >>> 0 !== mix) return -1;
    return this.#match !== 0 ? this.#match : nodes[start + overflow + from]! & ~NODE_FLAG;
  }
}
