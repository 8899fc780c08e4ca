import {
  CHUNK_BYTES,
  CHUNK_LINES,
  FRONT_HITS,
  FRONT_LINES,
  FRONTS,
  HITS,
  KIND_COLON,
  KIND_DELIMITER,
  KIND_DELIMITER_BIT,
  KIND_HEX,
  KINDS,
  LINE_STARTS,
  LINES_4,
  LINES_6,
  PENDING_LINES,
  PENDING_PAIRS,
  QUAD_BIAS,
  QUAD_LEAST,
  QUAD_MASK,
  QUAD_MULTIPLIER,
  QUADS,
  VECTOR_DOT_LANES,
  VECTOR_DOTS,
  VECTOR_LF,
  VECTOR_MAX_OCTET,
  VECTOR_NINE,
  VECTOR_TO_FRONT,
  VECTOR_TO_WORDS,
  VECTOR_WEIGHTS,
  WORDS_4,
  WORDS_6,
} from "../workspace.ts";
import { findAtHits, findInLine, frontAtHit, quadAtFront } from "./find.ts";
import { findLinesAndHits, hitsKnown } from "./hits.ts";
import { wholeQuad } from "./quad.ts";
import { startingIpv6 } from "./starting-ipv6.ts";
import { workspace } from "./workspace.ts";

const LF: u8 = 0x0a;

/** If lines do not begin with a quad, this many lines of a chunk are tried to see whether that has changed. */
const TRIED_LINES: i32 = 16;

/** The chunk that was scanned last: its lines, and how many of them have an address of either family. */
export let chunkLines: i32 = 0;
export let found4: i32 = 0;
export let found6: i32 = 0;

/** Sets what another scan has found. */
export function setScanned(lines: i32, count4: i32, count6: i32): void {
  chunkLines = lines;
  found4 = count4;
  found6 = count6;
}

export function scannedLines(): i32 {
  return chunkLines;
}

export function scanned4(): i32 {
  return found4;
}

export function scanned6(): i32 {
  return found6;
}

/** How many LFs are in [at, end); 16 bytes after that can be read. */
export function countNewlines(at: usize, end: usize): i32 {
  // The shift is by 1 to 15 in the last iteration only; before that all 16 bits count.
  const lf = i8x16.splat(LF);
  let count = 0;
  for (; at < end; at += 16) {
    let mask: u32 = i8x16.bitmask(i8x16.eq(v128.load(at), lf));
    if (end - at < 16) mask &= (<u32>1 << <u32>(end - at)) - 1;
    count += popcnt(mask);
  }
  return count;
}

/**
 * Scans lines of the text [at, end), at < end: a chunk of them, from the line that begins at `at`. Returns where the
 * next line begins, `end` or past it after the last. The byte before `end` or the one at `end` is an LF, and 64 bytes
 * after that can be read. Fills the line starts, words and line numbers of the workspace.
 */
export function scanChunk(at: usize, end: usize): usize {
  const starts = workspace + LINE_STARTS;
  const lines = byHits ? findLinesAndHits(at, end, starts) : findLines(at, end, starts);
  chunkLines = lines;
  findAddresses(lines);
  return load<u32>(workspace + LINE_STARTS + (<usize>lines << 2));
}

/*
 * Bounds of a chunk. A step of the search for lines begins with at most CHUNK_LINES starts after the first, since more
 * end the chunk, and finds 64 newlines at most: 1 + 512 + 64 = 577 starts, fewer than LINE_ENTRIES (640). The stores
 * beyond those found (two or six in any case) end at most 3 entries further. So no store leaves an array by line, and
 * nothing after this needs a check: there are at most as many addresses as lines.
 *
 * Bounds of the text. A line begins before `end` and the text ends with an LF; TEXT_SLACK (64) bytes after that can be
 * read. Each load below lies within the 64 bytes from a line's front, or from a position before `end`.
 */
/** Whether the lines that were found last have more than 128 bytes on average. */
let long: bool = false;

/**
 * Stores the starts of the lines from `at` on, and of the line after the last of them; returns how many lines there
 * are.
 */
