import { KIND_DELIMITER, KIND_HEX, KIND_OTHER, KINDS } from "../workspace.ts";
import { workspace } from "./workspace.ts";

// Escapes before a token. The rule is that of src/batch/lines/escape.ts, whose functions have the same names.

const ESC: u32 = 0x1b;
const HASH: u32 = 0x23;
const PERCENT: u32 = 0x25;
const DOT: u32 = 0x2e;
const SLASH: u32 = 0x2f;
const ZERO: u32 = 0x30;
const COLON: u32 = 0x3a;
const SEMICOLON: u32 = 0x3b;
const UPPER_U: u32 = 0x55;
const OPEN: u32 = 0x5b;
const BACKSLASH: u32 = 0x5c;
const CARET: u32 = 0x5e;
const UNDERSCORE: u32 = 0x5f;
const LETTER_B: u32 = 0x62;
const LETTER_E: u32 = 0x65;
const LETTER_F: u32 = 0x66;
const LETTER_N: u32 = 0x6e;
const LETTER_R: u32 = 0x72;
const LETTER_T: u32 = 0x74;
const LETTER_U: u32 = 0x75;
const LETTER_V: u32 = 0x76;
const LETTER_X: u32 = 0x78;

const PARAMETERS_MAX: usize = 32;

@inline
function byteAt(at: usize): u32 {
  return load<u8>(at);
}

@inline
function kindOf(byte: u32): i32 {
  return load<u8>(workspace + KINDS + <usize>byte);
}

/** Where the token at `at` really begins, of the line that begins at `start` < `at`. */
export function afterEscape(at: usize, start: usize): usize {
  const front = afterMark(at, start);
  return front > at && followsColon(front, start) ? endOfToken(at) : front;
}

function afterMark(at: usize, start: usize): usize {
  const mark = byteAt(at - 1);
  if (mark == BACKSLASH) return afterBackslash(at);
  if (mark == PERCENT) return afterPercent(at);
  if (mark == HASH) return isOctal(at) && octalAt(at) < 0x20 && isLikely(octalAt(at)) ? at + 3 : at;
  return mark == OPEN || mark == SEMICOLON ? afterColor(at, start) : at;
}

function afterBackslash(at: usize): usize {
  const byte = byteAt(at);
  if (byte == LETTER_X) return afterDigits(at, at + 1, 2);
  if (byte == LETTER_U) return afterDigits(at, at + 1, 4);
  if (byte == UPPER_U) return afterDigits(at, at + 1, 8);
  if (byte == ZERO) {
    if (!isOctal(at) || !isLikely(octalAt(at))) return at + 1;
    if (isQuadFront(at + 1) && isQuadFront(at + 3)) return endOfToken(at);
    return after(at + 3, octalAt(at));
  }
  const isControl = byte == LETTER_B || byte == LETTER_F || byte == LETTER_N || byte == LETTER_R || byte == LETTER_T || byte == LETTER_V;
  return isControl && !isWholeGroup(at) ? at + 1 : at;
}

@inline
function octalAt(at: usize): u32 {
  return (byteAt(at + 1) & 7) * 8 + (byteAt(at + 2) & 7);
}

function isLikely(character: u32): bool {
  return character >= 0x20 || character == 0 || character == 9 || character == 10 || character == 13 || character == ESC;
}

function isQuadFront(at: usize): bool {
  let value: u32 = 0;
  let end = at;
  while (byteAt(end) - ZERO <= 9 && end < at + 3) value = value * 10 + byteAt(end++) - ZERO;
  return end > at && byteAt(end) == DOT && value <= 255 && (end == at + 1 || byteAt(at) != ZERO);
}

function isWholeGroup(at: usize): bool {
  return areHex(at, 4) && byteAt(at + 4) == COLON;
}

function afterPercent(at: usize): usize {
  if (isWholeGroup(at)) return at;
  while (byteAt(at) == 0x32 && byteAt(at + 1) == 0x35 && areHex(at + 2, 2)) at += 2;
  if (!areHex(at, 2) || isWholeGroup(at)) return at;
  const character = hexAt(at, 2);
  if (!isLikely(character) || (character >= 0x7f && !isQuadFront(at + 2))) return at;
  return after(at + 2, character);
}

