import { KIND_SHIFT, NODE_BITMAP, NODE_HASHED, NODE_LIST, NODE_POINTS, NODE_TREE, NODE_WIDE } from "../../table/layout.ts";
import {
  BITMAP_LIMIT,
  OFFSET_STEP,
  GAP_RUNS,
  GAPS,
  HASHED_KIND,
  KIND_COLON,
  KIND_DELIMITER,
  KIND_ESCAPE,
  KIND_DOT,
  KIND_HEX,
  KIND_OTHER,
  KINDS,
  LIST_KIND,
  MASKS,
  OCTETS,
  OFFSETS,
  POINTS_KIND,
  PREFIX_LENGTHS,
  QUAD_BIAS,
  QUAD_LEAST,
  QUAD_MASK,
  QUAD_MULTIPLIER,
  QUADS,
  SHUFFLES,
  TREE_KIND,
  VECTOR_AFTER_F,
  VECTOR_BACKSLASH,
  VECTOR_CLOSE,
  VECTOR_COLON,
  VECTOR_COLON_BITS,
  VECTOR_COMMA,
  VECTOR_DIGIT_9,
  VECTOR_DOT,
  VECTOR_DOT_LANES,
  VECTOR_DOT_TABLE,
  VECTOR_DOTS,
  VECTOR_IS_COLON,
  VECTOR_LETTER_BIAS,
  VECTOR_LETTERS,
  VECTOR_LF,
  VECTOR_LOW_NIBBLE,
  VECTOR_LOWER_CASE,
  VECTOR_MAX_OCTET,
  VECTOR_NINE,
  VECTOR_OPEN,
  VECTOR_PAIRS,
  VECTOR_QUOTE,
  VECTOR_TEN,
  VECTOR_TO_FRONT,
  VECTOR_TO_WORDS,
  VECTOR_WEIGHTS,
  WIDE_KIND,
} from "../workspace.ts";
import { workspace } from "./workspace.ts";

/** A shuffle's index that gives 0. */
const NOTHING: i8 = -128;

/**
 * Writes the tables that the loops read to the workspace. (In JavaScript it would be milliseconds: it would run
 * uncompiled.)
 */
export function writeTables(): void {
  writeKinds(workspace + KINDS);
  memory.fill(workspace + QUADS, 0, 256 << 6); // what lay here before must not look like an entry
  for (let a = 1; a <= 3; a++) for (let b = 1; b <= 3; b++) for (let c = 1; c <= 3; c++) for (let d = 1; d <= 3; d++) writeQuadEntry(a, b, c, d);
  writeVectors(workspace);
  for (let before = 0; before <= 8; before++) for (let after = 0; before + after <= 8; after++) writeGap(before, after);
  for (let octet: u32 = 0; octet < 256; octet++) writeNumber(workspace + OCTETS + (octet << 3), octet, 0, 0x2e);
  for (let length: u32 = 0; length <= 128; length++) writeNumber(workspace + PREFIX_LENGTHS + (length << 3), length, 0x2f, 0);
  for (let mask: u32 = 0; mask < 256; mask++) store<u8>(workspace + GAP_RUNS + mask, gapRunOf(mask));
  for (let length = 0; length <= 128; length++) writeMask(workspace + MASKS + (<usize>length << 4), length);
  for (let mask: u32 = 0; mask < 16; mask++) writeShuffle(workspace + SHUFFLES + (<usize>mask << 4), mask);
}

/** "@" and "`" are 0x40 and 0x60, before the letters, of which the first six are hexadecimal digits. */
function writeKinds(kinds: usize): void {
  memory.fill(kinds, <u8>KIND_DELIMITER, 256);
  memory.fill(kinds + 0x30, <u8>KIND_HEX, 10);
  for (let letters = kinds + 0x40; letters <= kinds + 0x60; letters += 0x20) {
    memory.fill(letters + 1, <u8>KIND_OTHER, 26);
    memory.fill(letters + 1, <u8>KIND_HEX, 6);
  }
  store<u8>(kinds, <u8>KIND_OTHER, 0x5f);
  store<u8>(kinds, <u8>KIND_DOT, 0x2e);
  store<u8>(kinds, <u8>KIND_COLON, 0x3a);
  store<u8>(kinds, <u8>KIND_ESCAPE, 0x23);
  store<u8>(kinds, <u8>KIND_ESCAPE, 0x25);
  store<u8>(kinds, <u8>KIND_ESCAPE, 0x5c);
}

/*
 * An entry of QUADS, 64 bytes, for example for digits 3, 1, 1 and 2 ("192.0.2.77"); -- gives 0:
 *
 *      0   shuffle       0  1  2  3 | -- --  4  5 | -- --  6  7 | --  8  9 10
 *     16   bias             -5328   |     -48     |     -48     |    -528
 *     32   least            100        0         0        10        (16 bits each)
 *     40   mask             bits 3, 5, 7 and 10
 *     44   unused
 */
