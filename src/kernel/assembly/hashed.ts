import { GROUP_BUCKETS, GROUP_KEYS_SHIFT, GROUP_WORDS, HASH_0, HASH_1, HASH_2, HASH_3, HASH_BITS, HASH_BUCKET_BITS, HASH_FOLD, HASH_MIX, HASHED_HEADER_WORDS, HASHED_KEYS, HASHED_LENGTH_MASK, HASHED_LENGTH_SHIFT, HASHED_STORED_SHIFT, HASHED_WORD_MASK, NODE_FLAG } from "../../table/layout.ts";
import { MASKS, QUEUE_BYTES } from "../workspace.ts";
import { workspace } from "./workspace.ts";

/*
 * A hashed node (src/table/layout.ts), in bytes:
 *
 *     0            4       8      12      16          16 + 64 * groups
 *     | background | first | form | count | groups    | keys | entries, if each has one |
 *
 *     a group      | 0 | start of bucket 1 | ... | of bucket 58 | end | first key, 4 bytes |
 *
 * An address is cut to the node's length, and its words before those of the keys are set to 0; what precedes a key in
 * memory is set to 0 likewise, so that both are compared as 16 bytes. Four keys are compared however many the bucket
 * has, without a branch: those past its end are masked away.
 *
 * A lookup is two cache misses, of the group and of the keys, in a table of up to a million keys only the second one.
 * So `findKeys` and `hashedMatch` are steps of their own, each for a whole group of addresses.
 */
const FORM: usize = 8;
const COUNT: usize = 12;
const GROUPS: usize = 4 * HASHED_HEADER_WORDS;
const GROUP_BYTES: usize = 4 * GROUP_WORDS;
const FIRST_KEY: usize = 4 * (GROUP_WORDS - 1);
const AT_ONCE: i32 = 4;
const HASH_REST: u64 = (1 << HASH_BITS) - 1;

@inline
function lengthOf(form: u32): i32 {
  return <i32>((form >>> HASHED_LENGTH_SHIFT) & HASHED_LENGTH_MASK) + 1;
}

@inline
function wordOf(form: u32): i32 {
  return <i32>(form & HASHED_WORD_MASK);
}

/** The bytes of a key: its words are those up to the one that has the last bit of the length. */
@inline
function keyBytes(form: u32): i32 {
  return (((lengthOf(form) - 1) >>> 5) + 1 - wordOf(form)) << 2;
}

/** The bits of an address that keys of this form hold. */
@inline
function keyMask(form: u32): v128 {
  const masks = workspace + MASKS;
  return v128.andnot(v128.load(masks + (<usize>lengthOf(form) << 4)), v128.load(masks + (<usize>wordOf(form) << 9)));
}

@inline
function groupsOf(node: usize): u32 {
  return (load<u32>(node, COUNT) + ((1 << GROUP_KEYS_SHIFT) - 1)) >>> GROUP_KEYS_SHIFT;
}

/** The address of the keys, which come after the groups. */
@inline
function keysAt(node: usize): usize {
  return node + GROUPS + <usize>groupsOf(node) * GROUP_BYTES;
}

@inline
function hashOf(key: v128): u32 {
  const product = i32x4.mul(key, i32x4(<i32>HASH_0, <i32>HASH_1, <i32>HASH_2, <i32>HASH_3));
  const pairs = i32x4.add(product, i32x4.shuffle(product, product, 2, 3, 0, 1));
  const sum = <u32>i32x4.extract_lane(i32x4.add(pairs, i32x4.shuffle(pairs, pairs, 1, 0, 3, 2)), 0);
  return ((sum ^ (sum >>> HASH_FOLD)) * <u32>HASH_MIX) >>> (32 - HASH_BITS);
}

/**
 * Finds the bucket that the address at `address` belongs to, and writes the address of its first key to `to` and how many
 * it has to `to + QUEUE_BYTES`.
 */
@inline
export function findKeys(node: usize, address: usize, to: usize): void {
  const form = load<u32>(node, FORM);
  const groups = groupsOf(node);
  const product = <u64>hashOf(v128.and(v128.load(address), keyMask(form))) * <u64>groups;
  const group = node + GROUPS + <usize>(product >>> HASH_BITS) * GROUP_BYTES;
  const rest = <u32>(product & HASH_REST) >>> (HASH_BITS - HASH_BUCKET_BITS);
  // Two bytes, the start of the bucket and that of the next one, the lower one first.
  const starts = <i32>load<u16>(group + <usize>((rest * GROUP_BUCKETS) >>> HASH_BUCKET_BITS));
  const first = load<i32>(group, FIRST_KEY) + (starts & 0xff);
  store<usize>(to, keysAt(node) + <usize>(first * keyBytes(form)));
  store<i32>(to, (starts >>> 8) - (starts & 0xff), QUEUE_BYTES);
}

/** The match of the address at `address`, whose bucket has `count` keys from `keys` on. */
@inline
export function hashedMatch(node: usize, keys: usize, count: i32, address: usize): i32 {
  const form = load<u32>(node, FORM);
  const mask = keyMask(form);
  const wanted = v128.and(v128.load(address), mask);
  const step = <usize>keyBytes(form);
  const at = keys - (<usize>wordOf(form) << 2);
  let equal = equalKeys(at, step, mask, wanted) & ((1 << min(count, AT_ONCE)) - 1);
  let key = <i32>ctz(equal);
  if (equal == 0 && count > AT_ONCE) {
    key = keyPastFirst(at, step, mask, wanted, count);
    equal = <i32>(key < count);
  }
  if (form >>> HASHED_STORED_SHIFT == 0) return select<i32>(load<i32>(node, 4), load<i32>(node), equal != 0) & ~NODE_FLAG;
  // The entries follow the keys, in their order.
  const first = keysAt(node);
  const number = (keys - first) / step + <usize>key;
  const entry = first + <usize>load<u32>(node, COUNT) * step + (number << 2);
  return load<i32>(select<usize>(entry, node, equal != 0)) & ~NODE_FLAG;
}

/** Bit i: key i of the four from `at` on is the one wanted. */
@inline
function equalKeys(at: usize, step: usize, mask: v128, wanted: v128): i32 {
  const equal0 = i32x4.eq(v128.and(v128.load(at), mask), wanted);
  const equal1 = i32x4.eq(v128.and(v128.load(at + step), mask), wanted);
  const equal2 = i32x4.eq(v128.and(v128.load(at + 2 * step), mask), wanted);
  const equal3 = i32x4.eq(v128.and(v128.load(at + 3 * step), mask), wanted);
  // Each word is all ones or 0, in 32, then 16, then 8 bits: a key's four bytes are a word again.
  const equal = i8x16.narrow_i16x8_s(i16x8.narrow_i32x4_s(equal0, equal1), i16x8.narrow_i32x4_s(equal2, equal3));
  return i32x4.bitmask(i32x4.eq(equal, i32x4.splat(-1)));
}

/** The number of the key that is not among the first four of its bucket; `count` or more if there is none. */
function keyPastFirst(at: usize, step: usize, mask: v128, wanted: v128, count: i32): i32 {
  // 16 keys at most in a sound table, so three iterations.
  const end = min(count, HASHED_KEYS);
  for (let done = AT_ONCE; done < end; done += AT_ONCE) {
    const equal = equalKeys(at + <usize>done * step, step, mask, wanted) & ((1 << min(end - done, AT_ONCE)) - 1);
    if (equal != 0) return done + <i32>ctz(equal);
  }
  return count;
}
