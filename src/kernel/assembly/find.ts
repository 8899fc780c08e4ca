import { KIND_COLON, KIND_DELIMITER, KIND_DOT, KIND_HEX, KIND_OTHER, KINDS, VECTOR_DOT, VECTOR_IS_COLON } from "../workspace.ts";
import { bytesIn } from "./byte-masks.ts";
import { afterEscape, slashBefore } from "./escape.ts";
import { wholeQuad } from "./quad.ts";
import { copiedIpv6 } from "./starting-ipv6.ts";
import { workspace } from "./workspace.ts";

// The general way, for any line. The rule is that of src/batch/lines/find-address.ts.

const TAB: u32 = 0x09;
const SPACE: u32 = 0x20;
const PERCENT: u8 = 0x25;
const DOT: u8 = 0x2e;
const COLON: u8 = 0x3a;

const PORT_MAX: u32 = 65_535;

/** Hits are taken from the first 56 bytes of a window; the 8 after them show what follows a hit. */
export const HIT_BYTES: usize = 56;

/*
 * Only tokens that may hold an address are examined. Masks of dots and colons show which ones, one bit per byte, for
 * windows of 64 bytes:
 *
 *     text    f r o m   2 0 3 . 0 . 1 1 3 . 9    2 0 0 1 : d b 8 : : 7    1 2 : 3 4 : 5 6
 *     quads   . . . . . . . . 1 . . . . . . .    . . . . . . . . . . .    . . . . . . . .
 *     gaps    . . . . . . . . . . . . . . . .    . . . . . . . . 1 . .    . . . . . . . .
 *
 *     quads   a dot, another 2 to 4 bytes on, and a third 2 to 4 bytes after that: the dots between four octets
 *     gaps    a colon right before another
 *     chains  a colon, and three more, each 2 to 5 bytes after the one before: between groups of an address without a gap
 *
 * Why no address is missed: step 1 of the rule finds a quad, whose three dots are a hit. Step 4 finds an IPv6 address:
 * with a gap that is a hit; without one it has seven colons, or six before a quad, all with one to four digits between
 * them: a chain. Each hit lies in the token of its address, and the dots of a quad or the colons of a gap end in the
 * window that their hit is taken from, at 55 + 4 + 4 = 63 or before. A chain need not: its fourth colon is at most 15
 * after the first. If that is past 63, the fourth is one of the first 15 bytes of the next window, and with the fifth
 * to the seventh, at most 15 further, it is a chain there. So seven colons are a hit in one of both.
 *
 * Whether a hit really is an address is decided token by token, by the rule itself.
 *
 * Why no load here leaves the text: the byte at `end` is a delimiter, and every run below stops at a delimiter. What
 * looks past a byte looks at one, two or three after a colon, all within TEXT_SLACK (64 bytes after the last LF), and
 * windows are loaded from before `end`. Looking back stops at `at`, never before `start`.
 * KINDS has an entry for every byte, so kinds need no check either. Their order makes a comparison of each question:
 *
 *     1 HEX   2 DOT   4 OTHER | 8 COLON | 16 DELIMITER
 *     < KIND_COLON: still in the front run;   < KIND_DELIMITER: still in the token
 *
 * A delimiter that may begin an escape (\, % and #) has one bit more: what follows it is left to the rule.
 *
 * As bits of their own they can be gathered by OR: `kinds & KIND_OTHER` asks of a whole run whether a letter past f, or
 * an underscore, stands in it.
 *
 * Why it ends: each iteration of the outer loop begins a window further on, each of the inner one clears a hit.
 */
@inline
function kindAt(at: usize): i32 {
  return load<u8>(workspace + KINDS + load<u8>(at));
}

/** Where the last token ends in which `findInToken` found no address: before it there is none in this line. */
let tokenEnd: usize = 0;

/**
 * Finds the first address of the line [start, end), with a delimiter at `end`. Returns its family and writes its words
 * to `words` (IPv4 and IPv4-mapped: the first alone), or returns 0.
 */
