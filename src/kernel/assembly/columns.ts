import { LINE_STARTS, VECTOR_COMMA, VECTOR_LF, VECTOR_QUOTE } from "../workspace.ts";
import { addOther, addQuad, beginFields, endFields, leaveOpen, to4 } from "./bare-address.ts";
import { bytesIn, parities, upTo } from "./byte-masks.ts";
import { quadEnd, wholeQuad } from "./quad.ts";
import { findLines } from "./scan.ts";
import { workspace } from "./workspace.ts";

const LF: u8 = 0x0a;
const CR: u8 = 0x0d;
const QUOTE: u8 = 0x22;
const COMMA: u8 = 0x2c;

/**
 * As `scanChunk`, for the addresses in one column of lines that are cut at each delimiter: columns count from 0. No
 * quotes are known here.
 */
export function scanColumn(at: usize, end: usize, delimiter: u32, column: i32): usize {
  const base = workspace;
  const lines = findLines(at, end, base + LINE_STARTS);
  const delimiters = i8x16.splat(<u8>delimiter);
  beginFields();
  for (let line = 0; line < lines; line++) {
    const start = <usize>load<u32>(base + (<usize>line << 2), LINE_STARTS);
    const lineEnd = withoutCarriageReturn(start, <usize>load<u32>(base + (<usize>line << 2), LINE_STARTS + 4) - 1);
    const front = column == 0 ? start : afterDelimiters(start, lineEnd, delimiters, column);
    if (front != 0) readField(line, front, lineEnd, <u8>delimiter, delimiters); // 0: fewer columns
  }
  endFields(lines);
  return <usize>load<u32>(base + (<usize>lines << 2), LINE_STARTS);
}

/** Reads the field that begins at `front` and ends at a delimiter, or with its line. */
@inline
function readField(line: i32, front: usize, lineEnd: usize, delimiter: u8, delimiters: v128): void {
  // Stored before it is known whether it counts, as in `findPairs`. A quad that reaches past the line's end would hold
  // the CR or LF that ends it.
  if (wholeQuad(front, to4) != 0 && (quadEnd == lineEnd || load<u8>(quadEnd) == delimiter)) addQuad(line);
  else addOther(line, front, nextDelimiter(front, lineEnd, delimiters));
}

@inline
export function withoutCarriageReturn(start: usize, end: usize): usize {
  return end > start && load<u8>(end - 1) == CR ? end - 1 : end;
}

/** The position after so many delimiters in [at, end), at least one; 0 if there are fewer. */
@inline
function afterDelimiters(at: usize, end: usize, delimiters: v128, count: i32): usize {
  for (let window = at; window < end; window += 64) {
    const mask = upTo(end - window, bytesIn(window, delimiters));
    const found = <i32>popcnt(mask);
    if (found >= count) return window + <usize>ctz(withoutFirst(mask, count - 1)) + 1;
    count -= found;
  }
  return 0;
}

