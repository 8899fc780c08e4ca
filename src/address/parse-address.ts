import { explain } from "./_explain.ts";
import type { Address, Family } from "./address.ts";
import { ADDRESS_ERROR_CODES } from "./address-error.ts";
import type { AddressError } from "./address-error.ts";

const DOT = 0x2e;
const COLON = 0x3a;

/** The longest address is 45 characters, and the parse of any text stops at the 46th at the latest. */
const SCRATCH_LENGTH = 64;
const scratch = new Uint8Array(SCRATCH_LENGTH);
const encoder = new TextEncoder();
const scratchWords = new Uint32Array(4);
/** The groups of the IPv6 address being parsed, as written, before the `::` is opened. */
const groups = new Uint16Array(8);

/** Stands for the end of a text. No byte has this meaning, and `DOT` and `COLON` are above 15, too. */
const END = 16;
const OTHER = 17;

/** What a byte means inside an IPv6 address: the value of a hexadecimal digit, `DOT`, `COLON`, or `OTHER`. */
const meaning = new Uint8Array(256).fill(OTHER);
meaning[DOT] = DOT;
meaning[COLON] = COLON;
for (let value = 0; value < 16; value++) {
  meaning[value.toString(16).charCodeAt(0)] = value;
  meaning[value.toString(16).toUpperCase().charCodeAt(0)] = value;
}

// A failure is one small integer: the complement of position * 32 + code, so always negative. The position counts from
// the start of the text, not of the buffer: no text is read beyond its 46th byte, however large the buffer is.
//
//     ~ ( |        position, 0 to 46        | code, 5 bits | )        at most 46 * 32 + 31 = 1503
//
// Of the codes, the first 12 are packed, fewer than 32. ~x of a number from 0 on is below 0: it is no family, 4 or 6.
const EMPTY = ADDRESS_ERROR_CODES.indexOf("empty");
const UNEXPECTED_CHARACTER = ADDRESS_ERROR_CODES.indexOf("unexpected-character");
const OCTET_MISSING = ADDRESS_ERROR_CODES.indexOf("octet-missing");
const OCTET_LEADING_ZERO = ADDRESS_ERROR_CODES.indexOf("octet-leading-zero");
const OCTET_OUT_OF_RANGE = ADDRESS_ERROR_CODES.indexOf("octet-out-of-range");
const TOO_FEW_OCTETS = ADDRESS_ERROR_CODES.indexOf("too-few-octets");
const TOO_MANY_OCTETS = ADDRESS_ERROR_CODES.indexOf("too-many-octets");
const GROUP_TOO_LONG = ADDRESS_ERROR_CODES.indexOf("group-too-long");
const TOO_FEW_GROUPS = ADDRESS_ERROR_CODES.indexOf("too-few-groups");
const TOO_MANY_GROUPS = ADDRESS_ERROR_CODES.indexOf("too-many-groups");
const LONE_COLON = ADDRESS_ERROR_CODES.indexOf("lone-colon");
const SECOND_GAP = ADDRESS_ERROR_CODES.indexOf("second-gap");

function failure(code: number, position: number): number {
  return ~((position << 5) | code);
}

/**
 * Parses `bytes[start, end)` strictly: a dotted quad of decimal octets without leading zeros, or any text form of
 * RFC 4291, section 2.2. Writes the words to `out` (`out[0]` for IPv4, `out[0..3]` for IPv6) and returns the family;
 * an IPv4-mapped IPv6 address is the IPv4 address. A malformed text gives a negative number that `addressErrorOf`
 * explains, and leaves `out` undefined. Never reads outside the given bytes, never allocates.
 */
export function parseAddressBytes(bytes: Uint8Array, start: number, end: number, out: Uint32Array): number {
  if (readQuad(bytes, start, end, out, 0)) return 4;
  if (start >= end) return failure(EMPTY, 0);
  return isWrittenAsIpv6(bytes, start, end) ? parseIpv6(bytes, start, end, out) : quadFailure(bytes, start, end, start);
}

/** The error for a negative result of `parseAddressBytes`; `value` is the text that was parsed. */
export function addressErrorOf(result: number, value: string): AddressError {
  const packed = ~result;
  return explain(ADDRESS_ERROR_CODES[packed & 31]!, value, packed >> 5);
}

/**
 * Parses a text into words as `parseAddressBytes` does: the family, or a negative number for `addressErrorOf`. For many
 * texts, of which some are malformed.
 */
