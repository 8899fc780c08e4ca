import {
  KEY_BITS,
  KEY_BYTES,
  KEY_STATE,
  KEY_LENGTH,
  KEY_REST,
  KEYS,
  KNOWN_KEYS,
  LINE_STARTS,
  MEMBER,
  VECTOR_BACKSLASH,
  VECTOR_CLOSE,
  VECTOR_COMMA,
  VECTOR_LOWER_CASE,
  VECTOR_OPEN,
  VECTOR_QUOTE,
} from "../workspace.ts";
import { addOther, addQuad, beginFields, endFields, leaveOpen, to4 } from "./bare-address.ts";
import { withoutCarriageReturn } from "./columns.ts";
import { quadEnd, wholeQuad } from "./quad.ts";
import { findLines } from "./scan.ts";
import { workspace } from "./workspace.ts";

// Members of JSON objects, as src/batch/lines/fields/_json-member.ts finds them, which states the rule.

const SPACE: u8 = 0x20;
const QUOTE: u8 = 0x22;
const COMMA: u8 = 0x2c;
const DOT: u8 = 0x2e;
const COLON: u8 = 0x3a;
const OPEN_ARRAY: u8 = 0x5b;
const BACKSLASH: u8 = 0x5c;
const CLOSE_ARRAY: u8 = 0x5d;
const OPEN_OBJECT: u8 = 0x7b;
const CLOSE_OBJECT: u8 = 0x7d;

/** What a key is, other than the part of the name before a dot: then it is the position after that. */
const WHOLE: i32 = 0;
const OTHER: i32 = -1;

/** Instead of a position: the line is no JSON up to there, or has no such member; the reference has to decide. */
const NOWHERE: usize = 0;
const UNDECIDED: usize = 1;

/** The name of the member that is looked for is [name, name + nameLength). */
let nameLength: i32 = 0;

/** Where the value of the member begins, `NOWHERE` or `UNDECIDED`. */
let member: usize = 0;

/** Whether `stringEnd` has come by a backslash since this was last set to false. */
let hasEscape: bool = false;

/** The entry of the next key. */
let nextEntry: usize = 0;

/** The member is the one whose name, of so many bytes, lies at MEMBER. */
export function useMember(length: i32): void {
  nameLength = length;
  for (let key = 0; key < KNOWN_KEYS; key++) store<i32>(workspace + KEYS + <usize>key * KEY_BYTES, -1, KEY_STATE);
}

/** As `scanChunk`, for the addresses in a member of JSON objects, one in each line. */
export function scanMember(at: usize, end: usize): usize {
  const base = workspace;
  const lines = findLines(at, end, base + LINE_STARTS);
  const quotes = v128.load(base, VECTOR_QUOTE);
  beginFields();
  for (let line = 0; line < lines; line++) {
    const start = <usize>load<u32>(base + (<usize>line << 2), LINE_STARTS);
    const lineEnd = withoutCarriageReturn(start, <usize>load<u32>(base + (<usize>line << 2), LINE_STARTS + 4) - 1);
    let brace = start;
    while (brace < lineEnd && load<u8>(brace) != OPEN_OBJECT) brace++;
    if (brace == lineEnd) continue;
    nextEntry = base + KEYS;
    member = NOWHERE;
    searchObject(brace, lineEnd, 0);
    if (member > UNDECIDED) readValue(line, member, lineEnd, quotes);
    else if (member == UNDECIDED) leaveOpen(line);
  }
  endFields(lines);
  return <usize>load<u32>(base + (<usize>lines << 2), LINE_STARTS);
}

/** Reads the value at `at`, if it is a string without escapes. */
@inline
function readValue(line: i32, at: usize, lineEnd: usize, quotes: v128): void {
  // A quad is followed by a quote only if that closes the string, within the line.
  if (load<u8>(at) == QUOTE && wholeQuad(at + 1, to4) != 0 && load<u8>(quadEnd) == QUOTE) addQuad(line);
  else readOtherValue(line, at, lineEnd);
}

function readOtherValue(line: i32, at: usize, lineEnd: usize): void {
  hasEscape = false;
  const close = load<u8>(at) == QUOTE ? stringEnd(at + 1, lineEnd, v128.load(workspace, VECTOR_QUOTE), v128.load(workspace, VECTOR_BACKSLASH)) : 0;
  if (close == 0 || hasEscape) leaveOpen(line);
  else addOther(line, at + 1, close);
}