export function findLines(at: usize, end: usize, starts: usize): i32 {
  const lines = long ? findLongLines(at, end, starts) : findShortLines(at, end, starts);
  long = <usize>load<u32>(starts + (<usize>lines << 2)) - at > <usize>lines << 7;
  return lines;
}

function findShortLines(at: usize, end: usize, starts: usize): i32 {
  // Now the text ends with the LF of its last line.
  if (load<u8>(end - 1) != LF) end++;
  const most = starts + (CHUNK_LINES << 2);
  const bytesEnd = end - at > <usize>CHUNK_BYTES ? at + CHUNK_BYTES : end;
  const lf = v128.load(workspace, VECTOR_LF);
  let out = starts + 4;
  store<u32>(starts, at);
  while (at < end) {
    let mask = newlines(at, lf);
    const after = at + 64;
    // Here 0 < end - at < 64, so the shift is one of 1 to 63. Newlines past `end` do not belong to this text.
    if (after > end) mask &= (<u64>1 << (end - at)) - 1;
    const count = <usize>popcnt(mask);
    // With nothing left `mask` is 0, mask - 1 wraps and & gives 0 again, and ctz(0) is 64: harmless stores. Always two,
    // then four: the number of newlines is predictable for lines of similar length, and a misprediction costs little
    // for others. Surplus entries are overwritten by the next ones.
    store<u32>(out, at + <usize>ctz(mask) + 1);
    mask &= mask - 1;
    store<u32>(out, at + <usize>ctz(mask) + 1, 4);
    if (count > 2) {
      mask &= mask - 1;
      store<u32>(out, at + <usize>ctz(mask) + 1, 8);
      mask &= mask - 1;
      store<u32>(out, at + <usize>ctz(mask) + 1, 12);
      mask &= mask - 1;
      store<u32>(out, at + <usize>ctz(mask) + 1, 16);
      mask &= mask - 1;
      store<u32>(out, at + <usize>ctz(mask) + 1, 20);
      for (let index: usize = 6; index < count; index++) {
        mask &= mask - 1;
        store<u32>(out + (index << 2), at + <usize>ctz(mask) + 1);
      }
    }
    out += count << 2;
    at = after;
    // One comparison for both: a chunk has at least one line, however long.
    if (out > most || at >= bytesEnd) {
      if (out > starts + 4) break;
    }
  }
  return <i32>((out - starts) >>> 2) - 1;
}

/** As `findShortLines`: most steps find no newline, and neither look for positions nor compare how many there are. */
function findLongLines(at: usize, end: usize, starts: usize): i32 {
  if (load<u8>(end - 1) != LF) end++;
  const most = starts + (CHUNK_LINES << 2);
  let stop = end - at > <usize>CHUNK_BYTES ? at + CHUNK_BYTES : end;
  const lf = v128.load(workspace, VECTOR_LF);
  let out = starts + 4;
  store<u32>(starts, at);
  while (true) {
    if (hasNewline(at, lf)) {
      let mask = newlines(at, lf);
      if (end - at < 64) mask &= (<u64>1 << (end - at)) - 1;
      for (; mask != 0; mask &= mask - 1, out += 4) store<u32>(out, at + <usize>ctz(mask) + 1);
      if (out > most) stop = at;
    }
    at += 64;
    if (at >= stop && (out > starts + 4 || at >= end)) break;
  }
  return <i32>((out - starts) >>> 2) - 1;
}

/** Whether an LF is in the 64 bytes at `at`. */
@inline
function hasNewline(at: usize, lf: v128): bool {
  const first = v128.or(i8x16.eq(v128.load(at), lf), i8x16.eq(v128.load(at, 16), lf));
  const second = v128.or(i8x16.eq(v128.load(at, 32), lf), i8x16.eq(v128.load(at, 48), lf));
  return v128.any_true(v128.or(first, second));
}