export function parseTextInto(text: string, out: Uint32Array): number {
  const quad = quadOfText(text);
  if (quad < 0) return parseAddressBytes(scratch, 0, copyToScratch(text), out);
  out[0] = quad;
  return 4;
}

/**
 * Parses like `parseAddress`, into words: `out[0]` for IPv4, `out[0..3]` for IPv6, most significant first. Returns the
 * family. Throws AddressError; builds no object for an address.
 */
export function parseAddressInto(text: string, out: Uint32Array): Family {
  if (typeof text !== "string") throw new TypeError(`an address must be a string, not ${String(text)}`);
  const result = parseTextInto(text, out);
  if (result < 0) throw addressErrorOf(result, text);
  return result as Family;
}

/**
 * Parses an address strictly: a dotted quad of decimal octets without leading zeros, or any IPv6 form of RFC 4291; an
 * IPv4-mapped IPv6 address is the IPv4 address. Throws AddressError.
 *
 *     formatAddress(parseAddress("2001:DB8::0:1")); // "2001:db8::1"
 */
export function parseAddress(text: string): Address {
  return parseAddressInto(text, scratchWords) === 4
    ? { family: 4, w0: scratchWords[0]!, w1: 0, w2: 0, w3: 0 }
    : { family: 6, w0: scratchWords[0]!, w1: scratchWords[1]!, w2: scratchWords[2]!, w3: scratchWords[3]! };
}

/** Whether the text is an address that `parseAddress` accepts. */
export function isAddress(text: string): boolean {
  return parseAddressBytes(scratch, 0, copyToScratch(text), scratchWords) > 0;
}

/**
 * The word of a text that is a strict dotted quad, -1 for every other text: those are for `parseAddressBytes` to judge.
 * Reading each character once where it stands takes 40 ns, copying the text to bytes and parsing those 65 ns.
 */
function quadOfText(text: string): number {
  const { length } = text;
  if (length < 7 || length > 15) return -1;
  // No read leaves the text: `at < length` is checked before each digit, and charCodeAt gives NaN past the end, which
  // is no dot. `value` is at most 999, and `word` takes 8 bits four times; a first octet from 128 on makes it negative
  // until the last line. Comparing `x >>> 0` asks for 0 to 9 at once: what is below "0" becomes a large number.
  let word = 0;
  let at = 0;
  for (let octets = 1; octets <= 4; octets++) {
    if (at >= length) return -1;
    let value = text.charCodeAt(at++) - 0x30;
    if (value >>> 0 > 9) return -1;
    for (let digits = 1; digits < 3 && at < length; digits++) {
      const digit = text.charCodeAt(at) - 0x30;
      if (digit >>> 0 > 9) break;
      if (value === 0) return -1;
      value = value * 10 + digit;
      at++;
    }
    if (value > 255) return -1;
    word = (word << 8) | value;
    if (octets < 4 && text.charCodeAt(at++) !== DOT) return -1;
  }
  return at === length ? word >>> 0 : -1;
}

/**
 * Copies the text, or as much of it as decides, and returns how many bytes that is. A character outside ASCII becomes
 * bytes that occur in no address: it must never lose its upper bits and turn into a digit. What is wrong with
 * such a text is found at that character or before it, so bytes and characters have the same positions up to there.
 */
function copyToScratch(text: string): number {
  // One native call costs as much as twenty characters by hand.
  if (text.length > 20) return encoder.encodeInto(text, scratch).written;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    scratch[at] = code < 0x80 ? code : 0xff;
  }
  return text.length;
}

/**
 * Reads four octets that fill `bytes[start, end)` into `out[slot]`; returns whether they did. Octets 1 and 2 are read
 * from the front and 4 and 3 from the back, and the two sides must meet at the second dot: two short chains of
 * dependent loads in place of a long one, and with 7 characters or more no read leaves the text. How many digits an
 * octet has cannot be predicted, so nothing branches on it: a wrong guess costs more than the arithmetic of all four
 * octets.
 */
