import { KIND_COLON, KIND_DOT, KIND_HEX, KINDS, LINE_STARTS, LINES_4, LINES_6, PENDING_LINES, WORDS_4, WORDS_6 } from "../workspace.ts";
import { parseIpv6 } from "./find.ts";
import { quadEnd, wholeQuad } from "./quad.ts";
import { findLines, setScanned } from "./scan.ts";
import { workspace } from "./workspace.ts";

const CR: u8 = 0x0d;

/** How many lines of the chunk that was scanned last `scanColumn` has left undecided. */
let undecided: i32 = 0;

export function undecidedLines(): i32 {
  return undecided;
}

/*
 * A column that is an address and nothing else is parsed here, and one that is empty or missing has none. All else that
 * a field may hold (a list, a port, a length, a zone, quotes: src/batch/lines/fields/field-address.ts) is left to the
 * reference: PENDING_LINES gets the number of each such line, and has room for all of a chunk.
 */
/**
 * As `scanChunk`, for the addresses in one column of lines that are cut at each delimiter: columns count from 0. No
 * quotes are known here.
 */
export function scanColumn(at: usize, end: usize, delimiter: u32, column: i32): usize {
  const base = workspace;
  const lines = findLines(at, end, base + LINE_STARTS);
  const delimiters = i8x16.splat(<u8>delimiter);
  let to4 = base + WORDS_4;
  let to6 = base + WORDS_6;
  let open = base + PENDING_LINES;
  for (let line = 0; line < lines; line++) {
    const start = <usize>load<u32>(base + (<usize>line << 2), LINE_STARTS);
    let lineEnd = <usize>load<u32>(base + (<usize>line << 2), LINE_STARTS + 4) - 1;
    if (lineEnd > start && load<u8>(lineEnd - 1) == CR) lineEnd--;
    const front = column == 0 ? start : afterDelimiters(start, lineEnd, delimiters, column);
    if (front == 0) continue; // fewer columns
    // Stored before it is known whether it counts, as in `findPairs`. A quad that reaches past the line's end would
    // hold the CR or LF that ends it.
    if (wholeQuad(front, to4) != 0 && (quadEnd == lineEnd || load<u8>(quadEnd) == <u8>delimiter)) {
      store<i32>(to4, line, LINES_4 - WORDS_4);
      to4 += 4;
      continue;
    }
    const fieldEnd = nextDelimiter(front, lineEnd, delimiters);
    if (fieldEnd == front) continue;
    // `to6` has room for one address more than were found, so it serves as scratch, as in `findOther`.
    const family = bareIpv6(front, fieldEnd, to6);
    if (family == 6) {
      store<i32>(base + LINES_6 + ((to6 - base - WORDS_6) >>> 2), line);
      to6 += 16;
    } else if (family == 4) {
      store<u32>(to4, load<u32>(to6));
      store<i32>(to4, line, LINES_4 - WORDS_4);
      to4 += 4;
    } else {
      store<i32>(open, line);
      open += 4;
    }
  }
  undecided = <i32>((open - base - PENDING_LINES) >>> 2);
  setScanned(lines, <i32>((to4 - base - WORDS_4) >>> 2), <i32>((to6 - base - WORDS_6) >>> 4));
  return <usize>load<u32>(base + (<usize>lines << 2), LINE_STARTS);
}

/** The position after so many delimiters in [at, end), at least one; 0 if there are fewer. */
@inline
function afterDelimiters(at: usize, end: usize, delimiters: v128, count: i32): usize {
  for (let window = at; window < end; window += 64) {
    let mask = delimitersIn(window, delimiters);
    // Here 0 < end - window < 64, so the shift is one of 1 to 63.
    if (end - window < 64) mask &= (<u64>1 << (end - window)) - 1;
    const found = <i32>popcnt(mask);
    if (found >= count) {
      while (--count > 0) mask &= mask - 1;
      return window + <usize>ctz(mask) + 1;
    }
    count -= found;
  }
  return 0;
}

/** Bit i is set where bytes[at + i] is a delimiter, i < 64. */
@inline
function delimitersIn(at: usize, delimiters: v128): u64 {
  const m0 = <u32>i8x16.bitmask(i8x16.eq(v128.load(at), delimiters));
  const m1 = <u32>i8x16.bitmask(i8x16.eq(v128.load(at, 16), delimiters));
  const m2 = <u32>i8x16.bitmask(i8x16.eq(v128.load(at, 32), delimiters));
  const m3 = <u32>i8x16.bitmask(i8x16.eq(v128.load(at, 48), delimiters));
  return <u64>(m0 | (m1 << 16)) | (<u64>(m2 | (m3 << 16)) << 32);
}

/** The position of the first delimiter in [at, end), or `end`. */
@inline
function nextDelimiter(at: usize, end: usize, delimiters: v128): usize {
  for (; at < end; at += 16) {
    const mask = i8x16.bitmask(i8x16.eq(v128.load(at), delimiters));
    if (mask == 0) continue;
    at += <usize>ctz(mask);
    break;
  }
  return at < end ? at : end;
}

/** The family of the IPv6 address [at, end), its words at `words`; 0 if it is none, or not only hexadecimal digits, colons and dots. */
function bareIpv6(at: usize, end: usize, words: usize): i32 {
  let kinds = 0;
  for (let byte = at; byte < end; byte++) kinds |= <i32>load<u8>(workspace + KINDS + load<u8>(byte));
  if ((kinds & ~(KIND_HEX | KIND_DOT | KIND_COLON)) != 0 || (kinds & KIND_COLON) == 0) return 0;
  return parseIpv6(at, end, words);
}
