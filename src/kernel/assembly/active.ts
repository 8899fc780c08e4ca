import { matchCount } from "./table.ts";

/**
 * The address of the table's `ActiveMatches` (src/table/active-matches.ts draws it): for each match id, the id of the
 * match that decides instead; a word that says which bits of an id to look that up by; one bit per match that says
 * whether it has expired. 0: expiries are ignored. Lookups trap on ids above `matchCount`, so reads stay inside.
 */
let activeMatches: usize = 0;

export function useActiveMatches(at: usize): void {
  activeMatches = at;
}

/*
 * Which of 64 ids have expired is one word of bits, made without a branch, which could not be predicted, and without a
 * store: only the ids that have expired are written.
 *
 *     ids       | 17 | 4 | 9 | 17 | ...      64 at a time, 16 side by side
 *     expired   0b...1001                   bit i: the match of id i has expired
 */
/** Replaces each of `count` ids at `matches` by the match that decides. */
export function skipExpired(matches: usize, count: i32): void {
  if (activeMatches == 0) return;
  const bits = activeMatches + (<usize>(matchCount + 2) << 2);
  const end = matches + (<usize>count << 2);
  let at = matches;
  for (const whole = end - ((end - at) & 255); at < whole; at += 256)
    replace(at, expiredOf16(at, bits) | (expiredOf16(at + 64, bits) << 16) | (expiredOf16(at + 128, bits) << 32) | (expiredOf16(at + 192, bits) << 48));
  let expired: u64 = 0;
  for (let one = at; one < end; one += 4) expired |= <u64>expiredBit(bits, load<u32>(one)) << <u64>((one - at) >>> 2);
  replace(at, expired);
}

/** Bit i: whether the match of id i of 16 has expired. */
@inline
function expiredOf16(at: usize, bits: usize): u64 {
  // Each id's byte of the bits, and which bit of it is the id's.
  const bytes = i64x2.shuffle(bytesOf8(at, bits), bytesOf8(at + 32, bits), 0, 2);
  const low = i16x8.narrow_i32x4_u(lastBits(at), lastBits(at + 16));
  const high = i16x8.narrow_i32x4_u(lastBits(at + 32), lastBits(at + 48));
  const powers = i8x16(1, 2, 4, 8, 16, 32, 64, -128, 0, 0, 0, 0, 0, 0, 0, 0);
  const own = i8x16.relaxed_swizzle(powers, i8x16.narrow_i16x8_u(low, high));
  return <u64>i8x16.bitmask(i8x16.eq(v128.and(bytes, own), own));
}

/** Each one's byte of the bits, of 8 ids. */
@inline
function bytesOf8(at: usize, bits: usize): v128 {
  let bytes = v128.load8_lane(byteOf(bits, at), i64x2.splat(0), 0);
  bytes = v128.load8_lane(byteOf(bits, at + 4), bytes, 1);
  bytes = v128.load8_lane(byteOf(bits, at + 8), bytes, 2);
  bytes = v128.load8_lane(byteOf(bits, at + 12), bytes, 3);
  bytes = v128.load8_lane(byteOf(bits, at + 16), bytes, 4);
  bytes = v128.load8_lane(byteOf(bits, at + 20), bytes, 5);
  bytes = v128.load8_lane(byteOf(bits, at + 24), bytes, 6);
  return v128.load8_lane(byteOf(bits, at + 28), bytes, 7);
}

/** Where the bit of the id at `at` is. */
@inline
function byteOf(bits: usize, at: usize): usize {
  return bits + (<usize>load<u32>(at) >>> 3);
}

/** Of four ids, the number of each one's bit in its byte. */
@inline
function lastBits(at: usize): v128 {
  return v128.and(v128.load(at), i32x4.splat(7));
}

@inline
function expiredBit(bits: usize, match: u32): u32 {
  return (<u32>load<u8>(bits + (match >>> 3)) >>> (match & 7)) & 1;
}

/** Replaces those ids from `at` on whose bits are set. */
@inline
function replace(at: usize, expired: u64): void {
  const mask = load<u32>(activeMatches + (<usize>(matchCount + 1) << 2));
  // A bit less in each iteration.
  for (; expired != 0; expired &= expired - 1) {
    const one = at + (<usize>ctz(expired) << 2);
    store<u32>(one, load<u32>(activeMatches + (<usize>(load<u32>(one) & mask) << 2)));
  }
}
