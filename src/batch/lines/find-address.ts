import { parseAddressBytes } from "../../address/parse-address.ts";

const LF = 0x0a;
const SPACE = 0x20;
const DOT = 0x2e;
const SLASH = 0x2f;
const COLON = 0x3a;

// The kinds of bytes, ordered so that "still in the first run" and "still in the token" are one comparison each.
const HEX = 1;
const DOTS = 2;
const OTHER = 4;
const COLONS = 8;
const DELIMITER = 16;

const KIND = new Uint8Array(256).fill(DELIMITER);
for (let byte = 0x30; byte <= 0x39; byte++) KIND[byte] = HEX;
for (let byte = 0x41; byte <= 0x5a; byte++) KIND[byte] = KIND[byte + 0x20] = byte <= 0x46 ? HEX : OTHER;
KIND[0x5f] = OTHER;
KIND[DOT] = DOTS;
KIND[COLON] = COLONS;

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
 * script without spaces). A token is a longest run of the others. For each token, from the left, with `rest` the whole
 * token at first:
 *
 * 1. If `rest` begins with a dotted quad (four decimal octets, no leading zeros) followed by the end of the token,
 *     or a `:` with anything after it (a port), or dots up to the end of the token (a full stop): that is the address.
 *     But not if the quad ends in .0.0 and is the whole front of a token that follows a letter and a `/`:
 *     `Chrome/120.0.0.0` is a product version.
 * 2. R is the run of letters, digits, `_` and `.` at the front of `rest` (it may be empty), k the number of `:` right
 *     after it. R is a label if k = 3 (a `:` and a `::`), or if k = 1 and R is empty, or holds a byte that is neither a
 *     hexadecimal digit nor a dot, or is followed by a quad as in step 1. Then drop R and one `:` and begin again:
 *     `client:1.2.3.4`, `db:1.2.3.4`, `ip:::1`.
 * 3. If R holds a byte that is neither a hexadecimal digit nor a dot, the token has no address: `v1.2.3.4`,
 *     `1.2.3.4.example.net`, `std::string`.
 * 4. `rest` without the dots at its end, and then without one `:` at its end unless that is half of a `::`, is the
 *     address if it is an IPv6 address. A token `::` with a space on both sides is a separator, not an address.
 *
 * Otherwise the token has no address: `1.2.3.4.5`, `256.1.1.1`, `01.2.3.4`, `12:34:56`, `00:11:22:33:44:55`.
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
    at = mark;
    let kind = KIND[bytes[at]!]!;
    let rest = at;
    let next: number;
    for (;;) {
      // Step 1, first because it is the common case and excludes every other.
      if (kind === HEX) {
        const quadEnd = quadAt(bytes, rest, found);
        if (quadEnd !== 0) {
          if ((found[0]! & 0xffff) === 0 && rest === at && followsProductName(bytes, at, start)) {
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
      } else if (bytes[next + 2] === COLON && bytes[next + 3] !== COLON) {
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
    let dots = at;
    while (bytes[dots] === DOT) dots++;
    kind = KIND[bytes[dots]!]!;
    if (kind < DELIMITER) return 0;
  }
  found[0] = word;
  return at;
}

/** Whether a letter and a slash of the same line immediately precede the token. */
function followsProductName(bytes: Uint8Array, at: number, start: number): boolean {
  if (at - 2 < start || bytes[at - 1] !== SLASH) return false;
  const letter = bytes[at - 2]! | 0x20;
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
  if (end - at === 2 && at > start && bytes[at - 1] === SPACE && bytes[end] === SPACE) return 0;

  let last = end;
  while (bytes[last - 1] === DOT) last--;
  if (bytes[last - 1] === COLON && bytes[last - 2] !== COLON) last--;
  const family = parseAddressBytes(bytes, rest, last, found);
  if (family < 0) return 0;
  found[STOP] = end;
  return family as 4 | 6;
}