function afterDigits(at: usize, from: usize, count: usize): usize {
  return areHex(from, count) ? after(from + count, hexAt(from, count)) : at;
}

function hexAt(at: usize, count: usize): u32 {
  let value: u32 = 0;
  for (let digit = at; digit < at + count; digit++) {
    const byte = byteAt(digit);
    value = (value << 4) | ((byte & 15) + (byte > 0x39 ? 9 : 0));
  }
  return value;
}

function after(end: usize, character: u32): usize {
  if (character > 255 || kindOf(character) >= KIND_DELIMITER) return end;
  if (character == COLON && isQuadFront(end)) return end;
  return endOfToken(end);
}

function followsColon(end: usize, start: usize): bool {
  const last = byteAt(end - 1);
  const isColon = byteAt(end - 2) == 0x33 ? (last | 0x20) == 0x61 : byteAt(end - 2) == 0x37 && last == 0x32;
  return isColon && (repeats(end, start, 3) || repeats(end, start, 4) || repeats(end, start, 6));
}

/** Whether the bytes of this length before `end` are there twice, in the line. */
function repeats(end: usize, start: usize, length: usize): bool {
  let same: usize = 0;
  while (same < length && end > start + length + same && byteAt(end - 1 - same) == byteAt(end - 1 - length - same)) same++;
  return same == length;
}

function endOfToken(at: usize): usize {
  while (kindOf(byteAt(at)) < KIND_DELIMITER) at++;
  return at;
}

/** Reads no byte after the first that is no digit. */
function areHex(at: usize, count: usize): bool {
  for (let digit = at; digit < at + count; digit++) if (kindOf(byteAt(digit)) != KIND_HEX) return false;
  return true;
}

function isOctal(at: usize): bool {
  return byteAt(at) == ZERO && (byteAt(at + 1) & 0xf8) == ZERO && (byteAt(at + 2) & 0xf8) == ZERO;
}

function afterColor(at: usize, start: usize): usize {
  let end = at;
  while (byteAt(end) - ZERO <= 9) end++;
  if (kindOf(byteAt(end)) != KIND_OTHER || byteAt(end) == UNDERSCORE) return at;
  let open = at - 1;
  while (open > start && at - open <= PARAMETERS_MAX && (byteAt(open) == SEMICOLON || byteAt(open) - ZERO <= 9)) open--;
  return byteAt(open) == OPEN && followsEsc(open, start) ? end + 1 : at;
}

function followsEsc(at: usize, start: usize): bool {
  if (at < start + 1) return false;
  const byte = byteAt(at - 1);
  if (byte == ESC) return true;
  if (at < start + 2) return false;
  if (byte == OPEN) return byteAt(at - 2) == CARET;
  if (byte == LETTER_E) return byteAt(at - 2) == BACKSLASH;
  if (at < start + 3) return false;
  if (byte == 0x33) {
    if (at < start + 4 || byteAt(at - 2) != 0x33 || byteAt(at - 3) != ZERO) return false;
    return byteAt(at - 4) == BACKSLASH || byteAt(at - 4) == HASH;
  }
  return (byte | 0x20) == LETTER_B && byteAt(at - 2) == 0x31 && (byteAt(at - 3) == PERCENT || codeFront(at - 3, start) != 0);
}

/** 0: no escape. */
function codeFront(at: usize, start: usize): usize {
  let letter = at;
  if (byteAt(letter) == ZERO && letter >= start + 2 && byteAt(letter - 1) == ZERO && byteAt(letter - 2) == LETTER_U) letter -= 2;
  else if (byteAt(letter) != LETTER_X) return 0;
  return letter > start && byteAt(letter - 1) == BACKSLASH ? letter - 1 : 0;
}

/** 0: there is no slash. */
export function slashBefore(at: usize, start: usize): usize {
  if (at < start + 1) return 0;
  let slash = at - 1;
  if (byteAt(slash) != SLASH) {
    if (at < start + 3 || (byteAt(slash) | 0x20) != LETTER_F || byteAt(at - 2) != 0x32) return 0;
    if (byteAt(at - 3) == PERCENT) return at - 3;
    slash = codeFront(at - 3, start);
    if (slash == 0) return 0;
  }
  while (slash > start && byteAt(slash - 1) == BACKSLASH) slash--;
  return slash;
}