/*
 * Lines that one program wrote have the same keys in the same order. What stands between two values, such as
 *
 *     ,"client_ip":
 *
 * means the same wherever a value has ended, so it is read once, and compared after that: KEYS has an entry for each
 * key of a line, in order, of what stood there in a line before. All keys beyond KNOWN_KEYS share the last.
 *
 *      0   the text    32 bytes from the end of the value before, or from the brace
 *     32   bits        those of the text's bytes
 *     36   length      of the text; the value begins after it
 *     40   rest        what the key is: WHOLE, OTHER, or the position after a dot of the name
 *     44   state       1 before an object's first key, otherwise 0, and twice where the part of the name begins
 *                      that is looked for in the object; -1: no entry
 */
/**
 * Searches the object whose brace is at `at` for the member `name[from, ...)`. Returns the position after the object,
 * or 0 if the search ends within it: the result is then in `member`. Recursion is bounded by the dots of the name.
 */
function searchObject(at: usize, end: usize, from: i32): usize {
  const base = workspace;
  const quotes = v128.load(base, VECTOR_QUOTE);
  const backslashes = v128.load(base, VECTOR_BACKSLASH);
  const commas = v128.load(base, VECTOR_COMMA);
  const closes = v128.load(base, VECTOR_CLOSE);
  const cases = v128.load(base, VECTOR_LOWER_CASE);
  let state = (from << 1) | 1;
  const lastEntry = base + KEYS + (KNOWN_KEYS - 1) * KEY_BYTES;
  let entry = nextEntry;
  while (true) {
    let rest: i32;
    if (isKnown(entry, at, state)) {
      rest = load<i32>(entry, KEY_REST);
      at += <usize>load<u32>(entry, KEY_LENGTH);
    } else {
      const text = at;
      at = (state & 1) != 0 ? firstKey(at, end) : nextKey(at, end);
      if (at == 0) return 0;
      if (load<u8>(at) == CLOSE_OBJECT) {
        nextEntry = entry;
        return at + 1;
      }
      const close = keyEnd(at, end, quotes, backslashes);
      if (close == 0) return 0;
      rest = restOfName(at + 1, close, from);
      at = skipBlanks(close + 1, end);
      if (at >= end || load<u8>(at) != COLON) return 0;
      at = skipBlanks(at + 1, end);
      remember(entry, text, at, rest, state);
    }
    if (entry < lastEntry) entry += KEY_BYTES;
    state = from << 1;
    if (at >= end) return 0;

    // Its value: the member itself, an object on the way to it, or something else.
    if (rest == WHOLE) {
      member = at;
      return 0;
    }
    const byte = load<u8>(at);
    if (byte == QUOTE) {
      at = stringEnd(at + 1, end, quotes, backslashes);
      if (at == 0) return 0;
      at++;
    } else if (byte == OPEN_OBJECT || byte == OPEN_ARRAY) {
      const isOnTheWay = rest > 0 && byte == OPEN_OBJECT;
      nextEntry = entry;
      at = isOnTheWay ? searchObject(at, end, rest) : skipNested(at, end);
      if (at == 0) return 0;
      entry = nextEntry;
    } else {
      at = scalarEnd(at, end, commas, closes, cases);
      if (at == 0) return 0;
    }
  }
}

/** Whether the text of the entry stands at `at`, and a value after it. */
@inline
function isKnown(entry: usize, at: usize, state: i32): bool {
  const low = <u32>i8x16.bitmask(i8x16.eq(v128.load(at), v128.load(entry)));
  const high = <u32>i8x16.bitmask(i8x16.eq(v128.load(at, 16), v128.load(entry, 16)));
  return (load<u32>(entry, KEY_BITS) & ~(low | (high << 16))) == 0 && load<i32>(entry, KEY_STATE) == state && load<u8>(at + <usize>load<u32>(entry, KEY_LENGTH)) > SPACE;
}

/** Makes [text, value) the text of the entry, if it is short enough. */
function remember(entry: usize, text: usize, value: usize, rest: i32, state: i32): void {
  const length = <u32>(value - text);
  store<i32>(entry, length > 32 ? -1 : state, KEY_STATE);
  if (length > 32) return;
  v128.store(entry, v128.load(text));
  v128.store(entry, v128.load(text, 16), 16);
  store<u32>(entry, <u32>-1 >>> (32 - length), KEY_BITS); // a text has at least a brace or comma, two quotes and a colon
  store<u32>(entry, length, KEY_LENGTH);
  store<i32>(entry, rest, KEY_REST);
}

/** The position of the quote of the first key of the object at `at`, or of the brace that closes it; 0: neither. */
function firstKey(at: usize, end: usize): usize {
  at = skipBlanks(at + 1, end);
  return at < end && load<u8>(at) == CLOSE_OBJECT ? at : quoteAt(at, end);
}

