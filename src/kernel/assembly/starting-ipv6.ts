import {
  GAPS,
  KIND_DELIMITER,
  KINDS,
  TOKEN_FRONT,
  VECTOR_AFTER_F,
  VECTOR_COLON,
  VECTOR_DIGIT_9,
  VECTOR_IS_COLON,
  VECTOR_LETTER_BIAS,
  VECTOR_LETTERS,
  VECTOR_LOW_NIBBLE,
  VECTOR_LOWER_CASE,
  VECTOR_PAIRS,
  VECTOR_TEN,
  VECTOR_TO_FRONT,
} from "../workspace.ts";
import { workspace } from "./workspace.ts";

const LF: u8 = 0x0a;

/*
 * An IPv6 address at the beginning of a line, split by masks with one bit per byte. For "2001:db8::7 " (byte 0 on the
 * left):
 *
 *     text     2 0 0 1 : d b 8 : : 7
 *     colons   . . . . 1 . . . 1 1 .        length = 11: the bytes until the first that is no part
 *     gaps     . . . . . . . . 1 . .        a colon before another
 *     digits   1 1 1 1 . 1 1 1 . . 1
 *     ends     . . . . 1 . . . 1 1 . 1      the byte after each group; the gap is a group without digits
 *
 * Each group is the four bytes before its end; what is not its own is a colon, and what lies before that, and is
 * blanked. There are `before` groups before the gap and `after` after it: the shuffle number 9 * before + after brings
 * the groups to where they belong and gives zeros to the gap, as RFC 4291, section 2.2 reads it.
 *
 * Bounds: 48 bytes and the byte at `length` (39 at most) are within the 64 after `at`; a group is loaded 4 bytes before
 * its end, which is 1 at least, so from at - 3 on, and a group that is not there (ctz(0) = 64) from at + 60 on: its
 * last byte is at + 63.
 */
/** Bytes that are a hexadecimal digit or a colon: 0xff, others 0. */
@inline
function ipv6Bytes(text: v128, base: usize): v128 {
  // Adding wraps at 256, which changes the order of the bytes: "0" + 0x50 = 0x80 is the least signed byte, and ":"
  // follows "9". So one comparison tests a whole range: 0x80 ... 0x8a are the digits and the colon, letters likewise by
  // 0x1f + "a" = 0x80.
  const digitOrColon = i8x16.le_s(i8x16.add(text, v128.load(base, VECTOR_TO_FRONT)), v128.load(base, VECTOR_COLON));
  const letters = i8x16.add(v128.or(text, v128.load(base, VECTOR_LOWER_CASE)), v128.load(base, VECTOR_LETTERS));
  return v128.or(digitOrColon, i8x16.lt_s(letters, v128.load(base, VECTOR_AFTER_F)));
}

/** Bit i: bit 7 of byte i of the 48 bytes. */
@inline
function maskOf(part0: v128, part1: v128, part2: v128): u64 {
  return <u64>(<u32>(i8x16.bitmask(part0) | (i8x16.bitmask(part1) << 16))) | (<u64>(<u32>i8x16.bitmask(part2)) << 32);
}

/** The values of four groups, as two bytes in 16-bit lanes each, from the four characters up to the end of each. */
@inline
function valuesOf(text: v128, base: usize): v128 {
  const low = v128.and(text, v128.load(base, VECTOR_LOW_NIBBLE));
  const digits = i8x16.add(low, v128.and(i8x16.gt_s(text, v128.load(base, VECTOR_DIGIT_9)), v128.load(base, VECTOR_LETTER_BIAS)));
  // A colon, or the LF before the line, and what is before it do not belong to the group. A lane holds four
  // characters, the last of the group in its upper byte. Shifting the mask down by one byte and then by two marks all
  // bytes before one that is marked:
  //     characters    ':'  'd'  'b'  '8'             7:  "8" ":" ":" "7"
  //     marked         ff   00   00   00                  00  ff  ff  00
  //     all before     ff   00   00   00                  ff  ff  ff  00
  let others = i8x16.eq(low, v128.load(base, VECTOR_TEN));
  others = v128.or(others, i32x4.shr_u(others, 8));
  others = v128.or(others, i32x4.shr_u(others, 16));
  // Two digits make a byte: 16 * first + second, 255 at most, in a 16-bit lane.
  return i16x8.relaxed_dot_i8x16_i7x16_s(v128.andnot(digits, others), v128.load(base, VECTOR_PAIRS));
}

/** How many bytes the last address that `startingIpv6` found has. */
export let startingLength: u32 = 0;