@inline
function withoutFirst(mask: u64, count: i32): u64 {
  while (--count >= 0) mask &= mask - 1;
  return mask;
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

/*
 * Quotes. In most tables every quote opens a field, closes it, or is half of a doubled one, so that a byte is between
 * quotes if an odd number of quotes comes before it:
 *
 *     text     x , " a , b " , " c " " d " , 1
 *     quotes   . . 1 . . . 1 . 1 . 1 1 . 1 . .
 *     inside   . . 1 1 1 1 . . 1 1 . 1 1 . . .      from an opening quote to before the closing one
 *     opens    . . 1 . . . . . 1 . . 1 . . . .      quotes that are inside: after a comma, another quote, or the line's front
 *     commas   . 1 . . . . . 1 . . . . . . 1 .      those that are not inside
 *
 * A quote elsewhere is an ordinary character: the masks then mean nothing, and the line is left to the reference. So is
 * a line with text behind a closing quote, which is malformed.
 * An LF inside ends no record: the scan stops before such a line, and the whole rest is left to the reference.
 */
/** What `columnStart` returns instead of a position: fewer columns; quotes as ordinary characters; an LF inside. */
const NO_COLUMN: usize = 0;
const IRREGULAR: usize = 1;
const OPEN_RECORD: usize = 2;

/**
 * As `scanColumn`, for comma-separated values with quotes (src/batch/lines/fields/_columns.ts). Every line must be a
 * record: the chunk ends before one that is not, and has no lines if that is the first.
 */
export function scanQuotedColumn(at: usize, end: usize, column: i32): usize {
  const base = workspace;
  const found = findLines(at, end, base + LINE_STARTS);
  const commas = v128.load(base, VECTOR_COMMA);
  const quotes = v128.load(base, VECTOR_QUOTE);
  beginFields();
  let line = 0;
  for (; line < found; line++) {
    const start = <usize>load<u32>(base + (<usize>line << 2), LINE_STARTS);
    const newline = <usize>load<u32>(base + (<usize>line << 2), LINE_STARTS + 4) - 1;
    let front = columnStart(start, withoutCarriageReturn(start, newline), column, commas, quotes);
    if (front == IRREGULAR && isOpenRecord(start, newline)) front = OPEN_RECORD;
    if (front == OPEN_RECORD) break;
    if (front == IRREGULAR) leaveOpen(line);
    else if (front != NO_COLUMN) readRecordField(line, front, withoutCarriageReturn(start, newline), commas, quotes);
  }
  endFields(line);
  return <usize>load<u32>(base + (<usize>line << 2), LINE_STARTS);
}

/** Reads the field at `front` of a record whose quotes are regular. */
@inline
function readRecordField(line: i32, front: usize, lineEnd: usize, commas: v128, quotes: v128): void {
  if (front == lineEnd || load<u8>(front) != QUOTE) {
    readField(line, front, lineEnd, COMMA, commas);
    return;
  }
  // The closing quote is followed by no other, and is in this line.
  front++;
  if (wholeQuad(front, to4) != 0 && load<u8>(quadEnd) == QUOTE && load<u8>(quadEnd + 1) != QUOTE) {
    addQuad(line);
    return;
  }
  const close = nextDelimiter(front, lineEnd, quotes);
  if (load<u8>(close + 1) == QUOTE) leaveOpen(line);
  else addOther(line, front, close);
}

/** Where the column of the line [start, lineEnd) begins. */
@inline
function columnStart(start: usize, lineEnd: usize, column: i32, commas: v128, quotes: v128): usize {
  let front: usize = column == 0 ? start : NO_COLUMN;
  let left = column; // commas before the column that are not found yet; 0: it is found
  let within: u64 = 0; // all bits set: the window begins between quotes
  let mayOpen: u64 = 1; // bit 0: a quote that is the window's first byte may open a field
  let closed: u64 = 0; // bit 0: the byte before the window closes a field
  for (let window = start; window < lineEnd; window += 64) {
    const bits = lineEnd - window;
    const quoted = upTo(bits, bytesIn(window, quotes));
    let outside = upTo(bits, bytesIn(window, commas));
    if ((quoted | within | closed) != 0) {
      const inside = parities(quoted) ^ within;
      outside &= ~inside;
      const closes = quoted & ~inside;
      if ((quoted & inside & ~(((outside | quoted) << 1) | mayOpen)) != 0) return IRREGULAR;
      if ((upTo(bits, (closes << 1) | closed) & ~(outside | quoted)) != 0) return IRREGULAR; // text behind a closing quote
      within = <u64>(<i64>inside >> 63);
      closed = closes >>> 63;
    }
    mayOpen = (outside | quoted) >>> 63;
    if (left == 0) continue;
    const found = <i32>popcnt(outside);
    if (found >= left) {
      front = window + <usize>ctz(withoutFirst(outside, left - 1)) + 1;
      left = 0;
    } else {
      left -= found;
    }
  }
  return within != 0 ? OPEN_RECORD : front;
}

/** Whether the LF at `newline` is between quotes, byte by byte as in src/batch/lines/csv-records.ts. */
function isOpenRecord(at: usize, newline: usize): bool {
  let isFront = true;
  for (; at < newline; at++) {
    if (isFront && load<u8>(at) == QUOTE) {
      // After the closing quote; the LF, which is none, ends the search.
      do {
        at++;
        while (at < newline && load<u8>(at) != QUOTE) at++;
        if (at == newline) return true;
        at++;
      } while (load<u8>(at) == QUOTE);
    }
    isFront = load<u8>(at) == COMMA;
  }
  return false;
}

/**
 * Whether each line of [at, end) has so many columns, at least two; 0: any number from two on. `quoted`: a delimiter
 * between quotes is none; the result is false if quotes are ordinary characters, or an LF is between them. The byte at
 * `end` and 63 more can be read.
 */
export function haveColumns(at: usize, end: usize, delimiter: u32, columns: i32, quoted: bool): bool {
  const delimiters = i8x16.splat(<u8>delimiter);
  const quotes = v128.load(workspace, VECTOR_QUOTE);
  const newlines = v128.load(workspace, VECTOR_LF);
  let found = 0; // delimiters of the line so far
  let within: u64 = 0;
  let mayOpen: u64 = 1;
  for (; at < end; at += 64) {
    const bits = end - at;
    let marks = upTo(bits, bytesIn(at, delimiters));
    let lines = upTo(bits, bytesIn(at, newlines));
    if (quoted) {
      const all = upTo(bits, bytesIn(at, quotes));
      const inside = parities(all) ^ within;
      marks &= ~inside;
      if ((lines & inside) != 0 || (all & inside & ~(((marks | lines | all) << 1) | mayOpen)) != 0) return false;
      within = <u64>(<i64>inside >> 63);
      mayOpen = (marks | lines | all) >>> 63;
    }
    for (; lines != 0; lines &= lines - 1) {
      const before = (lines & -lines) - 1; // the bits below the LF
      found += <i32>popcnt(marks & before);
      if (!areColumns(found + 1, columns)) return false;
      marks &= ~before;
      found = 0;
    }
    found += <i32>popcnt(marks);
  }
  // The last line may lack its LF.
  return load<u8>(end - 1) == LF || (within == 0 && areColumns(found + 1, columns));
}

@inline
function areColumns(found: i32, wanted: i32): bool {
  return wanted == 0 ? found > 1 : found == wanted;
}
