import { parseAddressBytes } from "../../../address/parse-address.ts";
import { skipMark } from "../byte-order-mark.ts";
import { addressBeforePort } from "../port.ts";
import { isPublicAddress } from "../public-address.ts";

/**
 * Which address of a line counts if there are several in it, or in a list in its field: the first, the last, or the
 * first that is reachable from the internet (not private, loopback, documentation and so on, by the IANA registries).
 */
export type AddressChoice = "first" | "last" | "first-public";

const TAB = 0x09;
const SPACE = 0x20;
const QUOTE = 0x22;
const PERCENT = 0x25;
const APOSTROPHE = 0x27;
const PLUS = 0x2b;
const COMMA = 0x2c;
const DOT = 0x2e;
const SLASH = 0x2f;
const COLON = 0x3a;
const SEMICOLON = 0x3b;
const EQUALS = 0x3d;
const OPEN = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE = 0x5d;
const UNDERSCORE = 0x5f;

/**
 * The address of a field `bytes[start, end)`: its family, with its words in `found`, or 0. A field holds one address or
 * a list of them, separated by commas: the value of `X-Forwarded-For`, or a JSON array. `choice` says which item
 * counts: the first, the last, or the first that is an address reachable from the internet. If the first (or last) item
 * is not an address, the field has none: something further on that merely looks like one is never taken for it.
 *
 * An item is an address, bare or with a length (`/24`), a zone (`%eth0`), a port (`1.2.3.4:80`, `1.2.3.4.80`, and behind
 * an IPv6 address if it can be nothing else), in brackets (`[::1]:80`), with quotes and spaces around it, which are `+`
 * in W3C logs; or the `for` of an element of `Forwarded` (RFC 7239, section 4). What is none of this may be one of these,
 * or a list of them, as a URL has it: `2001%3Adb8%3A%3A1`, `1.2.3.4%2C%201.1.1.1`, and `%253A` for `%3A`.
 */
export function fieldAddress(
  bytes: Uint8Array,
  start: number,
  end: number,
  choice: AddressChoice,
  found: Uint32Array,
): 0 | 4 | 6 {
  if (choice !== "first-public") {
    const family = parseAddressBytes(bytes, start, end, found); // most fields are a bare address
    if (family > 0) return family as 4 | 6;
  }
  if (isArray(bytes, start, end)) {
    start++;
    end = trimmedEnd(bytes, start, end) - 1;
  }
  // Only the elements of Forwarded have parts in quotes, which may hold what otherwise separates them.
  const isForwarded = next(bytes, EQUALS, start, end) < end;
  const nextItem = isForwarded ? nextUnquoted : next;
  if (choice === "last") return itemAddress(bytes, lastItem(bytes, start, end, nextItem), end, choice, found);
  for (let at = start; at <= end;) {
    const itemEnd = nextItem(bytes, COMMA, at, end);
    const family = itemAddress(bytes, at, itemEnd, choice, found);
    if (choice === "first" || (family !== 0 && isPublicAddress(family, found))) return family;
    at = itemEnd + 1;
  }
  return 0;
}

/** Whether this is a JSON array of strings: `[` alone may also begin an address in brackets. */
function isArray(bytes: Uint8Array, start: number, end: number): boolean {
  if (bytes[start] !== OPEN) return false;
  let at = start + 1;
  while (at < end && (bytes[at] === SPACE || bytes[at] === TAB)) at++;
  return at < end && bytes[at] === QUOTE && bytes[trimmedEnd(bytes, start, end) - 1] === CLOSE;
}

function lastItem(bytes: Uint8Array, start: number, end: number, nextItem: typeof next): number {
  for (let at = start; ;) {
    const itemEnd = nextItem(bytes, COMMA, at, end);
    if (itemEnd === end) return at;
    at = itemEnd + 1;
  }
}

/** As `next`, for a byte that is not in double quotes; those at the start are around the whole field. */
function nextUnquoted(bytes: Uint8Array, byte: number, at: number, end: number): number {
  const start = at;
  let isQuoted = false;
  for (; at < end; at++) {
    if (bytes[at] === QUOTE && (isQuoted || followsEquals(bytes, start, at))) isQuoted = !isQuoted;
    else if (bytes[at] === byte && !isQuoted) return at;
  }
  return end;
}

/** Whether the quote at `at` begins a value: it may be doubled, as in CSV, or follow a backslash. */
function followsEquals(bytes: Uint8Array, start: number, at: number): boolean {
  const mark = bytes[at - 1] === BACKSLASH || bytes[at - 1] === QUOTE ? at - 2 : at - 1;
  return mark >= start && bytes[mark] === EQUALS;
}

function itemAddress(
  bytes: Uint8Array,
  start: number,
  end: number,
  choice: AddressChoice,
  found: Uint32Array,
): 0 | 4 | 6 {
  start = skipMark(bytes, start, end); // of a file that was put behind another
  while (start < end && isMargin(bytes[start]!)) start++;
  end = trimmedEnd(bytes, start, end);
  const family =
    next(bytes, EQUALS, start, end) < end
      ? forwardedAddress(bytes, start, end, found)
      : nodeAddress(bytes, start, end, found);
  if (family !== 0 || next(bytes, PERCENT, start, end) === end) return family;
  const decoded = percentDecoded(bytes, start, end);
  return decoded === null ? 0 : fieldAddress(decoded, 0, decoded.length - 1, choice, found);
}