/** The position of the quote of the next key after a value, or of the brace that closes the object; 0: neither. */
function nextKey(at: usize, end: usize): usize {
  at = skipBlanks(at, end);
  if (at >= end) return 0;
  if (load<u8>(at) == CLOSE_OBJECT) return at;
  return load<u8>(at) == COMMA ? quoteAt(skipBlanks(at + 1, end), end) : 0;
}

@inline
function quoteAt(at: usize, end: usize): usize {
  return at < end && load<u8>(at) == QUOTE ? at : 0;
}

/** The closing quote of the key whose quote is at `at`; 0 if there is none, or the key has an escape. */
function keyEnd(at: usize, end: usize, quotes: v128, backslashes: v128): usize {
  hasEscape = false;
  const close = stringEnd(at + 1, end, quotes, backslashes);
  if (!hasEscape) return close;
  member = UNDECIDED;
  return 0;
}

/** WHOLE if the key [at, end) is `name[from, ...)`, the position after the dot if it is the part before one, else OTHER. */
function restOfName(at: usize, end: usize, from: i32): i32 {
  const name = workspace + MEMBER;
  if (end - at > <usize>(nameLength - from)) return OTHER;
  const nameEnd = from + <i32>(end - at);
  if (nameEnd < nameLength && load<u8>(name + <usize>nameEnd) != DOT) return OTHER;
  for (let byte = name + <usize>from; at < end; at++, byte++) if (load<u8>(at) != load<u8>(byte)) return OTHER;
  return nameEnd == nameLength ? WHOLE : nameEnd + 1;
}

/** The closing quote of the string whose text begins at `at`; 0 if there is none before `end`. */
@inline
function stringEnd(at: usize, end: usize, quotes: v128, backslashes: v128): usize {
  // `at` is at most end + 1, so that 16 bytes can be read.
  while (at < end) {
    const text = v128.load(at);
    const mask = i8x16.bitmask(v128.or(i8x16.eq(text, quotes), i8x16.eq(text, backslashes)));
    if (mask == 0) {
      at += 16;
      continue;
    }
    at += <usize>ctz(mask);
    if (at >= end) return 0;
    if (load<u8>(at) == QUOTE) return at;
    hasEscape = true;
    at += 2;
  }
  return 0;
}

/** The position after a number, true, false or null at `at`; 0 if there is none, or it ends with the line. */
@inline
function scalarEnd(at: usize, end: usize, commas: v128, closes: v128, cases: v128): usize {
  const start = at;
  while (at < end) {
    // What may end it: all bytes up to the comma, which are few in a number, and closing brackets, "]" | 0x20 = "}".
    const text = v128.load(at);
    const mask = i8x16.bitmask(v128.or(i8x16.le_u(text, commas), i8x16.eq(v128.or(text, cases), closes)));
    if (mask == 0) {
      at += 16;
      continue;
    }
    at += <usize>ctz(mask);
    if (at >= end) return 0;
    const byte = load<u8>(at);
    if (byte == COMMA || byte > COMMA || isBlank(byte)) return at > start ? at : 0;
    at++;
  }
  return 0;
}

/** The position after the object or array at `at`, of which only brackets and strings are read; 0 if it has no end. */
function skipNested(at: usize, end: usize): usize {
  const quotes = v128.load(workspace, VECTOR_QUOTE);
  const backslashes = v128.load(workspace, VECTOR_BACKSLASH);
  const opens = v128.load(workspace, VECTOR_OPEN);
  const closes = v128.load(workspace, VECTOR_CLOSE);
  const cases = v128.load(workspace, VECTOR_LOWER_CASE);
  let depth = 0;
  while (at < end) {
    const text = v128.load(at);
    const lower = v128.or(text, cases); // "[" | 0x20 = "{", "]" | 0x20 = "}"
    const mask = i8x16.bitmask(v128.or(i8x16.eq(text, quotes), v128.or(i8x16.eq(lower, opens), i8x16.eq(lower, closes))));
    if (mask == 0) {
      at += 16;
      continue;
    }
    at += <usize>ctz(mask);
    if (at >= end) return 0;
    const byte = load<u8>(at);
    if (byte == QUOTE) {
      at = stringEnd(at + 1, end, quotes, backslashes);
      if (at == 0) return 0;
    } else if (byte == OPEN_OBJECT || byte == OPEN_ARRAY) {
      depth++;
    } else if (--depth == 0) {
      return at + 1;
    }
    at++;
  }
  return 0;
}

@inline
function skipBlanks(at: usize, end: usize): usize {
  while (at < end && isBlank(load<u8>(at))) at++;
  return at;
}

@inline
function isBlank(byte: u8): bool {
  return byte == SPACE || byte == 0x09 || byte == 0x0d;
}