/** Bit i is set where bytes[at + i] is an LF, i < 64. */
@inline
function newlines(at: usize, lf: v128): u64 {
  // Four masks of 16 bits, the first bytes lowest:
  //     bit 63        48 47        32 31        16 15         0
  //         |    m3     |    m2     |    m1     |    m0     |
  const m0 = <u64>(<u32>i8x16.bitmask(i8x16.eq(v128.load(at), lf)));
  const m1 = <u64>(<u32>i8x16.bitmask(i8x16.eq(v128.load(at, 16), lf)));
  const m2 = <u64>(<u32>i8x16.bitmask(i8x16.eq(v128.load(at, 32), lf)));
  const m3 = <u64>(<u32>i8x16.bitmask(i8x16.eq(v128.load(at, 48), lf)));
  return (m0 | (m1 << 16)) | ((m2 | (m3 << 16)) << 32);
}

/*
 * The steps for a line; each one runs only if the one before found no address:
 *
 *     findPairs   two lines that both begin with a dotted quad       most lines of a log
 *        | PENDING_PAIRS
 *     findQuad    one line that does
 *        | PENDING_LINES
 *     findOther   startingIpv6: begins with an IPv6 address, then findInLine: anywhere in the line
 *
 * If hardly any line of a chunk began with a quad, only TRIED_LINES lines of the next are tried for one. If hardly any
 * began with an address at all, `findByHits` examines the places in the next chunk at which an address may be (hits.ts),
 * which are found together with the newlines, and the first TRIED_LINES lines only show whether that has changed.
 *
 * PENDING_PAIRS has room for LINE_ENTRIES / 2 pairs and PENDING_LINES for LINE_ENTRIES lines: all of a chunk. A pair
 * that is stored and not put aside is overwritten by the next, so at most one extra entry is written.
 */
/** Where the words of the next address of either family go, and the next pair of lines that is put aside. */
let to4: usize = 0;
let to6: usize = 0;
let asideEnd: usize = 0;

/** Whether the last chunk had pairs of quads and others, both in numbers, so that no branch can be predicted. */
let mixed: bool = false;

/** Whether few lines of the last chunk began with a quad: then only the first lines of the next are tried. */
let elsewhere: bool = false;

/** Whether few lines of the last chunk began with any address: then the hits of the whole next chunk are found first. */
let byHits: bool = false;

/** How many lines of the chunk begin with IPv6, among those that are tried for it: where hits are read, the first few. */
let starting6: i32 = 0;

/**
 * Finds the addresses of the lines, in no particular order: first dotted quads two by two, then one by one, then
 * everything else.
 */
function findAddresses(lines: i32): void {
  const base = workspace;
  to4 = base + WORDS_4;
  to6 = base + WORDS_6;
  const tried = elsewhere && lines > TRIED_LINES ? TRIED_LINES : lines;
  let quads = 0;
  starting6 = 0;
  if (byHits) {
    findByHits(lines);
    quads = countStarting(tried);
  } else {
    const aside = elsewhere ? tryFirstLines(tried, lines) : findQuads(lines);
    quads = <i32>((to4 - base - WORDS_4) >>> 2);
    for (let line = base + PENDING_LINES; line < aside; line += 4) findOther(<usize>load<u32>(line));
  }
  // At most one in 16. All numbers are below LINE_ENTRIES: no shift overflows.
  elsewhere = quads << 4 < tried;
  byHits = elsewhere && starting6 << 4 < (byHits ? tried : lines);
  found4 = <i32>((to4 - base - WORDS_4) >>> 2);
  found6 = <i32>((to6 - base - WORDS_6) >>> 4);
}

/** Of the first lines, returns how many begin with a quad, and adds those that begin with IPv6 to `starting6`. */
function countStarting(tried: i32): i32 {
  const base = workspace;
  let quads = 0;
  for (let start = base + LINE_STARTS, end = start + (<usize>tried << 2); start < end; start += 4) {
    const at = <usize>load<u32>(start);
    if (wholeQuad(at, to4)) quads++;
    else if (mayStartIpv6(at) && startingIpv6(at, to6) == 6) starting6++;
  }
  return quads;
}

/** Whether the first byte of a line may be that of an IPv6 address. */
@inline
function mayStartIpv6(at: usize): bool {
  return (<i32>load<u8>(workspace + load<u8>(at), KINDS) & (KIND_HEX | KIND_COLON)) != 0;
}

