import { parseAddressBytes } from "../../address/parse-address.ts";
import { COLONS, DELIMITER, DOTS, ESCAPE, HEX, KIND, OTHER } from "./byte-kinds.ts";
import { afterEscape, slashBefore } from "./escape.ts";
import { addressBeforePort, portEnd } from "./port.ts";

const TAB = 0x09;
const LF = 0x0a;
const SPACE = 0x20;
const PERCENT = 0x25;
const DOT = 0x2e;
const COLON = 0x3a;

/**
 * Every address has a dot or a colon, and most words of a log have none: only these bytes and the LF are searched for.
 */
const MARK = new Uint8Array(256);
MARK[DOT] = MARK[COLON] = MARK[LF] = 1;

/** Instead of a match id: the line has no address. */
export const NO_ADDRESS = -1;

/** Where `findAddress` reports how far it has read: `found[STOP]`. */
export const STOP = 4;

/** Room for the words of the address, and for `STOP`. */
export function createFound(): Uint32Array {
  return new Uint32Array(5);
}

/**
 * Finds the first address of the line (or the field of a line) `bytes[start, end)`. Returns its family and writes its
 * words to `found[0..3]` (IPv4 and IPv4-mapped: `found[0]` alone), or returns 0. In both cases there is no LF in
 * `bytes[start, found[STOP])`, so the search for the end of the line continues from there; without an address
 * `found[STOP]` is `end` or the first LF. `bytes[end]` must exist and be a delimiter (the LF, the comma, the quote that
 * ends the text). Linear in the length of the line; allocates nothing.
 *
 * What counts as an address: every byte except ASCII letters, digits, `_`, `.` and `:` is a delimiter (so are NUL, CR
 * and all bytes from 0x80 up: a byte order mark, a no-break space, a fullwidth colon, the text around an address in a
 * script without spaces). A token is a longest run of the others. If the byte before it begins an escape (`\t`, `\n`,
 * `\x22`, `\u003c`, `\011`, `%22`, rsyslog's `#011`, a color such as `ESC[32m`), the escape's further bytes are no part
 * of the token (`afterEscape`). For each token, from the left, with `rest` the whole token at first:
 *
 * 1. If `rest` begins with a dotted quad (four decimal octets, no leading zeros) followed by the end of the token, or a
 *     `:` with anything after it (a port), or dots up to the end of the token (a full stop), or a dot and a port, as
 *     tcpdump writes it, and then the end, a `:` at the end, or dots: that is the address. But a version such as
 *     `Chrome/120.0.0.0` is none: a quad that ends in .0.0, or has a fifth part, and is the whole front of a token that
 *     follows a letter and a `/`.
 * 2. R is the run of letters, digits, `_` and `.` at the front of `rest` (it may be empty), k the number of `:` right
 *     after it. R is a label if k = 3 (a `:` and a `::`; but a blank or the beginning before `:::22` make it the address
 *     `::` and a port), or if k = 1 and R is empty, or holds a byte that is neither a hexadecimal digit nor a dot, or is
 *     followed by a quad as in step 1. Then drop R and one `:` and begin again: `client:1.2.3.4`, `db:1.2.3.4`, `ip:::1`.
 * 3. If R holds a byte that is neither a hexadecimal digit nor a dot, the token has no address: `v1.2.3.4`,
 *     `1.2.3.4.example.net`, `std::string`.
 * 4. `rest` without the dots at its end, and then without one `:` at its end unless that is half of a `::`, is the
 *     address if it is an IPv6 address, or else the part of it before its last `:` or `.` if that is one and a port
 *     follows (a ninth group, five digits, what is behind a dotted quad: no part of an address). But not if a label
 *     before it may be its first group with something glued to it: `x2001:db8::7`. A token `::` with a space on both
 *     sides is a separator, not an address, and so is a `::` behind a label and before a space: `Foo::: bar`.
 *
 * Otherwise the token has no address: `1.2.3.4.5.6`, `256.1.1.1`, `01.2.3.4`, `12:34:56`, `00:11:22:33:44:55`.
 */
export function findAddress(bytes: Uint8Array, start: number, end: number, found: Uint32Array): 0 | 4 | 6 {
  // Most lines of a log begin with an address. This function is small enough to be inlined into the caller's loop.
  const quadEnd = quadAt(bytes, start, found);
  if (quadEnd !== 0) {
    found[STOP] = quadEnd;
    return 4;
  }
  return startingIpv6(bytes, start, found) !== 0 ? 6 : findInTokens(bytes, start, end, found);
}

