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
import {
  COMMA,
  forgetEscape,
  hasEscape,
  isBlank,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  scalarEnd,
  skipBlanks,
  skipNested,
  stringEnd,
} from "./json-values.ts";
import {
  followPath,
  forgetPath,
  forgetValues,
  hasPath,
  learnPath,
  memberOne,
  memberTwo,
  noteValue,
} from "./member-path.ts";
import { quadEnd, wholeQuad } from "./quad.ts";
import { findLines } from "./scan.ts";
import { workspace } from "./workspace.ts";

// Members of JSON objects, as src/batch/lines/fields/_json-member.ts finds them, which states the rule.

const SPACE: u8 = 0x20;
const DOT: u8 = 0x2e;
const COLON: u8 = 0x3a;
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

/** Set where an object begins right behind another, or that is in a string, behind the members of the chunk. */
let pairs: v128 = i64x2.splat(0);

/** The entry of the next key. */
let nextEntry: usize = 0;

/** The member is the one whose name, of so many bytes, lies at MEMBER. */
export function useMember(length: i32): void {
  nameLength = length;
  forgetPath();
  for (let key = 0; key < KNOWN_KEYS; key++) store<i32>(workspace + KEYS + <usize>key * KEY_BYTES, -1, KEY_STATE);
}

/**
 * As `scanChunk`, for the addresses in a member of JSON objects, one in each line. Returns `at` for a chunk in which a
 * line may hold more than one, which is left to the reference.
 */
export function scanMember(at: usize, end: usize): usize {
  const base = workspace;
  const lines = findLines(at, end, base + LINE_STARTS);
  let astray = 0; // pairs of lines in which the way of the line before does not lead to the member
  pairs = i64x2.splat(0);
  beginFields();
  for (let line = 0; line < lines; line += 2) {
    const start1 = startOf(line);
    const start2 = startOf(line + 1); // without a second line, the first is followed twice
    const isPair = line + 1 < lines;
    const newline2 = isPair ? startOf(line + 2) - 1 : start2 - 1;
    if (hasPath() && followPath(start1, start2 - 1, isPair ? start2 : start1, newline2)) {
      readString(line, memberOne, start2 - 1);
      pairs = v128.or(pairs, pairsIn(memberOne, start2 - 1));
      if (isPair) {
        readString(line + 1, memberTwo, newline2);
        pairs = v128.or(pairs, pairsIn(memberTwo, newline2));
      }
    } else {
      astray++;
      searchLine(line, start1, start2 - 1);
      if (isPair) searchLine(line + 1, start2, newline2);
    }
  }
  if (astray << 2 > lines) forgetPath();
  if (v128.any_true(pairs)) {
    endFields(0);
    return at;
  }
  endFields(lines);
  return startOf(lines);
}

/** Bytes of [at, newline) that close an object if the next opens one: 0xff, others 0. Reads on up to 16 bytes. */
@inline
function pairsIn(at: usize, newline: usize): v128 {
  const closes = v128.load(workspace, VECTOR_CLOSE);
  const opens = v128.load(workspace, VECTOR_OPEN);
  let found = i64x2.splat(0);
  for (; at < newline; at += 16)
    found = v128.or(found, v128.and(i8x16.eq(v128.load(at), closes), i8x16.eq(v128.load(at, 1), opens)));
  return found;
}

@inline
function startOf(line: i32): usize {
  return <usize>load<u32>(workspace + (<usize>line << 2), LINE_STARTS);
}

/** Finds the member of a line, and remembers the way to it if none is. */
function searchLine(line: i32, start: usize, newline: usize): void {
  const lineEnd = withoutCarriageReturn(start, newline);
  let brace = start;
  while (brace < lineEnd && load<u8>(brace) != OPEN_OBJECT) brace++;
  if (brace == lineEnd) return;
  nextEntry = workspace + KEYS;
  member = NOWHERE;
  forgetValues();
  searchObject(brace, lineEnd, 0);
  pairs = v128.or(pairs, pairsIn(member > UNDECIDED ? member : brace, newline));
  if (member == UNDECIDED) leaveOpen(line);
  if (member <= UNDECIDED) return;
  if (!hasPath()) learnPath(start, member);
  if (load<u8>(member) == QUOTE) readString(line, member + 1, newline);
  else leaveOpen(line);
}

/** Reads the string whose text begins at `at`, if it has no escapes. */
@inline
function readString(line: i32, at: usize, newline: usize): void {
  // A quad is followed by a quote only if that closes the string, within the line.
  if (wholeQuad(at, to4) != 0 && load<u8>(quadEnd) == QUOTE) addQuad(line);
  else readOtherString(line, at, newline);
}

function readOtherString(line: i32, at: usize, newline: usize): void {
  forgetEscape();
  const close = stringEnd(at, newline, v128.load(workspace, VECTOR_QUOTE), v128.load(workspace, VECTOR_BACKSLASH));
  if (close == 0 || hasEscape) leaveOpen(line);
  else addOther(line, at, close);
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
    if (byte == OPEN_OBJECT && rest > 0) {
      nextEntry = entry;
      at = searchObject(at, end, rest);
      if (at == 0) return 0;
      entry = nextEntry;
      continue;
    }
    const value = at;
    if (byte == QUOTE) {
      at = stringEnd(at + 1, end, quotes, backslashes);
      if (at == 0) return 0;
      at++;
    } else {
      at =
        byte == OPEN_OBJECT || byte == OPEN_ARRAY ? skipNested(at, end) : scalarEnd(at, end, commas, closes, cases);
      if (at == 0) return 0;
    }
    noteValue(value, at);
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
  forgetEscape();
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