/** Finds the quads at the beginning of the lines [0, tried), and puts the others of all lines aside. */
function tryFirstLines(tried: i32, lines: i32): usize {
  const starts = workspace + LINE_STARTS;
  const triedEnd = starts + (<usize>tried << 2);
  const end = starts + (<usize>lines << 2);
  let aside = workspace + PENDING_LINES;
  let start = starts;
  for (; start < triedEnd; start += 4) aside = findQuad(start, aside);
  for (; start < end; start += 4, aside += 4) store<u32>(aside, start);
  return aside;
}

/**
 * Finds the addresses of this many lines by the hits of the chunk. What may be quads is read two by two; where one of a
 * pair is none, both are read one by one.
 */
function findByHits(lines: i32): void {
  const base = workspace;
  const fronts = base + FRONTS;
  const end = findFronts(lines);
  const aside = base + PENDING_PAIRS;
  asideEnd = aside;
  findPairs(fronts, <i32>((end - fronts) >>> 3), true, true);
  for (let pair = aside; pair < asideEnd; pair += 4) {
    const front = <usize>load<u32>(pair);
    findAtFront(front);
    findAtFront(front + 4);
  }
  if (((end - fronts) & 4) != 0) findAtFront(end - 4);
}

/**
 * Stores where the first hit of each of this many lines shows that a quad may begin, and finds the addresses of all
 * other lines. Returns where what is stored ends.
 */
function findFronts(lines: i32): usize {
  const base = workspace;
  const known = hitsKnown;
  let hit = base + HITS;
  let to = base + FRONTS;
  for (let line = 0; line < lines; line++) {
    const start = <usize>load<u32>(base + (<usize>line << 2), LINE_STARTS);
    const end = <usize>load<u32>(base + (<usize>line << 2), LINE_STARTS + 4) - 1;
    // The last hit, -1, is no less than any start or end.
    while (<usize>load<u32>(hit) < start) hit += 4;
    const at = <usize>load<u32>(hit);
    if (end > known) addFound(line, findInLine(start, end, to6));
    else if (at < end) {
      const front = frontAtHit(at, start);
      store<u32>(to, front);
      store<u32>(to, line, FRONT_LINES - FRONTS);
      store<u32>(to, hit, FRONT_HITS - FRONTS);
      if (front != 0) to += 4;
      else addFound(line, findAtHits(hit, start, end, to6));
    }
  }
  return to;
}

/** Finds the address of the line of the front that is stored at `front`. */
function findAtFront(front: usize): void {
  const line = load<i32>(front, FRONT_LINES - FRONTS);
  if (quadAtFront(<usize>load<u32>(front), to4)) return addWord(line);
  const start = workspace + (<usize>line << 2);
  addFound(line, findAtHits(<usize>load<u32>(front, FRONT_HITS - FRONTS), <usize>load<u32>(start, LINE_STARTS), <usize>load<u32>(start, LINE_STARTS + 4) - 1, to6));
}

/** Finds the quads at the beginning of lines, two by two, and puts the other lines aside. Returns where these end. */
function findQuads(lines: i32): usize {
  const base = workspace;
  const pairs = lines >>> 1;
  const aside = base + PENDING_PAIRS;
  asideEnd = aside;
  const starts = base + LINE_STARTS;
  if (mixed) findPairs(starts, pairs, false, false);
  else findPairs(starts, pairs, true, false);
  const failed = <i32>((asideEnd - aside) >>> 2);
  // More than one in 32 of either kind. Both numbers are below LINE_ENTRIES: no shift overflows.
  mixed = failed << 5 > pairs && (pairs - failed) << 5 > pairs;

  // The lines of the pairs that were put aside, and a last line without a partner.
  // Every line is now in exactly one of three states: both of a pair stored, its pair put aside, or the last, alone.
  let single = base + PENDING_LINES;
  for (let pair = aside; pair < asideEnd; pair += 4) {
    const start = <usize>load<u32>(pair);
    single = findQuad(start, single);
    single = findQuad(start + 4, single);
  }
  if ((lines & 1) != 0) single = findQuad(base + LINE_STARTS + (<usize>(lines - 1) << 2), single);
  return single;
}

