import { DELIMITER, HEX, KIND, OTHER } from "./byte-kinds.ts";

const ESC = 0x1b;
const HASH = 0x23;
const PERCENT = 0x25;
const DOT = 0x2e;
const SLASH = 0x2f;
const COLON = 0x3a;
const SEMICOLON = 0x3b;
const OPEN = 0x5b;
const BACKSLASH = 0x5c;
const CARET = 0x5e;
const ZERO = 0x30;
const LETTER_E = 0x65;
const LETTER_F = 0x66;
const LETTER_U = 0x75;
const LETTER_X = 0x78;

/** Parameters of a color are this many bytes at most, so that a line of nothing else is read in linear time. */
const PARAMETERS_MAX = 32;

/** Letters that stand for a control character after a backslash: \b, \f, \n, \r, \t, \v. */
const IS_CONTROL = new Uint8Array(256);
for (const letter of "bfnrtv") IS_CONTROL[letter.charCodeAt(0)] = 1;

/**
 * Where the token at `at` really begins, of the line that begins at `start`: behind an escape that begins with the
 * delimiter before it, or before that one, and stands for a byte that is no part of a token, or is a `:`. Inside JSON the
 * backslash of an escape may itself be escaped. What begins with an escape for any other byte is no token of its own: its
 * end is returned.
 *
 *     \t \n \r \f \b \v     \x22 \u003c \U0000003c \011 \0     %22 (also %2522)     #011 (rsyslog)
 *     ESC[32m and the like, where ESC is 0x1b, \x1b, \u001b, \033, \e, #033 or ^[
 */
export function afterEscape(bytes: Uint8Array, at: number, start: number): number {
  const front = afterMark(bytes, at, start);
  return front > at && followsColon(bytes, front, start) ? endOfToken(bytes, at) : front;
}

function afterMark(bytes: Uint8Array, at: number, start: number): number {
  switch (bytes[at - 1]) {
    case BACKSLASH:
      return afterBackslash(bytes, at);
    case PERCENT:
      return afterPercent(bytes, at);
    case HASH:
      return isOctal(bytes, at) && octalAt(bytes, at) < 0x20 && isLikely(octalAt(bytes, at)) ? at + 3 : at;
    case OPEN:
    case SEMICOLON:
      return afterColor(bytes, at, start);
    default:
      return at;
  }
}

function afterBackslash(bytes: Uint8Array, at: number): number {
  const byte = bytes[at]!;
  // \fe80::1 and \beef::1 begin with a whole group: as what follows a backslash in a path.
  if (IS_CONTROL[byte] === 1) return isWholeGroup(bytes, at) ? at : at + 1;
  if (byte === LETTER_X) return afterDigits(bytes, at, at + 1, 2);
  if (byte === LETTER_U) return afterDigits(bytes, at, at + 1, 4);
  if (byte === (LETTER_U & ~0x20)) return afterDigits(bytes, at, at + 1, 8);
  if (byte !== ZERO) return at;
  // \0 and an address, or the octal escape of a character that is likely there. If it may be both, it is neither.
  if (!isOctal(bytes, at) || !isLikely(octalAt(bytes, at))) return at + 1;
  if (isQuadFront(bytes, at + 1) && isQuadFront(bytes, at + 3)) return endOfToken(bytes, at);
  return after(bytes, at + 3, octalAt(bytes, at));
}

function octalAt(bytes: Uint8Array, at: number): number {
  return (bytes[at + 1]! & 7) * 8 + (bytes[at + 2]! & 7);
}

/** Characters before an address that a program escapes: blanks, line breaks, NUL, ESC, and all that can be printed. */
function isLikely(character: number): boolean {
  return (
    character >= 0x20 || character === 0 || character === 9 || character === 10 || character === 13 || character === ESC
  );
}

/** Whether an octet without leading zeros and a dot are at `at`. */
function isQuadFront(bytes: Uint8Array, at: number): boolean {
  let value = 0;
  let end = at;
  while ((bytes[end]! - ZERO) >>> 0 <= 9 && end < at + 3) value = value * 10 + bytes[end++]! - ZERO;
  return end > at && bytes[end] === DOT && value <= 255 && (end === at + 1 || bytes[at] !== ZERO);
}

/** Whether a group of four digits, and a colon, are at `at`: the front of most IPv6 addresses. */
function isWholeGroup(bytes: Uint8Array, at: number): boolean {
  return areHex(bytes, at, 4) && bytes[at + 4] === COLON;
}

/**
 * The percent sign may be escaped itself, as %25. It may also be one of a pattern, such as '%198.51.100.7%' of SQL: then
 * what it seems to escape is no likely character, or the front of a whole group.
 */
function afterPercent(bytes: Uint8Array, at: number): number {
  if (isWholeGroup(bytes, at)) return at;
  while (bytes[at] === 0x32 && bytes[at + 1] === 0x35 && areHex(bytes, at + 2, 2)) at += 2;
  if (!areHex(bytes, at, 2) || isWholeGroup(bytes, at)) return at;
  const character = hexAt(bytes, at, 2);
  if (!isLikely(character) || (character >= 0x7f && !isQuadFront(bytes, at + 2))) return at;
  return after(bytes, at + 2, character);
}

