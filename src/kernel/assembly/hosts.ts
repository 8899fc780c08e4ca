import { BUCKET_COUNT_MASK, BUCKET_KEYS, BUCKET_OVERFLOWS, BUCKET_TAGS, BUCKET_WORDS, MIX_FIRST, MIX_LAST, MIX_SHIFT, TAGGED_KEYS } from "../../table/layout.ts";
import { equalKeys } from "./points.ts";
import { nodes4, root4, rootShift4 } from "./table.ts";
import { queueAt } from "./waiting.ts";

/*
 * The hosts before the nodes of IPv4 (src/table/layout.ts), in bytes:
 *
 *     0                     64 * buckets
 *     | bucket | bucket |...| overflow | its matches and tags, if there are several | nodes ...
 *
 *     a bucket, a line of the cache   | overflows, count: 4 | key 0 | ... | key 29 |
 *                                     | the same | key 0 | ... | key 19 | tag 0 | ... | tag 19 |
 *
 * All 64 bytes are compared with a key at once, the head as if it were two keys, whose bits are shifted out; those past
 * the count, tags among them, are masked away. The heads of a group's buckets are read before any keys are compared, so that as many
 * misses as there can be are under way at once. What is no host has its entry from the root, in the same step and
 * without a branch, as which of both it is cannot be predicted.
 */
/** 0: the table has none. */
export let buckets4: u32 = 0;
/** The match of all hosts; 0: they have several. */
let hostMatch: i32 = 0;
let inOverflow: i32 = 0;
let overflowAt: usize = 0;
/** The matches of the overflow, and those of tags. */
let matchesAt: usize = 0;
let tagsAt: usize = 0;
/** The last key for which a bucket has room, in bytes from its start. */
let lastKey: usize = 0;

const BUCKET_BYTES: usize = 4 * BUCKET_WORDS;

/** Call after `setTable`. */
export function setHosts(buckets: u32, overflow: i32, match: i32): void {
  buckets4 = buckets;
  hostMatch = match;
  inOverflow = overflow;
  overflowAt = nodes4 + <usize>buckets * BUCKET_BYTES;
  matchesAt = overflowAt + (<usize>overflow << 2);
  tagsAt = matchesAt + (<usize>overflow << 2);
  lastKey = 2 + 2 * (match != 0 ? BUCKET_KEYS : TAGGED_KEYS);
}

/** Permutes four words (`mixed` in src/table/_hosts.ts). */
@inline
function mixed(words: v128): v128 {
  const first = i32x4.mul(words, i32x4.splat(<i32>MIX_FIRST));
  return i32x4.mul(v128.xor(first, i32x4.shr_u(first, MIX_SHIFT)), i32x4.splat(<i32>MIX_LAST));
}

/**
 * Writes to `out` the matches of the words that are hosts, and the entries of the root for the others. `bytes` is the
 * length of both arrays, a multiple of 16.
 */
export function findHosts(words: usize, out: usize, bytes: usize): void {
  const mixes = queueAt(0);
  const places = queueAt(1);
  const heads = queueAt(2);
  for (let offset: usize = 0; offset < bytes; offset += 16) {
    v128.store(mixes + offset, mixed(v128.load(words + offset)));
    touch(mixes + offset, places + offset, heads + offset);
    touch(mixes + offset + 4, places + offset + 4, heads + offset + 4);
    touch(mixes + offset + 8, places + offset + 8, heads + offset + 8);
    touch(mixes + offset + 12, places + offset + 12, heads + offset + 12);
  }
  if (hostMatch != 0) {
    for (let offset: usize = 0; offset < bytes; offset += 4) {
      const equal = equalTo(mixes + offset, places + offset, heads + offset);
      const entry = load<i32>(rootEntry(words + offset));
      store<i32>(out + offset, select<i32>(hostMatch, entry, equal != 0));
      if ((load<u32>(heads + offset) & BUCKET_OVERFLOWS) != 0) overflowed(mixes + offset, places + offset, out + offset);
    }
  } else {
    for (let offset: usize = 0; offset < bytes; offset += 4) {
      const equal = equalTo(mixes + offset, places + offset, heads + offset);
      // Of 32 bits none is number 32: what is read for that is another bucket's, and not used.
      const tag = load<u8>(load<usize>(places + offset) + <usize>ctz(equal), BUCKET_TAGS);
      store<i32>(out + offset, load<i32>(select<usize>(tagsAt + (<usize>tag << 2), rootEntry(words + offset), equal != 0)));
      if ((load<u32>(heads + offset) & BUCKET_OVERFLOWS) != 0) overflowed(mixes + offset, places + offset, out + offset);
    }
  }
}

@inline
function rootEntry(word: usize): usize {
  return root4 + (<usize>(load<u32>(word) >>> rootShift4) << 2);
}

/** Finds the bucket of a mixed word, and reads its head. */
@inline
function touch(mix: usize, place: usize, head: usize): void {
  const bucket = nodes4 + <usize>((<u64>load<u32>(mix) * <u64>buckets4) >>> 32) * BUCKET_BYTES;
  store<usize>(place, bucket);
  store<u32>(head, load<u32>(bucket));
}

@inline
function keyOf(mix: usize): u32 {
  return (load<u32>(mix) * buckets4) >>> 16;
}

/** Bit i: key i of the bucket is that of the mixed word. */
@inline
function equalTo(mix: usize, place: usize, head: usize): u32 {
  const equal = equalKeys(load<usize>(place), i16x8.splat(<i16>keyOf(mix)));
  return (equal >>> 2) & ((1 << (load<u32>(head) & BUCKET_COUNT_MASK)) - 1);
}

/** Writes the match of a mixed word that is in the overflow, where only keys are that are greater than the bucket's. */
function overflowed(mix: usize, place: usize, out: usize): void {
  if (keyOf(mix) <= <u32>load<u16>(load<usize>(place) + lastKey)) return;
  const wanted = load<u32>(mix);
  let from = 0;
  for (let end = inOverflow; from < end;) {
    const middle = (from + end) >>> 1;
    if (load<u32>(overflowAt + (<usize>middle << 2)) < wanted) from = middle + 1;
    else end = middle;
  }
  if (from == inOverflow || load<u32>(overflowAt + (<usize>from << 2)) != wanted) return;
  store<i32>(out, hostMatch != 0 ? hostMatch : load<i32>(matchesAt + (<usize>from << 2)));
}