/**
 * Finds the quads at this many pairs of the positions stored from `start` on, which are the beginnings of lines.
 * Nothing branches on the positions of the digits, which cannot be predicted, and no line waits for the one before. Two
 * lines are processed side by side, because checking eight octets costs as much as checking four; pairs that are not two
 * quads are put aside. If most are quads, that is a branch, left to the processor's `guess` (1.1 times as fast); if they
 * are mixed, it is none (1.1 times as fast). With `byFronts` the positions are those at FRONTS, whose lines are stored
 * beside them, and pairs of which one may be a version are put aside too.
 */
@inline
function findPairs(start: usize, pairs: i32, guess: bool, byFronts: bool): void {
  const base = workspace;
  const end = start + (<usize>pairs << 3);
  let to = to4;
  let aside = asideEnd;
  let numbers: u64 = 0x1_0000_0000; // the numbers of both lines: 0 in the lower half, 1 in the upper; 2 more each turn
  const toFront = v128.load(base, VECTOR_TO_FRONT);
  const nine = v128.load(base, VECTOR_NINE);
  const weights = v128.load(base, VECTOR_WEIGHTS);
  const dots = v128.load(base, VECTOR_DOTS);
  const dotLanes = v128.load(base, VECTOR_DOT_LANES);
  const most = v128.load(base, VECTOR_MAX_OCTET);
  const toWords = v128.load(base, VECTOR_TO_WORDS);
  for (; start < end; start += 8) {
    const at0 = <usize>load<u32>(start);
    const at1 = <usize>load<u32>(start, 4);
    const text0 = v128.load(at0);
    const text1 = v128.load(at1);
    // Bit i: bytes[at + i] is no digit. (0x50 brings the digits to the lowest signed bytes, so that one comparison is
    // enough.)
    const others0 = i8x16.bitmask(i8x16.gt_s(i8x16.add(text0, toFront), nine));
    const others1 = i8x16.bitmask(i8x16.gt_s(i8x16.add(text1, toFront), nine));
    // Without the lowest three, and of these four the mask: three dots and what comes after the quad.
    // x & (x - 1) clears the lowest bit that is set. For "192.0.2.77 GET /a" (byte 0 on the right):
    //     others   1111 1100 1010 1000     dots at 3, 5 and 7, the blank at 10, all of what follows
    //     three    1111 1100 0000 0000
    //     mask     0000 0100 1010 1000     the three dots, and the first byte after the quad
    // With fewer than four others `three` is 0 and `ctz` gives 32: that byte can be read, and no entry has such a mask.
    let three0 = others0 & (others0 - 1);
    let three1 = others1 & (others1 - 1);
    three0 &= three0 - 1;
    three1 &= three1 - 1;
    three0 &= three0 - 1;
    three1 &= three1 - 1;
    const mask0 = others0 ^ (three0 & (three0 - 1));
    const mask1 = others1 ^ (three1 & (three1 - 1));
    // A perfect hash: each of the 81 masks has another top byte, so the index is below 256 and stays within QUADS. Any
    // other mask also finds some entry; it is rejected below because the mask of the entry differs.
    const quad0 = base + ((<usize>(<u32>(mask0 * <i32>QUAD_MULTIPLIER) >>> 24)) << 6);
    const quad1 = base + ((<usize>(<u32>(mask1 * <i32>QUAD_MULTIPLIER) >>> 24)) << 6);

    // Hundreds, tens, units and the byte after, of each of the four octets. Times 100, 10, 1 and 0, less what the
    // digits have too much for being characters, they are the octets.
    const digits0 = i8x16.relaxed_swizzle(text0, v128.load(quad0, QUADS));
    const digits1 = i8x16.relaxed_swizzle(text1, v128.load(quad1, QUADS));
    // One lane per octet, for "192." and "7." (what the shuffle leaves out is 0):
    //     characters   '1'  '9'  '2'  '.'          0    0   '7'  '.'
    //     weights      100   10    1    0        100   10     1    0
    //     sum        4900 + 570 + 50 = 5520                    55
    //     bias          -48 * 111 = -5328               -48 * 1 = -48
    //     octet                       192                       7
    // Relaxed operations differ between processors only for indices past 15 that are not negative, and for weights past
    // 127: neither stands in the tables.
    const octets0 = i32x4.relaxed_dot_i8x16_i7x16_add_s(digits0, weights, v128.load(quad0, QUADS + QUAD_BIAS));
    const octets1 = i32x4.relaxed_dot_i8x16_i7x16_add_s(digits1, weights, v128.load(quad1, QUADS + QUAD_BIAS));
    const octets = i16x8.narrow_i32x4_u(octets0, octets1);
    const words = i8x16.relaxed_swizzle(octets, toWords);
    // Stored before it is known whether they count: `to` moves on only if they do, so what is wrong is overwritten.
    // `to` is at most 8 bytes per pair after the front of WORDS_4, which has room for LINE_ENTRIES words.
    v128.store64_lane(to, words, 0);
    if (byFronts) numbers = load<u64>(start, FRONT_LINES - FRONTS);
    store<u64>(to, numbers, LINES_4 - WORDS_4);

    // No quad: another mask than the entry's, one of its first three bytes no dot, an octet too large or with a leading
    // zero.
    const least = v128.load64_lane(quad1, v128.load64_zero(quad0, QUADS + QUAD_LEAST), 1, QUADS + QUAD_LEAST);
    const noOctet = v128.or(i16x8.gt_s(octets, most), i16x8.gt_s(least, octets));
    const noDot = v128.and(v128.or(v128.xor(digits0, dots), v128.xor(digits1, dots)), dotLanes);
    let wrong = (mask0 ^ load<i32>(quad0, QUADS + QUAD_MASK)) | (mask1 ^ load<i32>(quad1, QUADS + QUAD_MASK)) | <i32>v128.any_true(v128.or(noOctet, noDot));
    if (byFronts) {
      const both = i64x2.extract_lane(words, 0);
      wrong |= <i32>((both & 0xffff) == 0) | <i32>((both & 0xffff_0000_0000) == 0);
    }
    const kinds = load<u8>(base + load<u8>(at0 + <usize>ctz(three0)), KINDS) & load<u8>(base + load<u8>(at1 + <usize>ctz(three1)), KINDS);
    if (guess) {
      if (wrong == 0 && <i32>kinds >= KIND_DELIMITER) {
        to += 8;
      } else {
        store<u32>(aside, start);
        aside += 4;
      }
    } else {
      const good = <usize>(wrong == 0) & (<usize>kinds >>> KIND_DELIMITER_BIT);
      to += good << 3;
      store<u32>(aside, start);
      aside += (good ^ 1) << 2;
    }
    if (!byFronts) numbers += 0x2_0000_0002;
  }
  to4 = to;
  asideEnd = aside;
}