/** The end of an IPv6 address that is a whole token at `bytes[start]`, its words in `found`; 0 for everything else. */
function startingIpv6(bytes: Uint8Array, start: number, found: Uint32Array): number {
  let end = start;
  let kinds = 0;
  let kind: number;
  while ((kind = KIND[bytes[end]!]!) < DELIMITER) {
    kinds |= kind;
    if ((kinds & OTHER) !== 0) return 0;
    end++;
  }
  // A mapped address is IPv4, and a single "::" may be a separator: both are left to the general case.
  if ((kinds & COLONS) === 0 || end - start < 3 || parseAddressBytes(bytes, start, end, found) !== 6) return 0;
  found[STOP] = end;
  return end;
}

/**
 * Like `findAddress`, for the next address of the same line, which begins at `start`: the search continues at `from`,
 * the end of a token (`endOfToken`).
 */
export function findNextAddress(
  bytes: Uint8Array,
  start: number,
  end: number,
  found: Uint32Array,
  from: number,
): 0 | 4 | 6 {
  return findInTokens(bytes, start, end, found, from);
}

/** The end of the token that contains `bytes[at]`, or `at` if that is not part of one. */
export function endOfToken(bytes: Uint8Array, at: number): number {
  while (KIND[bytes[at]!]! < DELIMITER) at++;
  return at;
}

function findInTokens(
  bytes: Uint8Array,
  start: number,
  end: number,
  found: Uint32Array,
  from: number = start,
): 0 | 4 | 6 {
  let at = from; // the start of a token, or a delimiter
  for (;;) {
    // To the next mark, four bytes per branch. (Beyond the end of the array, MARK gives undefined, which counts as 0.)
    let mark = at;
    while (
      mark < end &&
      (MARK[bytes[mark]!]! | MARK[bytes[mark + 1]!]! | MARK[bytes[mark + 2]!]! | MARK[bytes[mark + 3]!]!) === 0
    )
      mark += 4;
    while (mark < end && MARK[bytes[mark]!] === 0) mark++;
    if (mark >= end || bytes[mark] === LF) {
      found[STOP] = mark < end ? mark : end;
      return 0;
    }
    // The first mark of a token is its last byte: "end.", "http:", the colon between a JSON name and its value. No
    // address.
    if (KIND[bytes[mark + 1]!]! >= DELIMITER) {
      at = mark + 1;
      continue;
    }
    // Back to the start of its token. From here on nothing is compared with `end`: the delimiter there stops every run.
    while (mark > at && KIND[bytes[mark - 1]!]! < DELIMITER) mark--;
    at = mark > start && KIND[bytes[mark - 1]!] === ESCAPE ? afterEscape(bytes, mark, start) : mark;
    let kind = KIND[bytes[at]!]!;
    let rest = at;
    let next: number;
    for (;;) {
      // Step 1, first because it is the common case and excludes every other.
      if (kind === HEX) {
        const quadEnd = quadAt(bytes, rest, found);
        if (quadEnd !== 0) {
          if (rest === at && mayBeVersion(bytes, quadEnd, found) && followsProductName(bytes, at, start)) {
            next = quadEnd;
            break;
          }
          found[STOP] = quadEnd;
          return 4;
        }
      }

      // The first run R is bytes[rest, next).
      let kinds = 0;
      next = rest;
      while ((kind = KIND[bytes[next]!]!) < COLONS) {
        kinds |= kind;
        next++;
      }
      if (kind !== COLONS) break;

      // Step 2.
      if (bytes[next + 1] !== COLON) {
        if (next === rest || (kinds & OTHER) !== 0 || quadAt(bytes, next + 1, found) !== 0) {
          rest = next + 1;
          kind = KIND[bytes[rest]!]!;
          continue;
        }
      } else if (bytes[next + 2] === COLON && bytes[next + 3] !== COLON && !isUnspecified(bytes, next, at, start)) {
        rest = next + 1;
        kind = COLONS;
        continue;
      }

      // Steps 3 and 4.
      if ((kinds & OTHER) === 0) {
        const family = ipv6At(bytes, start, at, rest, found);
        if (family !== 0) return family;
      }
      break;
    }

    // This token has none.
    at = next;
    while (KIND[bytes[at]!]! < DELIMITER) at++;
  }
}

/**
 * The end of the quad of step 1 at `bytes[at]`, its word in `found[0]`; 0 if there is none. Reads no byte after the
 * first that does not match.
 */
