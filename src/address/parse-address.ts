import { explain } from "./_explain.ts";
import type { Address, Family } from "./address.ts";
import { ADDRESS_ERROR_CODES } from "./address-error.ts";
import type { AddressError } from "./address-error.ts";

const DOT = 0x2e;
const COLON = 0x3a;

/** The longest address is 45 characters, and the parse of any text stops at the 46th at the latest. */
const SCRATCH_LENGTH = 64;
const scratch = new Uint8Array(SCRATCH_LENGTH);
const scratchWords = new Uint32Array(4);
/** The groups of the IPv6 address being parsed, as written, before the `::` is opened. */
const groups = new Uint16Array(8);

/** The value of a hexadecimal digit by its byte; 16 for every other byte. */
const hexDigit = new Uint8Array(256).fill(16);
for (let value = 0; value < 16; value++) {
  hexDigit[value.toString(16).charCodeAt(0)] = value;
  hexDigit[value.toString(16).toUpperCase().charCodeAt(0)] = value;
}

// A failure is one small integer: the complement of position * 32 + code, so always negative.
// Inside this file positions count from the start of `bytes`.
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
  const quad = parseQuad(bytes, start, end, out, 0);
  if (quad === 0) return 4;
  const result = isWrittenAsSix(bytes, start, end) ? parseSix(bytes, start, end, out) : quad;
  if (result > 0) return result;
  if (start === end) return failure(EMPTY, 0);
  return result + (start << 5); // moves the position inside the complement: ~(p - start) = ~p + start
}

/** The error behind a negative result of `parseAddressBytes`; `value` is the text that was parsed. */
export function addressErrorOf(result: number, value: string): AddressError {
  const packed = ~result;
  return explain(ADDRESS_ERROR_CODES[packed & 31]!, value, packed >> 5);
}

/** Parses a text into words as `parseAddressBytes` does. Throws AddressError; allocates nothing on success. */
export function parseAddressInto(text: string, out: Uint32Array): Family {
  const result = parseAddressBytes(scratch, 0, copyToScratch(text), out);
  if (result < 0) throw addressErrorOf(result, text);
  return result as Family;
}

/** Parses an address strictly. Throws AddressError. */
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
 * Copies the text, or as much of it as decides, and returns how many bytes that is. A character outside ASCII
 * becomes a byte that stands in no address: it must never lose its upper bits and turn into a digit.
 */
function copyToScratch(text: string): number {
  const length = text.length < SCRATCH_LENGTH ? text.length : SCRATCH_LENGTH;
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at);
    scratch[at] = code < 0x80 ? code : 0xff;
  }
  return length;
}

/** Parses exactly four octets that fill `bytes[start, end)` and writes their word to `out[slot]`. Returns 0 or a failure. */
function parseQuad(bytes: Uint8Array, start: number, end: number, out: Uint32Array, slot: number): number {
  let at = start;
  let word = 0;
  for (let octets = 1; ; octets++) {
    const first = at;
    if (at >= end) return failure(TOO_FEW_OCTETS, at);
    let value = bytes[at++]! - 0x30;
    if (value < 0 || value > 9) return failure(value === DOT - 0x30 ? OCTET_MISSING : UNEXPECTED_CHARACTER, first);
    while (at < end) {
      const digit = bytes[at]! - 0x30;
      if (digit < 0 || digit > 9) break;
      if (value === 0) return failure(OCTET_LEADING_ZERO, first);
      value = value * 10 + digit;
      if (value > 255) return failure(OCTET_OUT_OF_RANGE, first);
      at++;
    }
    word = (word << 8) | value;
    if (at === end) {
      if (octets < 4) return failure(TOO_FEW_OCTETS, at);
      out[slot] = word;
      return 0;
    }
    if (bytes[at] !== DOT) return failure(UNEXPECTED_CHARACTER, at);
    if (octets === 4) return failure(TOO_MANY_OCTETS, at);
    at++;
  }
}

/** Whether a colon comes before any dot: the text can only be meant as IPv6. */
function isWrittenAsSix(bytes: Uint8Array, start: number, end: number): boolean {
  const limit = end - start < SCRATCH_LENGTH ? end : start + SCRATCH_LENGTH;
  for (let at = start; at < limit; at++) {
    if (bytes[at] === COLON) return true;
    if (bytes[at] === DOT) return false;
  }
  return false;
}

function parseSix(bytes: Uint8Array, start: number, end: number, out: Uint32Array): number {
  let at = start;
  let count = 0; // groups read
  let gap = -1; // how many groups stand before the ::, -1 without one
  let gapAt = -1;

  // A colon can only begin the text as half of a ::.
  if (bytes[at] === COLON) {
    if (at + 1 >= end || bytes[at + 1] !== COLON) return failure(LONE_COLON, at);
    gap = 0;
    gapAt = at;
    at += 2;
  }

  while (at < end) {
    // One group: one to four hexadecimal digits.
    const first = at;
    let value = 0;
    while (at < end) {
      const digit = hexDigit[bytes[at]!]!;
      if (digit > 15) break;
      if (at - first === 4) return failure(GROUP_TOO_LONG, first);
      value = (value << 4) | digit;
      at++;
    }
    // It was the first octet of an embedded IPv4 address, which takes the place of the last two groups.
    if (at < end && bytes[at] === DOT && at > first) {
      if (count > 6) return failure(TOO_MANY_GROUPS, first);
      const quad = parseQuad(bytes, first, end, out, 3);
      if (quad < 0) return quad;
      groups[count] = out[3]! >>> 16;
      groups[count + 1] = out[3]! & 0xffff;
      count += 2;
      break;
    }
    if (at === first) return failure(bytes[at] === COLON ? SECOND_GAP : UNEXPECTED_CHARACTER, at);
    if (count === 8) return failure(TOO_MANY_GROUPS, first);
    groups[count++] = value;

    // Then the end, a colon and a group, or the ::.
    if (at === end) break;
    if (bytes[at] !== COLON) return failure(UNEXPECTED_CHARACTER, at);
    at++;
    if (at === end) return failure(LONE_COLON, at - 1);
    if (bytes[at] === COLON) {
      if (gap >= 0) return failure(SECOND_GAP, at - 1);
      gap = count;
      gapAt = at - 1;
      at++;
    }
  }

  if (gap < 0) {
    if (count < 8) return failure(TOO_FEW_GROUPS, end);
  } else {
    if (count === 8) return failure(TOO_MANY_GROUPS, gapAt);
    openGap(gap, count);
  }
  return writeSix(out);
}

/** Moves the groups behind the gap to the end and fills the gap with zeros. */
function openGap(gap: number, count: number): void {
  let to = 7;
  for (let from = count - 1; from >= gap; from--) groups[to--] = groups[from]!;
  while (to >= gap) groups[to--] = 0;
}

/** Joins the groups to words; in ::ffff:0:0/96 only the last word counts, and the address is IPv4. */
function writeSix(out: Uint32Array): Family {
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
