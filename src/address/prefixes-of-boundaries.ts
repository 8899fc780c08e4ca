import { commonLength, fillWord, type Words } from "./_words.ts";
import type { Family, Prefix } from "./address.ts";

/**
 * The fewest prefixes of length `shortest` or longer that cover exactly the addresses from the first boundary up to, but
 * without, the second, from the third up to the fourth, and so on, in order. Boundaries ascend; each is one word for
 * IPv4 and four for IPv6. After an odd number of them, the last part reaches the end of the address space.
 *
 * From the first address of a part on, each prefix is the widest that begins there and does not reach beyond the part.
 * With c the number of leading bits that this address and the last one of the part share, it is
 *
 *     length c         if the address ends in zeros only after bit c, and the last one in ones: all that is left
 *     at least c + 1   otherwise: bit c is 0 in the address and 1 in the last, so a prefix of that length or longer
 *                      ends before the last one's half begins; the zeros at the end of the address say which
 *
 * Taking the widest each time gives the fewest in all: prefixes are nested or disjoint, so any cover has at least one
 * prefix that begins at each of these addresses.
 *
 * The lengths of a part's prefixes fall one after the other and then rise: a part of addresses of b bits has at most
 * b - 1 of each kind, so 2b - 2 (62 or 254), reached by 1 to 2^b - 2:
 *
 *     addresses   1 | 2 3 | 4 5 6 7 | 8 9 10 11 | 12 13 | 14      lengths 4 3 2 2 3 4, of b = 4
 */
export function prefixesOf(
  family: Family,
  boundaries: Uint32Array,
  shortest: number,
): Generator<Prefix, void, undefined> {
  return family === 4 ? ipv4Prefixes(boundaries, shortest) : ipv6Prefixes(boundaries, shortest);
}

function* ipv4Prefixes(words: Uint32Array, shortest: number): Generator<Prefix, void, undefined> {
  for (let at = 0; at < words.length; at += 2) {
    // Beyond the last boundary of an odd number lies nothing: the part reaches 255.255.255.255. 2^32 is exact here.
    const end = at + 1 < words.length ? words[at + 1]! : 2 ** 32;
    for (let first = words[at]!; first < end;) {
      const length = Math.max(ipv4LengthFrom(first, end - 1), shortest);
      yield { family: 4, w0: first, w1: 0, w2: 0, w3: 0, length };
      first += 2 ** (32 - length);
    }
  }
}

/** Parts between two pauses: less than a millisecond. */
const PARTS_AT_ONCE = 1 << 14;

/** As `prefixesOf` for IPv4, without an object for each: calls `visit` with its first address and its length. */
export function* visitingIpv4Prefixes(
  boundaries: Uint32Array,
  shortest: number,
  visit: (first: number, length: number) => void,
): Generator<undefined, void, undefined> {
  for (let at = 0; at < boundaries.length; at += 2 * PARTS_AT_ONCE) {
    visitSome(boundaries, at, shortest, visit);
    yield;
  }
}

function visitSome(
  words: Uint32Array,
  start: number,
  shortest: number,
  visit: (first: number, length: number) => void,
): void {
  const stop = Math.min(start + 2 * PARTS_AT_ONCE, words.length);
  for (let at = start; at < stop; at += 2) {
    const end = at + 1 < words.length ? words[at + 1]! : 2 ** 32;
    for (let first = words[at]!; first < end;) {
      // Most parts of long lists are single addresses.
      const length = first === end - 1 ? 32 : Math.max(ipv4LengthFrom(first, end - 1), shortest);
      visit(first, length);
      first += 2 ** (32 - length);
    }
  }
}

/** The length of the widest prefix that begins at `first` and does not reach beyond `last`. */
export function ipv4LengthFrom(first: number, last: number): number {
  const common = Math.clz32(first ^ last);
  const zeros = trailingZeros(first);
  return zeros >= 32 - common && trailingZeros(~last) >= 32 - common ? common : Math.max(common + 1, 32 - zeros);
}

function* ipv6Prefixes(words: Uint32Array, shortest: number): Generator<Prefix, void, undefined> {
  for (let at = 0; at < words.length; at += 8) {
    const first = wordsAt(words, at);
    const last = at + 4 < words.length ? before(words, at + 4) : ones();
    for (;;) {
      const length = Math.max(ipv6LengthFrom(first, last), shortest);
      const { w0, w1, w2, w3 } = first;
      yield { family: 6, w0, w1, w2, w3, length };
      fill(first, length);
      if (isSame(first, last)) break;
      increment(first);
    }
  }
}

function ipv6LengthFrom(first: Words, last: Words): number {
  const common = commonLength(first, last);
  const zeros = ipv6TrailingZeros(first.w0, first.w1, first.w2, first.w3);
  const onesAtEnd = ipv6TrailingZeros(~last.w0, ~last.w1, ~last.w2, ~last.w3);
  if (zeros >= 128 - common && onesAtEnd >= 128 - common) return common;
  return Math.max(common + 1, 128 - zeros);
}

/** How many zeros a word ends in; 32 for 0. */
function trailingZeros(word: number): number {
  // word & -word keeps the lowest bit that is set.
  return (word | 0) === 0 ? 32 : 31 - Math.clz32(word & -word);
}

function ipv6TrailingZeros(w0: number, w1: number, w2: number, w3: number): number {
  if ((w3 | 0) !== 0) return trailingZeros(w3);
  if ((w2 | 0) !== 0) return 32 + trailingZeros(w2);
  return (w1 | 0) !== 0 ? 64 + trailingZeros(w1) : 96 + trailingZeros(w0);
}

function wordsAt(words: Uint32Array, at: number): Words {
  return { w0: words[at]!, w1: words[at + 1]!, w2: words[at + 2]!, w3: words[at + 3]! };
}

function ones(): Words {
  return { w0: 0xffffffff, w1: 0xffffffff, w2: 0xffffffff, w3: 0xffffffff };
}

/** The address before the boundary. No part ends at the first address, so there is one. */
function before(words: Uint32Array, at: number): Words {
  const { w0, w1, w2, w3 } = wordsAt(words, at);
  // A word borrows from the one before it where it and all after it are 0.
  const borrow2 = w3 === 0;
  const borrow1 = borrow2 && w2 === 0;
  const borrow0 = borrow1 && w1 === 0;
  return {
    w0: borrow0 ? w0 - 1 : w0,
    w1: borrow1 ? (w1 - 1) >>> 0 : w1,
    w2: borrow2 ? (w2 - 1) >>> 0 : w2,
    w3: (w3 - 1) >>> 0,
  };
}

/** Sets all bits after the first `length`. */
function fill(address: Words, length: number): void {
  address.w0 = fillWord(address.w0, length);
  address.w1 = fillWord(address.w1, length - 32);
  address.w2 = fillWord(address.w2, length - 64);
  address.w3 = fillWord(address.w3, length - 96);
}

function increment(address: Words): void {
  address.w3 = (address.w3 + 1) >>> 0;
  if (address.w3 !== 0) return;
  address.w2 = (address.w2 + 1) >>> 0;
  if (address.w2 !== 0) return;
  address.w1 = (address.w1 + 1) >>> 0;
  if (address.w1 === 0) address.w0 = (address.w0 + 1) >>> 0;
}

function isSame(a: Words, b: Words): boolean {
  return a.w3 === b.w3 && a.w2 === b.w2 && a.w1 === b.w1 && a.w0 === b.w0;
}