function quadAt(bytes: Uint8Array, at: number, found: Uint32Array): number {
  let word = 0;
  let next = 0; // the byte after the octet
  for (let octets = 0; octets < 4; octets++) {
    let value = bytes[at]! - 0x30;
    if (value >>> 0 > 9) return 0;
    next = bytes[++at]!;
    let digit = next - 0x30;
    if (digit >>> 0 <= 9) {
      if (value === 0) return 0;
      value = value * 10 + digit;
      next = bytes[++at]!;
      digit = next - 0x30;
      if (digit >>> 0 <= 9) {
        value = value * 10 + digit;
        if (value > 255) return 0;
        next = bytes[++at]!;
      }
    }
    word = (word << 8) | value;
    at++;
    if (next !== DOT && octets < 3) return 0;
  }
  at--;
  let kind = KIND[next]!;
  if (kind < COLONS) {
    if (kind !== DOTS) return 0;
    if (!endsToken(bytes, at)) {
      const port = portEnd(bytes, at + 1);
      if (port === at + 1 || !endsToken(bytes, port)) return 0;
    }
  }
  found[0] = word;
  return at;
}

/** Whether only dots, or only a colon, stand between here and the end of the token. */
function endsToken(bytes: Uint8Array, at: number): boolean {
  if (bytes[at] === COLON) at++;
  else while (bytes[at] === DOT) at++;
  return KIND[bytes[at]!]! >= DELIMITER;
}

/** Whether the quad of a product name is its version: it ends in .0.0, or has a fifth part. */
function mayBeVersion(bytes: Uint8Array, quadEnd: number, found: Uint32Array): boolean {
  return (found[0]! & 0xffff) === 0 || (bytes[quadEnd] === DOT && KIND[bytes[quadEnd + 1]!] === HEX);
}

/** Whether the `:::` at `next` is the address `::` and the colon of a port: as netstat writes it, after a blank. */
function isUnspecified(bytes: Uint8Array, next: number, at: number, start: number): boolean {
  if (next > at || (at > start && bytes[at - 1] !== SPACE && bytes[at - 1] !== TAB)) return false;
  const end = portEnd(bytes, at + 3);
  return end > at + 3 && endsToken(bytes, end);
}

/** Whether a letter and a slash, which may be escaped, of the same line immediately precede the token. */
function followsProductName(bytes: Uint8Array, at: number, start: number): boolean {
  const slash = slashBefore(bytes, at, start);
  if (slash <= start || (slash - 3 >= start && bytes[slash - 3] === PERCENT)) return false; // or a letter of %3A
  const letter = bytes[slash - 1]! | 0x20;
  return letter >= 0x61 && letter <= 0x7a;
}

/** Step 4 for the token at `at`, whose labels end at `rest`. */
function ipv6At(bytes: Uint8Array, start: number, at: number, rest: number, found: Uint32Array): 0 | 4 | 6 {
  // A time, a MAC address or a name is recognized by its letters and its colons, before it is parsed.
  let kinds = 0;
  let kind: number;
  let colons = 0;
  let gaps = 0;
  let end = rest;
  while ((kind = KIND[bytes[end]!]!) < DELIMITER) {
    kinds |= kind;
    if (kind === COLONS) {
      colons++;
      if (bytes[end + 1] === COLON) gaps++;
    }
    end++;
  }
  if ((kinds & OTHER) !== 0 || colons < 2 || (gaps === 0 && colons < 6)) return 0;
  if (end - rest === 2 && bytes[end] === SPACE && (rest > at || (at > start && bytes[at - 1] === SPACE))) return 0;

  let last = end;
  while (bytes[last - 1] === DOT) last--;
  if (bytes[last - 1] === COLON && bytes[last - 2] !== COLON) last--;
  let family = parseAddressBytes(bytes, rest, last, found);
  if (family < 0) family = addressBeforePort(bytes, rest, last, found);
  if (family <= 0 || (rest > at && isGlued(bytes, at, rest))) return 0;
  found[STOP] = end;
  return family as 4 | 6;
}

/**
 * Whether the label before `rest` may be the first group of an address, glued to something else: it ends in hexadecimal
 * digits, one of them decimal, that are three or more, or two and all of it but one byte, or the address does not begin with
 * a whole group or a gap. So `IPv6:2001:db8::1` and `eth0:` are labels, `x2001:db8::7`, `x64:ff9b::1` and `x1:2::3` not.
 */
function isGlued(bytes: Uint8Array, at: number, rest: number): boolean {
  let front = rest - 1;
  let isDecimal = false;
  while (front > at && KIND[bytes[front - 1]!] === HEX) {
    front--;
    isDecimal ||= bytes[front]! <= 0x39;
  }
  const digits = rest - 1 - front;
  if (!isDecimal || digits > 2) return isDecimal;
  if (digits === 2 && (front - at < 2 || bytes[front - 1] === COLON || bytes[front - 2] === COLON)) return true;
  let group = rest;
  while (KIND[bytes[group]!] === HEX) group++;
  return group !== rest && group !== rest + 4;
}