export function findInLine(start: usize, end: usize, words: usize): i32 {
  const dot = v128.load(workspace, VECTOR_DOT);
  const colon = v128.load(workspace, VECTOR_IS_COLON);
  tokenEnd = start;
  for (let window = start; window < end; window += HIT_BYTES) {
    let hits = hitsOf(bytesIn(window, dot), bytesIn(window, colon));
    // Here 0 < end - window < 64, so the shift is one of 1 to 63.
    if (end - window < 64) hits &= (<u64>1 << (end - window)) - 1;
    for (; hits != 0; hits &= hits - 1) {
      const family = findAtHit(window + <usize>ctz(hits), start, words);
      if (family != 0) return family;
    }
    if (tokenEnd > window + HIT_BYTES) window = tokenEnd - HIT_BYTES;
  }
  return 0;
}

/** As `findInLine`, with the hits of the line: the positions stored at `hit` and after it that are below `end`. */
export function findAtHits(hit: usize, start: usize, end: usize, words: usize): i32 {
  tokenEnd = start;
  for (let at: usize; (at = <usize>load<u32>(hit)) < end; hit += 4) {
    const family = findAtHit(at, start, words);
    if (family != 0) return family;
  }
  return 0;
}

/** Finds the address of the token of a hit, unless that ends at `tokenEnd` or before: then it has none. */
@inline
function findAtHit(hit: usize, start: usize, words: usize): i32 {
  if (hit < tokenEnd) return 0;
  if (quadAtHit(hit, start, words)) return 4;
  let front = hit;
  while (front > tokenEnd && kindAt(front - 1) < KIND_DELIMITER) front--;
  const mayBeWhole = load<u8>(hit) != DOT && (front == start || kindAt(front - 1) == KIND_DELIMITER);
  if (mayBeWhole && copiedIpv6(front, words) == 6) return 6;
  return findInToken(front, start, words);
}

/** Bit i is set where a hit begins, i < HIT_BYTES, in 64 bytes with these dots and colons. */
@inline
export function hitsOf(dots: u64, colons: u64): u64 {
  let hits = (dots & nextOctet(dots & nextOctet(dots))) | (colons & (colons >>> 1));
  // Few windows have three colons that are followed by another so soon.
  const followed = colons & nextGroup(colons);
  if (popcnt(followed) >= 3) hits |= colons & nextGroup(colons & nextGroup(followed));
  return hits & ((<u64>1 << HIT_BYTES) - 1);
}

/** The bits 2 to 4 before those that are set: an octet and its dot before. */
@inline
function nextOctet(bits: u64): u64 {
  return (bits >>> 2) | (bits >>> 3) | (bits >>> 4);
}

/** The bits 2 to 5 before those that are set: a group and its colon before. */
@inline
function nextGroup(bits: u64): u64 {
  const two = (bits >>> 2) | (bits >>> 3);
  return two | (two >>> 2);
}

/**
 * Whether the byte at `dot` is a dot, and the first of a quad that is a whole token and no version; its word is then at
 * `words`. Anything else that may be an address is left to the rule.
 */
@inline
function quadAtHit(dot: usize, start: usize, words: usize): bool {
  const front = frontAtHit(dot, start);
  return front != 0 && quadAtFront(front, words);
}

/** Whether a quad that is no version is at `front`, with a delimiter after it; its word is then at `words`. */
@inline
export function quadAtFront(front: usize, words: usize): bool {
  return wholeQuad(front, words) != 0 && (load<u32>(words) & 0xffff) != 0;
}