function readQuad(bytes: Uint8Array, start: number, end: number, out: Uint32Array, slot: number): boolean {
  const length = end - start;
  if (length < 7 || length > 15) return false;
  // From the front: octet 1, dot 1, octet 2; from the back: octet 4, dot 3, octet 3.
  //
  //     start                                 end
  //       | octet 1 | . | octet 2 | . | octet 3 | . | octet 4 |
  //               dot1 ->       dot2 = dot2       <- dot3
  //
  // Both sides finding the same dot 2 is the proof that nothing lies between: lengths and three dots add up to the
  // text. No read leaves the text: an octet is at most 3 bytes and the text at least 7, and dot 1 and dot 3 lie inside.
  const octet1 = octetFrom(bytes, start);
  const dot1 = start + (octet1 >> 8);
  if (octet1 < 0 || bytes[dot1] !== DOT) return false;
  const octet2 = octetFrom(bytes, dot1 + 1);
  const octet4 = octetBefore(bytes, end);
  const dot3 = end - 1 - (octet4 >> 8);
  if ((octet2 | octet4) < 0 || bytes[dot3] !== DOT) return false;
  const octet3 = octetBefore(bytes, dot3);
  const dot2 = dot1 + 1 + (octet2 >> 8);
  if (octet3 < 0 || dot2 !== dot3 - 1 - (octet3 >> 8) || bytes[dot2] !== DOT) return false;
  out[slot] = (octet1 << 24) | ((octet2 & 255) << 16) | ((octet3 & 255) << 8) | (octet4 & 255);
  return true;
}

/**
 * The octet whose first digit is `bytes[at]`, as digits * 256 + value; negative when it is none. What follows it is
 * either below "0", as the dot is, or makes it none. A mask is -1 where a digit stands and 0 elsewhere; the sign of
 * `bad` gathers every condition that must not go negative: digits in 0..9, no leading zero, value up to 255.
 */
function octetFrom(bytes: Uint8Array, at: number): number {
  // ~d >> 31 is -1 for d >= 0 and 0 for d < 0. 9 - d is negative for a byte above "9", so `bad` rejects a letter where
  // a digit or a dot may stand. The packing: | digits: bits 8 and 9 | value: bits 0 to 7 |, and -1 if `bad` is
  // negative.
  //
  //     "192."   digits 1 9 2      two = three = -1     1 + (1 * 9 + 9) = 19     19 + (19 * 9 + 2) = 192
  //     "7.0."   digits 7 -2 0     two = three = 0      7: `three` needs `two`, whatever follows the dot
  const digit1 = bytes[at]! - 0x30;
  const digit2 = bytes[at + 1]! - 0x30;
  const digit3 = bytes[at + 2]! - 0x30;
  const two = ~digit2 >> 31;
  const three = two & (~digit3 >> 31);
  let value = digit1 + (two & (digit1 * 9 + digit2));
  value += three & (value * 9 + digit3);
  const bad = digit1 | (9 - digit1) | (9 - digit2) | (two & ((9 - digit3) | (digit1 - 1))) | (255 - value);
  return ((1 - two - three) << 8) | value | (bad >> 31);
}

/** As `octetFrom`, for the octet whose last digit is `bytes[end - 1]`. */
function octetBefore(bytes: Uint8Array, end: number): number {
  const units = bytes[end - 1]! - 0x30;
  const tens = bytes[end - 2]! - 0x30;
  const hundreds = bytes[end - 3]! - 0x30;
  const two = ~tens >> 31;
  const three = two & (~hundreds >> 31);
  const value = units + (two & (tens * 10)) + (three & (hundreds * 100));
  const bad =
    units |
    (9 - units) |
    (9 - tens) |
    (two & ((9 - hundreds) | (value - 10))) |
    (three & (value - 100)) |
    (255 - value);
  return ((1 - two - three) << 8) | value | (bad >> 31);
}

