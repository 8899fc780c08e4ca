import { POINTS_EACH, POINTS_HEADER_WORDS, POINTS_SIZE_MASK, POINTS_SIZE_SHIFT, POINTS_STORED_SHIFT } from "../../table/layout.ts";

/*
 * A points node (src/table/layout.ts), in bytes:
 *
 *     0            4         8      10   12
 *     | background | first   | form | k0 | k1 | k2 | ...  | entries, in form "each" |
 *
 * A slot belongs to the point whose key equals its first 16 - size bits, if there is one: comparing 32 keys at once
 * needs no search and no branch. 64 bytes are compared however many keys there are; those past them are masked away.
 */
const FORM: usize = 4 * POINTS_HEADER_WORDS;
const KEYS: usize = FORM + 2;
const CHUNK_KEYS: i32 = 32;

/** Bit i: key i of the 32 from `keys` on equals the one in all lanes. */
@inline
export function equalKeys(keys: usize, key: v128): u32 {
  const low = i8x16.narrow_i16x8_s(i16x8.eq(v128.load(keys), key), i16x8.eq(v128.load(keys, 16), key));
  const high = i8x16.narrow_i16x8_s(i16x8.eq(v128.load(keys, 32), key), i16x8.eq(v128.load(keys, 48), key));
  return <u32>i8x16.bitmask(low) | (<u32>i8x16.bitmask(high) << 16);
}

/** The entry of `slot` in the points node at `node`: that of the point it is in, or the background. */
@inline
export function pointsEntry(node: usize, slot: u32): i32 {
  const form = <u32>load<u16>(node, FORM);
  const count = <i32>(form & 0xff) + 1;
  const key = i16x8.splat(<i16>(slot & (<u32>-1 << ((form >>> POINTS_SIZE_SHIFT) & POINTS_SIZE_MASK))));
  // A count of 32 or more leaves all bits: the shift is by 0 to 31.
  let equal = equalKeys(node + KEYS, key) & (<u32>-1 >>> (CHUNK_KEYS - min(count, CHUNK_KEYS)));
  let point = <i32>ctz(equal);
  if (equal == 0 && count > CHUNK_KEYS) {
    point = pointPastFirst(node + KEYS, key, count);
    equal = <u32>(point < count);
  }
  const stored = <i32>(form >>> POINTS_STORED_SHIFT);
  if (stored >= POINTS_EACH) return load<i32>(select<usize>(node + FORM + (<usize>((count + 2) >>> 1) << 2) + (<usize>point << 2), node, equal != 0));
  return select<i32>(load<i32>(node, 4) + (point & -stored), load<i32>(node), equal != 0);
}

/** The number of the point with this key, which is not among the first 32; `count` or more if there is none. */
function pointPastFirst(keys: usize, key: v128, count: i32): i32 {
  // 256 keys at most: 7 iterations.
  for (let done = CHUNK_KEYS; done < count; done += CHUNK_KEYS) {
    const equal = equalKeys(keys + (<usize>done << 1), key);
    if (equal != 0) return done + <i32>ctz(equal);
  }
  return count;
}