/** The front of the token that begins with up to three digits and the dot at `dot`; 0 if that is no such token. */
@inline
export function frontAtHit(dot: usize, start: usize): usize {
  if (load<u8>(dot) != DOT) return 0;
  // The four bytes before the dot, the last one on top. A byte xor 0x30 is 0 to 9 for a digit, and only then is neither
  // its own upper bit set nor that of the sum of its lower seven bits and 0x76. For "=192.":
  //     others    0x0000_0080    24 leading zeros / 8 = 3 digits
  const bytes = load<u32>(dot - 4) ^ 0x3030_3030;
  const others = (bytes | ((bytes & 0x7f7f_7f7f) + 0x7676_7676)) & 0x8080_8080;
  const front = dot - (<usize>clz(others) >>> 3);
  // Four digits or none are no octet, which `wholeQuad` sees. Before the start of the line is another line's LF, or
  // what is no part of the text.
  return front < start || (front > start && kindAt(front - 1) != KIND_DELIMITER) ? 0 : front;
}

/**
 * Finds the address of the token at `at` of the line that begins at `start`: its family, its words at `words`, or 0,
 * and where the token ends in `tokenEnd`.
 */
function findInToken(at: usize, start: usize, words: usize): i32 {
  if (at > start) at = afterEscape(at, start);
  let kind = kindAt(at);
  let rest = at;
  let next: usize = 0;
  while (true) {
    // Step 1, first because it is the common case and excludes every other.
    if (kind == KIND_HEX) {
      const quadEnd = quadAt(rest, words);
      if (quadEnd != 0) {
        if (rest == at && mayBeVersion(quadEnd, words) && followsProductName(at, start)) {
          next = quadEnd;
          break;
        }
        return 4;
      }
    }

    // The front run R is bytes [rest, next).
    let kinds = 0;
    next = rest;
    while ((kind = kindAt(next)) < KIND_COLON) {
      kinds |= kind;
      next++;
    }
    if (kind != KIND_COLON) break;

    // Step 2.
    if (load<u8>(next + 1) != COLON) {
      if (next == rest || (kinds & KIND_OTHER) != 0 || quadAt(next + 1, words) != 0) {
        rest = next + 1;
        kind = kindAt(rest);
        continue;
      }
    } else if (load<u8>(next + 2) == COLON && load<u8>(next + 3) != COLON && !isUnspecified(next, at, start)) {
      rest = next + 1;
      kind = KIND_COLON;
      continue;
    }

    // Steps 3 and 4.
    if ((kinds & KIND_OTHER) == 0) {
      const family = ipv6At(start, at, rest, words);
      if (family != 0) return family;
    }
    break;
  }

  // This token has none.
  while (kindAt(next) < KIND_DELIMITER) next++;
  tokenEnd = next;
  return 0;
}

/**
 * The end of the quad of step 1 at `at`, its word at `words`; 0 if there is none. Reads no byte after the first one
 * that does not fit.
 */
function quadAt(at: usize, words: usize): usize {
  const end = readQuad(at, words);
  if (end == 0) return 0;
  const kind = kindAt(end);
  if (kind < KIND_COLON) {
    if (kind != KIND_DOT) return 0;
    if (!endsToken(end)) {
      const port = portEnd(end + 1);
      if (port == end + 1 || !endsToken(port)) return 0;
    }
  }
  return end;
}

/** Whether only dots, or only a colon, stand between here and the end of the token. */
function endsToken(at: usize): bool {
  if (load<u8>(at) == COLON) at++;
  else while (load<u8>(at) == DOT) at++;
  return kindAt(at) >= KIND_DELIMITER;
}

/** The position after a port, 0 to 65535 without leading zeros, at `at`; `at` itself if there is none. */
function portEnd(at: usize): usize {
  let value: u32 = 0;
  let end = at;
  while (true) {
    const digit = <u32>load<u8>(end) - 0x30;
    if (digit > 9) return end;
    value = value * 10 + digit;
    if (value > PORT_MAX || (end > at && value == digit)) return at;
    end++;
  }
}

/** Whether the quad of a product name is its version: it ends in .0.0, or has a fifth part. */
function mayBeVersion(quadEnd: usize, words: usize): bool {
  return (load<u32>(words) & 0xffff) == 0 || (load<u8>(quadEnd) == DOT && kindAt(quadEnd + 1) == KIND_HEX);
}