/**
 * Returns 6 and writes the words of the address if a whole token at `at`, the front of a line, is an IPv6 address
 * without a dotted quad in it that is not IPv4-mapped, nor "::"; otherwise 0, and the general way must decide. Nothing
 * branches on the number of groups or the position of the gap. Reads 64 bytes, and 4 in front.
 */
export function startingIpv6(at: usize, words: usize): i32 {
  const base = workspace;
  const text0 = v128.load(at);
  // The first group has at most four digits: dates and names of months end here.
  const colon = v128.load(base, VECTOR_IS_COLON);
  if ((i8x16.bitmask(i8x16.eq(text0, colon)) & 31) == 0) return 0;
  const text1 = v128.load(at, 16);
  const text2 = v128.load(at, 32);
  const length = <u32>ctz(~maskOf(ipv6Bytes(text0, base), ipv6Bytes(text1, base), ipv6Bytes(text2, base)));
  const colons = maskOf(i8x16.eq(text0, colon), i8x16.eq(text1, colon), i8x16.eq(text2, colon)) & ((<u64>1 << length) - 1);
  if (length < 3 || length > 39 || <i32>load<u8>(base + load<u8>(at + length), KINDS) < KIND_DELIMITER || load<u8>(at - 1) != LF) return 0;

  // `length` is at most 48, as many bits as the mask has, and 39 from here on: all shifts are by less than 64. gaps &
  // (gaps - 1) is not 0 with a second gap, or with ":::", which has two bits. No gap or one; seven colons without one.
  // A colon at the front or the end must be half of the gap. No five digits in a row.
  const gaps = colons & (colons >>> 1);
  const last = <u64>1 << (length - 1);
  const loneEnds = (colons & 1 & ~gaps) | (colons & last & ~(gaps << 1));
  const digits = ~colons & ((last << 1) - 1);
  // Bit i of `pairs`: bytes i and i + 1 are digits; with those at i + 2, i + 3 and i + 4 it is five in a row.
  const pairs = digits & (digits >>> 1);
  const tooLong = pairs & (pairs >>> 2) & (digits >>> 4);
  // The groups end before a colon or the end of the text. The gap is a group without digits, which counts as one: of
  // its colons the one at the front or the end of the text is left out.
  let ends = (colons & ~(<u64>1)) | ((last & ~colons) << 1);
  const count = <i32>popcnt(ends);
  if (((gaps & (gaps - 1)) | loneEnds | tooLong) != 0 || (gaps == 0 ? count != 8 : count > 8)) return 0;
  // For "2001:db8::7", gaps has bit 8: below it two groups end (4 and 8), from bit 10 on one (11). The end at 9 is the
  // gap's own. 9 * 2 + 1 = 19: | g0 | g1 | 0 | 0 | 0 | 0 | 0 | g3 |. Without a gap both masks are all bits and none: 9
  // * 8 + 0.
  const shuffle = base + (<usize>(9 * popcnt(ends & ((gaps << 1) - 1)) + popcnt(ends & ~((gaps << 2) - 1))) << 4);

  // Groups that are not there are read after the text, and left out by the shuffle.
  const from = at - 4;
  let high = v128.load32_zero(from + <usize>ctz(ends));
  ends &= ends - 1;
  high = v128.load32_lane(from + <usize>ctz(ends), high, 1);
  ends &= ends - 1;
  high = v128.load32_lane(from + <usize>ctz(ends), high, 2);
  ends &= ends - 1;
  high = v128.load32_lane(from + <usize>ctz(ends), high, 3);
  ends &= ends - 1;
  let low = v128.load32_zero(from + <usize>ctz(ends));
  ends &= ends - 1;
  low = v128.load32_lane(from + <usize>ctz(ends), low, 1);
  ends &= ends - 1;
  low = v128.load32_lane(from + <usize>ctz(ends), low, 2);
  ends &= ends - 1;
  low = v128.load32_lane(from + <usize>ctz(ends), low, 3);

  const groups = i8x16.narrow_i16x8_u(valuesOf(high, base), valuesOf(low, base));
  const address = i8x16.relaxed_swizzle(groups, v128.load(shuffle, GAPS));
  v128.store(words, address);
  startingLength = length;
  // ::ffff:0:0/96 is IPv4.
  return i64x2.extract_lane(address, 0) == 0 && i32x4.extract_lane(address, 2) == 0xffff ? 0 : 6;
}

/** As `startingIpv6`, for a token anywhere: it is read as if it were the front of a line. */
@inline
export function copiedIpv6(at: usize, words: usize): i32 {
  const front = workspace + TOKEN_FRONT;
  store<u8>(front - 1, LF);
  v128.store(front, v128.load(at));
  v128.store(front, v128.load(at, 16), 16);
  v128.store(front, v128.load(at, 32), 32);
  return startingIpv6(front, words);
}