/** Writes the entry of the quad whose octets have these numbers of digits. */
function writeQuadEntry(a: i32, b: i32, c: i32, d: i32): void {
  const ends0 = a;
  const ends1 = ends0 + 1 + b;
  const ends2 = ends1 + 1 + c;
  const ends3 = ends2 + 1 + d;
  const mask = (1 << ends0) | (1 << ends1) | (1 << ends2) | (1 << ends3);
  const entry = workspace + QUADS + ((<usize>(<u32>(mask * <i32>QUAD_MULTIPLIER) >>> 24)) << 6);
  writeOctetEntry(entry, 0, a, ends0);
  writeOctetEntry(entry, 1, b, ends1);
  writeOctetEntry(entry, 2, c, ends2);
  writeOctetEntry(entry, 3, d, ends3);
  store<i32>(entry, mask, QUAD_MASK);
}

/** The part of a quad's entry about the octet whose digits, this many, end before the byte `end`. */
function writeOctetEntry(entry: usize, octet: usize, digits: i32, end: i32): void {
  const lane = entry + (octet << 2);
  store<i8>(lane, digits < 3 ? NOTHING : <i8>(end - 3));
  store<i8>(lane, digits < 2 ? NOTHING : <i8>(end - 2), 1);
  store<i8>(lane, <i8>(end - 1), 2);
  store<i8>(lane, <i8>end, 3);
  store<i32>(lane, -0x30 * (digits == 3 ? 111 : digits == 2 ? 11 : 1), QUAD_BIAS);
  store<i16>(entry + (octet << 1), digits == 3 ? 100 : digits == 2 ? 10 : 0, QUAD_LEAST);
}

/*
 * Where a constant looks odd: 0x50 + 0x39 and its like wrap as signed bytes do. "0" + 0x50 is 0x80 = -128, the least,
 * so
 *
 *     text + 0x50    -128 ... -119  -118     -117 ... 127
 *     text           "0"  ... "9"   ":"      all else           one comparison with VECTOR_NINE or VECTOR_COLON
 *
 * Weights are at most 100, signed bytes. Products are summed in pairs, of characters at most 57 * (100 + 10) = 6270: 16
 * bits hold that. VECTOR_TO_WORDS turns octets a b c d of 16-bit lanes into the word 0xaabbccdd, little-endian: d
 * first.
 */
function writeVectors(base: usize): void {
  v128.store(base, i8x16.splat(0x50), VECTOR_TO_FRONT);
  v128.store(base, i8x16.splat(0x50 + 0x39), VECTOR_NINE);
  v128.store(base, i8x16.splat(0x50 + 0x3a), VECTOR_COLON);
  v128.store(base, i8x16(100, 10, 1, 0, 100, 10, 1, 0, 100, 10, 1, 0, 100, 10, 1, 0), VECTOR_WEIGHTS);
  v128.store(base, i8x16(0, 0, 0, 0x2e, 0, 0, 0, 0x2e, 0, 0, 0, 0x2e, 0, 0, 0, 0), VECTOR_DOTS);
  v128.store(base, i8x16(0, 0, 0, -1, 0, 0, 0, -1, 0, 0, 0, -1, 0, 0, 0, 0), VECTOR_DOT_LANES);
  v128.store(base, i16x8.splat(255), VECTOR_MAX_OCTET);
  v128.store(base, i8x16(6, 4, 2, 0, 14, 12, 10, 8, 6, 4, 2, 0, 14, 12, 10, 8), VECTOR_TO_WORDS);
  v128.store(base, i8x16.splat(0x20), VECTOR_LOWER_CASE);
  v128.store(base, i8x16.splat(0x1f), VECTOR_LETTERS);
  v128.store(base, i8x16.splat(0x1f + 0x67), VECTOR_AFTER_F);
  v128.store(base, i8x16.splat(0x3a), VECTOR_IS_COLON);
  v128.store(base, i8x16.splat(0x0f), VECTOR_LOW_NIBBLE);
  v128.store(base, i8x16.splat(0x0a), VECTOR_TEN);
  v128.store(base, i8x16.splat(0x39), VECTOR_DIGIT_9);
  v128.store(base, i8x16.splat(9), VECTOR_LETTER_BIAS);
  v128.store(base, i8x16(16, 1, 16, 1, 16, 1, 16, 1, 16, 1, 16, 1, 16, 1, 16, 1), VECTOR_PAIRS);
  v128.store(base, i8x16.splat(0x0a), VECTOR_LF);
  v128.store(base, i8x16.splat(0x2e), VECTOR_DOT);
  v128.store(base, i8x16.splat(0x22), VECTOR_QUOTE);
  v128.store(base, i8x16.splat(0x2c), VECTOR_COMMA);
  v128.store(base, i8x16.splat(0x5c), VECTOR_BACKSLASH);
  v128.store(base, i8x16.splat(0x7b), VECTOR_OPEN);
  v128.store(base, i8x16.splat(0x7d), VECTOR_CLOSE);
  v128.store(base, i8x16(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x0a, 0, 0, 0, 0x2e, 0), VECTOR_DOT_TABLE);
  v128.store(base, i8x16.splat(<i8>0xcf), VECTOR_COLON_BITS);
  v128.store(base, i32x4(0, 4, 8, 12), OFFSETS);
  v128.store(base, i32x4.splat(16), OFFSET_STEP);
  v128.store(base, i32x4.splat(8 | NODE_WIDE), WIDE_KIND);
  v128.store(base, i32x4.splat(8 | NODE_LIST), LIST_KIND);
  v128.store(base, i32x4.splat(8 | NODE_TREE), TREE_KIND);
  v128.store(base, i32x4.splat(8 | NODE_POINTS), POINTS_KIND);
  v128.store(base, i32x4.splat(8 | NODE_HASHED), HASHED_KIND);
  v128.store(base, i32x4.splat(((8 | NODE_BITMAP) + 1) << KIND_SHIFT), BITMAP_LIMIT);
}