/** Whether the `:::` at `next` is the address `::` and the colon of a port: as netstat writes it, after a blank. */
function isUnspecified(next: usize, at: usize, start: usize): bool {
  if (next > at || (at > start && load<u8>(at - 1) != SPACE && load<u8>(at - 1) != TAB)) return false;
  const end = portEnd(at + 3);
  return end > at + 3 && endsToken(end);
}

/**
 * The position after four octets of at most three digits, without leading zeros, at `at`, their word at `words`; 0 if
 * there are none.
 */
function readQuad(at: usize, words: usize): usize {
  // `value` is at most 999 when it is compared with 255, and the word takes 8 bits four times: nothing is shifted out
  // that counts. Each digit is read after the one before it was a digit, and each dot after an octet: so the byte that
  // ends the text, a delimiter, is the last that can be read.
  let word: u32 = 0;
  for (let octets = 0; octets < 4; octets++) {
    let value: u32 = load<u8>(at) - 0x30; // unsigned: what is below "0" wraps far above 9
    if (value > 9) return 0;
    let digit: u32 = load<u8>(++at) - 0x30;
    if (digit <= 9) {
      if (value == 0) return 0;
      value = value * 10 + digit;
      digit = load<u8>(++at) - 0x30;
      if (digit <= 9) {
        value = value * 10 + digit;
        if (value > 255) return 0;
        at++;
      }
    }
    word = (word << 8) | value;
    if (octets < 3 && load<u8>(at++) != DOT) return 0;
  }
  store<u32>(words, word);
  return at;
}

/** Whether a letter and a slash, which may be escaped, of the same line stand right before the token. */
function followsProductName(at: usize, start: usize): bool {
  const slash = slashBefore(at, start);
  if (slash <= start || (slash >= start + 3 && load<u8>(slash - 3) == PERCENT)) return false; // or a letter of %3A
  const letter = load<u8>(slash - 1) | 0x20;
  return letter >= 0x61 && letter <= 0x7a;
}

/** Step 4 for the token at `at`, whose labels end at `rest`. */
function ipv6At(start: usize, at: usize, rest: usize, words: usize): i32 {
  // What can only be a time, a MAC address or a name is recognized by its letters and its colons, before it is parsed.
  let kinds = 0;
  let kind = 0;
  let colons = 0;
  let gaps = 0;
  let end = rest;
  while ((kind = kindAt(end)) < KIND_DELIMITER) {
    kinds |= kind;
    if (kind == KIND_COLON) {
      colons++;
      if (load<u8>(end + 1) == COLON) gaps++;
    }
    end++;
  }
  // Without a gap an address has seven colons, or six before a dotted quad. "::" alone between blanks is punctuation.
  if ((kinds & KIND_OTHER) != 0 || colons < 2 || (gaps == 0 && colons < 6)) return 0;
  if (end - rest == 2 && load<u8>(end) == SPACE && (rest > at || (at > start && load<u8>(at - 1) == SPACE))) return 0;

  // What ends a sentence does not belong to it: dots, and a colon that is not half of a gap. Both loops end in the
  // token, which has two colons that are no dots.
  let last = end;
  while (load<u8>(last - 1) == DOT) last--;
  if (load<u8>(last - 1) == COLON && load<u8>(last - 2) != COLON) last--;
  let family = parseIpv6(rest, last, words);
  if (family == 0) family = addressBeforePort(rest, last, words);
  return family != 0 && rest > at && isGlued(at, rest) ? 0 : family;
}

/** As in src/batch/lines/port.ts: what is before the last `:` or `.`, if a port follows. */
export function addressBeforePort(at: usize, end: usize, words: usize): i32 {
  let port = end;
  while (port > at && end - port < 6 && <u32>load<u8>(port - 1) - 0x30 <= 9) port--;
  const mark = port - 1;
  if (port == end || mark <= at || (load<u8>(mark) != DOT && load<u8>(mark) != COLON)) return 0;
  return portEnd(port) == end ? parseIpv6(at, mark, words) : 0;
}