/** Why `readQuad` rejected `bytes[first, end)`, which is a text that begins at `start` or the end of one. */
function quadFailure(bytes: Uint8Array, first: number, end: number, start: number): number {
  let at = first;
  for (let octets = 1; ; octets++) {
    const octet = at;
    if (at === end) return failure(TOO_FEW_OCTETS, at - start);
    if (bytes[at] === DOT) return failure(OCTET_MISSING, at - start);
    let value = 0;
    for (; at < end && isDigit(bytes[at]!); at++) {
      if (at > octet && value === 0) return failure(OCTET_LEADING_ZERO, octet - start);
      value = value * 10 + bytes[at]! - 0x30;
      if (value > 255) return failure(OCTET_OUT_OF_RANGE, octet - start);
    }
    if (at === end) return failure(TOO_FEW_OCTETS, at - start); // four would have been accepted
    if (at === octet || bytes[at] !== DOT) return failure(UNEXPECTED_CHARACTER, at - start);
    if (octets === 4) return failure(TOO_MANY_OCTETS, at - start);
    at++;
  }
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

/** Whether a colon comes before any dot: the text can only be meant as IPv6. */
function isWrittenAsIpv6(bytes: Uint8Array, start: number, end: number): boolean {
  const limit = end - start < SCRATCH_LENGTH ? end : start + SCRATCH_LENGTH;
  for (let at = start; at < limit; at++) {
    if (bytes[at] === COLON) return true;
    if (bytes[at] === DOT) return false;
  }
  return false;
}

function parseIpv6(bytes: Uint8Array, start: number, end: number, out: Uint32Array): number {
  let at = start;
  let count = 0; // groups read
  let gap = -1; // how many groups stand before the ::, -1 without one
  let gapAt = -1;

  // A colon can only begin the text as half of a ::.
  if (bytes[at] === COLON) {
    if (at + 1 >= end || bytes[at + 1] !== COLON) return failure(LONE_COLON, at - start);
    gap = 0;
    gapAt = 0;
    at += 2;
  }

  while (at < end) {
    // One group: one to four hexadecimal digits. `next` is what stands at `at`, END after the text.
    const first = at;
    let value = meaning[bytes[at]!]!;
    if (value > 15) return failure(bytes[at] === COLON ? SECOND_GAP : UNEXPECTED_CHARACTER, at - start);
    let next = ++at < end ? meaning[bytes[at]!]! : END;
    if (next < 16) {
      value = (value << 4) | next;
      next = ++at < end ? meaning[bytes[at]!]! : END;
      if (next < 16) {
        value = (value << 4) | next;
        next = ++at < end ? meaning[bytes[at]!]! : END;
        if (next < 16) {
          value = (value << 4) | next;
          next = ++at < end ? meaning[bytes[at]!]! : END;
          if (next < 16) return failure(GROUP_TOO_LONG, first - start);
        }
      }
    }

    // It was the first octet of an embedded IPv4 address, which takes the place of the last two groups.
    if (next === DOT) {
      if (count > 6) return failure(TOO_MANY_GROUPS, first - start);
      if (!readQuad(bytes, first, end, out, 3)) return quadFailure(bytes, first, end, start);
      groups[count] = out[3]! >>> 16;
      groups[count + 1] = out[3]! & 0xffff;
      count += 2;
      break;
    }
    if (count === 8) return failure(TOO_MANY_GROUPS, first - start);
    groups[count++] = value;

    // Then the end, a colon and a group, or the ::.
    if (next === END) break;
    if (next !== COLON) return failure(UNEXPECTED_CHARACTER, at - start);
    at++;
    if (at === end) return failure(LONE_COLON, at - 1 - start);
    if (bytes[at] === COLON) {
      if (gap >= 0) return failure(SECOND_GAP, at - 1 - start);
      gap = count;
      gapAt = at - 1 - start;
      at++;
    }
  }

  if (gap < 0) {
    if (count < 8) return failure(TOO_FEW_GROUPS, end - start);
  } else {
    if (count === 8) return failure(TOO_MANY_GROUPS, gapAt);
    openGap(gap, count);
  }
  return writeIpv6Words(out);
}

/** Moves the groups after the gap to the end and fills the gap with zeros. */
function openGap(gap: number, count: number): void {
  //     before   | f0 | f1 | b0 | b1 | b2 | -- | -- | -- |      gap = 2, count = 5
  //     after    | f0 | f1 | 0  | 0  | 0  | b0 | b1 | b2 |
  // From the end, so that no group is overwritten before it is moved: `to` is never below `from`.
  let to = 7;
  for (let from = count - 1; from >= gap; from--) groups[to--] = groups[from]!;
  while (to >= gap) groups[to--] = 0;
}

/** Joins the groups to words; in ::ffff:0:0/96 only the last word counts, and the address is IPv4. */
function writeIpv6Words(out: Uint32Array): Family {
  // All eight groups are written by now: by the parse, or by `openGap`. `|` gives signed words; storing them in a
  // Uint32Array, or comparing them with 0 and 0xffff, does not depend on the sign.
  const w0 = (groups[0]! << 16) | groups[1]!;
  const w1 = (groups[2]! << 16) | groups[3]!;
  const w2 = (groups[4]! << 16) | groups[5]!;
  const w3 = (groups[6]! << 16) | groups[7]!;
  if (w2 === 0xffff && w0 === 0 && w1 === 0) {
    out[0] = w3;
    return 4;
  }
  out[0] = w0;
  out[1] = w1;
  out[2] = w2;
  out[3] = w3;
  return 6;
}