/**
 * As `findPairs`, for the line whose start is at `start`: stores the quad at its front, or puts it aside at `aside`.
 * Returns where the next is put aside.
 */
@inline
function findQuad(start: usize, aside: usize): usize {
  const good = wholeQuad(<usize>load<u32>(start), to4);
  store<u32>(to4, (start - workspace - LINE_STARTS) >>> 2, LINES_4 - WORDS_4);
  to4 += good << 2;
  store<u32>(aside, start);
  return aside + ((good ^ 1) << 2);
}

/** Finds the address of the line whose start is at `start` by the remaining steps. */
function findOther(start: usize): void {
  const base = workspace;
  const at = <usize>load<u32>(start);
  const line = <i32>((start - base - LINE_STARTS) >>> 2);
  let family = 0;
  if (mayStartIpv6(at)) family = startingIpv6(at, to6);
  if (family == 6) starting6++;
  else family = findInLine(at, <usize>load<u32>(start, 4) - 1, to6);
  addFound(line, family);
}

/**
 * Adds the address of this family, if there is one, whose words are at `to6`. That has room for one address more than
 * were found, so it serves as scratch: what is there counts only if it moves.
 */
function addFound(line: i32, family: i32): void {
  if (family == 6) {
    store<i32>(workspace + LINES_6 + ((to6 - workspace - WORDS_6) >>> 2), line);
    to6 += 16;
  } else if (family == 4) {
    store<u32>(to4, load<u32>(to6));
    addWord(line);
  }
}

/** Adds the IPv4 address at `to4`. */
@inline
function addWord(line: i32): void {
  store<i32>(to4, line, LINES_4 - WORDS_4);
  to4 += 4;
}