/** A text as a URL has it, decoded, and an LF after it; null: nothing in it is encoded. */
function percentDecoded(bytes: Uint8Array, start: number, end: number): Uint8Array | null {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString("latin1");
  const decoded = text.replace(ENCODED, (_all, code: string) => String.fromCharCode(parseInt(code, 16)));
  return decoded === text ? null : Buffer.from(`${decoded}\n`, "latin1");
}

/** What URLs encode of addresses and lists, perhaps more than once: a blank, quotes, and `,` `/` `:` `;` `=` `[` `]`. */
const ENCODED = /%(?:25)*(2[027cCfF]|3[aAbBdD]|5[bBdD])/g;

/** The address of `for` among the parameters of an element of `Forwarded`, in any order and case. */
function forwardedAddress(bytes: Uint8Array, start: number, end: number, found: Uint32Array): 0 | 4 | 6 {
  for (let at = start; at < end; at++) {
    while (at < end && isMargin(bytes[at]!)) at++;
    const pairEnd = nextUnquoted(bytes, SEMICOLON, at, end);
    const equals = next(bytes, EQUALS, at, pairEnd);
    if (equals < pairEnd && isFor(bytes, at, equals)) {
      let value = equals + 1;
      while (value < pairEnd && isMargin(bytes[value]!)) value++;
      return nodeAddress(bytes, value, withoutName(bytes, value, trimmedEnd(bytes, value, pairEnd)), found);
    }
    at = pairEnd;
  }
  return 0;
}

/** The end of a node without a port that is a name (`:_port`; RFC 7239, section 6). */
function withoutName(bytes: Uint8Array, start: number, end: number): number {
  for (let at = end - 1; at > start; at--) if (bytes[at] === UNDERSCORE && bytes[at - 1] === COLON) return at - 1;
  return end;
}

function isFor(bytes: Uint8Array, start: number, end: number): boolean {
  return end - start === 3 && bytes.subarray(start, end).every((byte, index) => (byte | 0x20) === FOR[index]);
}

/** With the backslash of a quote within quotes. */
const MARGINS: ReadonlySet<number> = new Set([SPACE, TAB, QUOTE, APOSTROPHE, PLUS, BACKSLASH]);

const FOR = [0x66, 0x6f, 0x72];

/** The address of an item without margins. */
function nodeAddress(bytes: Uint8Array, start: number, end: number, found: Uint32Array): 0 | 4 | 6 {
  if (bytes[start] === OPEN && start < end) {
    const close = next(bytes, CLOSE, start, end);
    if (close === end || !isTail(bytes, close + 1, end, true)) return 0;
    return parsed(bytes, start + 1, next(bytes, PERCENT, start + 1, close), close, found);
  }
  const slash = next(bytes, SLASH, start, end);
  const zone = next(bytes, PERCENT, start, slash);
  if (slash < end || zone < slash) {
    const family = parsed(bytes, start, zone, slash, found);
    return family !== 0 && (slash === end || isNumber(bytes, slash + 1, end, isIpv6(bytes, start, zone) ? 128 : 32))
      ? family
      : 0;
  }
  const colon = next(bytes, COLON, start, end);
  const isQuadWithPort = colon < end && next(bytes, DOT, start, colon) < colon;
  if (isQuadWithPort) return isTail(bytes, colon, end, false) ? parsed(bytes, start, colon, colon, found) : 0;
  return parsed(bytes, start, end, end, found) || addressBeforePort(bytes, start, end, found);
}

/** The address `bytes[start, zone)`, and its zone up to `end`, which only an IPv6 address has. */
function parsed(bytes: Uint8Array, start: number, zone: number, end: number, found: Uint32Array): 0 | 4 | 6 {
  if (zone < end && (zone + 1 === end || !isIpv6(bytes, start, zone))) return 0;
  const family = parseAddressBytes(bytes, start, zone, found);
  return family < 0 ? 0 : (family as 4 | 6);
}

function isIpv6(bytes: Uint8Array, start: number, end: number): boolean {
  return next(bytes, COLON, start, end) < end;
}

/** What may follow a closing bracket, or a quad without brackets: nothing, a port, or (brackets) a length. */
function isTail(bytes: Uint8Array, start: number, end: number, isBracketed: boolean): boolean {
  if (start === end) return true;
  if (bytes[start] === COLON) return isNumber(bytes, start + 1, end, 65_535);
  return isBracketed && bytes[start] === SLASH && isNumber(bytes, start + 1, end, 128);
}

function isNumber(bytes: Uint8Array, start: number, end: number, most: number): boolean {
  if (start === end || end - start > 5) return false;
  let value = 0;
  for (let at = start; at < end; at++) {
    const digit = bytes[at]! - 0x30;
    if (digit < 0 || digit > 9) return false;
    value = value * 10 + digit;
  }
  return value <= most;
}

function isMargin(byte: number): boolean {
  return MARGINS.has(byte);
}

function trimmedEnd(bytes: Uint8Array, start: number, end: number): number {
  while (end > start && isMargin(bytes[end - 1]!)) end--;
  return end;
}

/** The position of the byte, or `end`. */
function next(bytes: Uint8Array, byte: number, at: number, end: number): number {
  while (at < end && bytes[at] !== byte) at++;
  return at;
}