/** Whether the label before `rest` may be the first group of an address, glued to something else. */
function isGlued(at: usize, rest: usize): bool {
  let front = rest - 1;
  let isDecimal = false;
  while (front > at && kindAt(front - 1) == KIND_HEX) {
    front--;
    if (load<u8>(front) <= 0x39) isDecimal = true;
  }
  const digits = rest - 1 - front;
  if (!isDecimal || digits > 2) return isDecimal;
  if (digits == 2 && (front - at < 2 || load<u8>(front - 1) == COLON || load<u8>(front - 2) == COLON)) return true;
  let group = rest;
  while (kindAt(group) == KIND_HEX) group++;
  return group != rest && group != rest + 4;
}

/**
 * Parses [at, end), hexadecimal digits, dots and colons, as an IPv6 address as src/address/parse-address.ts does; 4 if
 * it is IPv4-mapped, 0 if it is none.
 */
export function parseIpv6(at: usize, end: usize, words: usize): i32 {
  // 128 bits in two halves. A group comes in from the right, and moves the others on:
  //
  //     high                               low
  //     |  0    |  0    |  g0   |  g1   |  |  g2   |  g3   |  g4   |  g5   |   <- next group
  //
  // At the :: what was read moves to `front`, and the halves start again at zero, so that at the end the groups after
  // the gap are already where they belong: at the right.
  let high: u64 = 0;
  let low: u64 = 0;
  let frontHigh: u64 = 0;
  let frontLow: u64 = 0;
  let count = 0;
  let gap = -1; // how many groups stand before the ::, -1 without one

  // A colon can only begin the text as half of a ::.
  if (load<u8>(at) == COLON) {
    if (at + 1 >= end || load<u8>(at + 1) != COLON) return 0;
    gap = 0;
    at += 2;
  }
  while (at < end) {
    const first = at;
    let value: u32 = 0;
    while (at < end && kindAt(at) == KIND_HEX) {
      if (at - first == 4) return 0; // so `value` has 16 bits at most
      const byte = <u32>load<u8>(at);
      value = (value << 4) | ((byte & 15) + (byte > 0x39 ? 9 : 0));
      at++;
    }
    if (at == first) return 0;
    if (at < end && load<u8>(at) == DOT) {
      // It was the first octet of an embedded IPv4 address, which stands for the last two groups.
      if (count > 6 || readQuad(first, words) != end) return 0;
      high = (high << 32) | (low >>> 32);
      low = (low << 32) | load<u32>(words);
      count += 2;
      break;
    }
    // With `count` below 8, at most 7 groups were there: what is shifted out of `high` is the zeros before them.
    if (count == 8) return 0;
    high = (high << 16) | (low >>> 48);
    low = (low << 16) | value;
    count++;

    // Then the end, or a colon and a group, or the ::.
    if (at == end) break;
    if (load<u8>(at++) != COLON || at == end) return 0;
    if (load<u8>(at) == COLON) {
      if (gap >= 0) return 0;
      gap = count;
      frontHigh = high;
      frontLow = low;
      high = low = 0;
      at++;
    }
  }

  if (gap < 0 ? count < 8 : count == 8) return 0;
  // The groups before the gap go to the top: up by 128 bits less their own. Of 8 groups at least one is the gap's, so
  // those after it take fewer than `up` bits, and OR joins what does not overlap. Up to four groups lie in `frontLow`
  // alone and end in `high`; with five to seven, `up` is 48, 32 or 16 and no shift reaches 64, which would count as 0.
  if (gap > 0) {
    const up = 128 - (gap << 4);
    if (up >= 64) {
      high |= frontLow << (up - 64);
    } else {
      high |= (frontHigh << up) | (frontLow >>> (64 - up));
      low |= frontLow << up;
    }
  }
  if (high == 0 && low >>> 32 == 0xffff) {
    store<u32>(words, <u32>low);
    return 4;
  }
  store<u32>(words, <u32>(high >>> 32));
  store<u32>(words, <u32>high, 4);
  store<u32>(words, <u32>(low >>> 32), 8);
  store<u32>(words, <u32>low, 12);
  return 6;
}