/** Behind so many hexadecimal digits at `from`, if they are there; otherwise `at`. */
function afterDigits(bytes: Uint8Array, at: number, from: number, count: number): number {
  return areHex(bytes, from, count) ? after(bytes, from + count, hexAt(bytes, from, count)) : at;
}

function hexAt(bytes: Uint8Array, at: number, count: number): number {
  let value = 0;
  for (let digit = at; digit < at + count; digit++) {
    const byte = bytes[digit]!;
    value = (value << 4) | ((byte & 15) + (byte > 0x39 ? 9 : 0));
  }
  return value;
}

/**
 * `end`, the end of an escape for this character, if that is no part of a token; otherwise the end of the token. A colon
 * is one of an address whose others may be escaped, too, unless a quad follows.
 */
function after(bytes: Uint8Array, end: number, character: number): number {
  if (character >>> 0 > 255 || KIND[character]! >= DELIMITER) return end;
  if (character === COLON && isQuadFront(bytes, end)) return end;
  return endOfToken(bytes, end);
}

/** Whether an escape for a colon ends here, and the same is right before it: a gap, of which a quad is not the front. */
function followsColon(bytes: Uint8Array, end: number, start: number): boolean {
  const isColon =
    bytes[end - 2] === 0x33 ? (bytes[end - 1]! | 0x20) === 0x61 : bytes[end - 2] === 0x37 && bytes[end - 1] === 0x32;
  if (!isColon) return false;
  for (const length of COLON_LENGTHS) {
    let same = 0;
    while (same < length && end - length - same > start && bytes[end - 1 - same] === bytes[end - 1 - length - same])
      same++;
    if (same === length) return true;
  }
  return false;
}

/** Of `%3A`, `\x3a` and `\072`, and `\u003a`. */
const COLON_LENGTHS = [3, 4, 6];

function endOfToken(bytes: Uint8Array, at: number): number {
  while (KIND[bytes[at]!]! < DELIMITER) at++;
  return at;
}

function areHex(bytes: Uint8Array, at: number, count: number): boolean {
  for (let digit = at; digit < at + count; digit++) if (KIND[bytes[digit]!] !== HEX) return false;
  return true;
}

/** Whether a zero and two octal digits are at `at`. */
function isOctal(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === ZERO && (bytes[at + 1]! & 0xf8) === ZERO && (bytes[at + 2]! & 0xf8) === ZERO;
}

/** Behind the end of a control sequence (ECMA-48, 5.4) of which parameters may stand before `at`. */
function afterColor(bytes: Uint8Array, at: number, start: number): number {
  let end = at;
  while ((bytes[end]! - ZERO) >>> 0 <= 9) end++;
  // Its last letter: m, K, J, H, h, l ... The hexadecimal ones move the cursor, which no log does.
  if (KIND[bytes[end]!] !== OTHER || bytes[end] === 0x5f) return at;
  let open = at - 1;
  while (open > start && at - open <= PARAMETERS_MAX && (bytes[open] === SEMICOLON || (bytes[open]! - ZERO) >>> 0 <= 9))
    open--;
  return bytes[open] === OPEN && followsEsc(bytes, open, start) ? end + 1 : at;
}

/** Whether the character ESC, or an escape for it, is right before `at`. */
function followsEsc(bytes: Uint8Array, at: number, start: number): boolean {
  const last = at - 1;
  if (last < start) return false;
  const byte = bytes[last]!;
  if (byte === ESC) return true;
  if (byte === OPEN) return last > start && bytes[last - 1] === CARET;
  if (byte === LETTER_E) return last > start && bytes[last - 1] === BACKSLASH;
  if (last - 2 < start) return false;
  if (byte === 0x33)
    // \033 or #033
    return (
      bytes[last - 1] === 0x33 &&
      bytes[last - 2] === ZERO &&
      last - 3 >= start &&
      (bytes[last - 3] === BACKSLASH || bytes[last - 3] === HASH)
    );
  if ((byte | 0x20) !== 0x62 || bytes[last - 1] !== 0x31) return false; // 1b
  if (bytes[last - 2] === PERCENT) return true;
  return codeFront(bytes, last - 2, start) >= 0;
}

/**
 * Where the escape begins whose last two digits are behind `at`: its backslash, if `x` or `u00` and that precede them;
 * -1 if not.
 */
function codeFront(bytes: Uint8Array, at: number, start: number): number {
  let letter = at;
  if (bytes[letter] === ZERO && letter - 2 >= start && bytes[letter - 1] === ZERO && bytes[letter - 2] === LETTER_U)
    letter -= 2;
  else if (bytes[letter] !== LETTER_X) return -1;
  return letter > start && bytes[letter - 1] === BACKSLASH ? letter - 1 : -1;
}

/** Where a slash right before `at` begins, as it is written: `/`, `\/`, `%2F`, `\x2f`, `\u002f`; -1: there is none. */
export function slashBefore(bytes: Uint8Array, at: number, start: number): number {
  let slash = at - 1;
  if (slash < start) return -1;
  if (bytes[slash] !== SLASH) {
    if (at - 3 < start || (bytes[slash]! | 0x20) !== LETTER_F || bytes[at - 2] !== 0x32) return -1; // 2f
    if (bytes[at - 3] === PERCENT) return at - 3;
    slash = codeFront(bytes, at - 3, start);
    if (slash < 0) return -1;
  }
  while (slash > start && bytes[slash - 1] === BACKSLASH) slash--;
  return slash;
}