/** Writes the shuffle that moves those of four words that the mask names to the front. */
function writeShuffle(at: usize, mask: u32): void {
  // For 0b1010:   04 05 06 07 | 0c 0d 0e 0f | -- -- -- -- | -- -- -- --        lane i begins at byte 4 * i
  v128.store(at, i8x16.splat(NOTHING));
  for (let lane: u32 = 0; lane < 4; lane++) {
    if (((mask >>> lane) & 1) == 0) continue;
    store<u32>(at, 0x0302_0100 + 0x0404_0404 * lane);
    at += 4;
  }
}

/** Writes the shuffle for these numbers of groups before and after the gap. */
function writeGap(before: i32, after: i32): void {
  const shuffle = workspace + GAPS + (<usize>(9 * before + after) << 4);
  v128.store(shuffle, i8x16.splat(NOTHING));
  // Groups as written:  | before | gap | after |          of the address:  | before | zeros | after |
  //     from            0 ...      b    b + 1 ...                            0 ...    b ...   moved ... 7
  const moved = 8 - after;
  for (let group = 0; group < 8; group++) {
    if (group >= before && group < moved) continue;
    const from = group < before ? group : group - moved + before + 1;
    // A word's bytes in memory are those of its two groups, last first.
    store<u8>(shuffle + ((group << 1) ^ 3), <u8>(from << 1));
    store<u8>(shuffle + (((group << 1) + 1) ^ 3), <u8>((from << 1) + 1));
  }
}

/**
 * Writes a number of at most three digits, between two characters (0: none), and the length of that in the upper half.
 */
function writeNumber(to: usize, number: u32, first: u8, last: u8): void {
  let at = to;
  if (first != 0) store<u8>(at++, first);
  if (number > 99) store<u8>(at++, <u8>(0x30 + number / 100));
  if (number > 9) store<u8>(at++, <u8>(0x30 + (number / 10) % 10));
  store<u8>(at++, <u8>(0x30 + number % 10));
  if (last != 0) store<u8>(at++, last);
  store<u32>(to, <u32>(at - to), 4);
}

/**
 * By RFC 5952, sections 4.2.2 and 4.2.3: the longest run of two zero groups or more, the first of them on a tie.
 * Beginning with length 1 leaves out runs of one; taking only a longer run keeps the first.
 */
function gapRunOf(mask: u32): u8 {
  let gap: u32 = 8;
  let gapLength: u32 = 1; // so gap | length << 4 is at most 0 | 8 << 4 = 128: a byte
  for (let group: u32 = 0; group < 8; group++) {
    let end = group;
    // The lanes of a word's two groups are swapped.
    while (end < 8 && ((mask >>> (end ^ 1)) & 1) != 0) end++;
    if (end - group <= gapLength) continue;
    gap = group;
    gapLength = end - group;
  }
  return <u8>(gap | (gapLength << 4));
}

/** Writes the words of the mask of this many bits. */
function writeMask(to: usize, length: i32): void {
  // For 40:   ffffffff  ff000000  00000000  00000000        a shift is by 1 to 31: the other two are cases of their own
  for (let word = 0; word < 4; word++) {
    const bits = length - (word << 5);
    store<u32>(to + (<usize>word << 2), bits >= 32 ? <u32>-1 : bits <= 0 ? 0 : <u32>-1 << (32 - bits));
  }
}
