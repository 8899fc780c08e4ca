import { COLONS, DELIMITER, HEX, KIND, OTHER } from "./byte-kinds.ts";

const ESC = 0x1b;
const HASH = 0x23;
const PERCENT = 0x25;
const SLASH = 0x2f;
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
for (const byte of Buffer.from("bfnrtv")) IS_CONTROL[byte] = 1;

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
  switch (bytes[at - 1]) {
    case BACKSLASH:
      return afterBackslash(bytes, at);
    case PERCENT:
      return afterPercent(bytes, at);
    case HASH:
      return isOctal(bytes, at) && bytes[at + 1]! < 0x34 ? at + 3 : at;
    case OPEN:
    case SEMICOLON:
      return afterColor(bytes, at, start);
    default:
      return at;
  }
}

function afterBackslash(bytes: Uint8Array, at: number): number {
  const byte = bytes[at]!;
  if (IS_CONTROL[byte] === 1) return at + 1;
  if (byte === LETTER_X) return afterDigits(bytes, at, at + 1, 2);
  if (byte === LETTER_U) return afterDigits(bytes, at, at + 1, 4);
  if (byte === (LETTER_U & ~0x20)) return afterDigits(bytes, at, at + 1, 8);
  if (byte !== ZERO) return at;
  return isOctal(bytes, at) ? after(bytes, at + 3, (bytes[at + 1]! & 7) * 8 + (bytes[at + 2]! & 7)) : at + 1;
}

/** The percent sign may be escaped itself, as %25. */
function afterPercent(bytes: Uint8Array, at: number): number {
  while (bytes[at] === 0x32 && bytes[at + 1] === 0x35 && areHex(bytes, at + 2, 2)) at += 2;
  return afterDigits(bytes, at, at, 2);
}

/** Behind so many hexadecimal digits at `from`, if they are there; otherwise `at`. */
function afterDigits(bytes: Uint8Array, at: number, from: number, count: number): number {
  if (!areHex(bytes, from, count)) return at;
  let value = 0;
  for (let digit = from; digit < from + count; digit++) {
    const byte = bytes[digit]!;
    value = (value << 4) | ((byte & 15) + (byte > 0x39 ? 9 : 0));
  }
  return after(bytes, from + count, value);
}

/** `end`, the end of an escape for this character, if that is no part of a token; otherwise the end of the token. */
function after(bytes: Uint8Array, end: number, character: number): number {
  if (character >>> 0 > 255 || KIND[character]! >= COLONS) return end;
  while (KIND[bytes[end]!]! < DELIMITER) end++;
  return end;
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
