import type { Prefix } from "../address/address.ts";
import { type Boundaries, wordsOf } from "./_boundaries.ts";

/** The words of an address, in an object of its own that the loops below change. */
interface Words {
  w0: number;
  w1: number;
  w2: number;
  w3: number;
}

/**
 * The fewest prefixes of length `shortest` or longer that cover exactly the set, in order.
 *
 * From the first address of a part on, each prefix is the widest that begins there and does not reach beyond the part.
 * With c the number of leading bits that this address and the last one of the part share, it is
 *
 *     length c         if the address ends in zeros only after bit c, and the last one in ones: all that is left
 *     at least c + 1   otherwise: bit c is 0 in the address and 1 in the last, so a prefix of that length or longer
 *                      ends before the last one's half begins; the zeros at the end of the address say which
 *
 * Taking the widest each time is the fewest in all: prefixes are nested or disjoint, so any cover has at least one
 * prefix that begins at each of these addresses.
 */
export function* prefixesOf(set: Boundaries, shortest: number): Generator<Prefix, void, undefined> {
  yield* set.family === 4 ? ipv4Prefixes(set.words, shortest) : ipv6Prefixes(set.words, shortest);
}

function* ipv4Prefixes(words: Uint32Array, shortest: number): Generator<Prefix, void, undefined> {
  for (let at = 0; at < words.length; at += 2) {
    // Beyond the last boundary of an odd number lies nothing: the part reaches 255.255.255.255. 2^32 is exact here.
    const end = at + 1 < words.length ? words[at + 1]! : 2 ** 32;
    for (let first = words[at]!; first < end;) {
      const length = Math.max(lengthFrom(first, end - 1, 32), shortest);
      yield { family: 4, w0: first, w1: 0, w2: 0, w3: 0, length };
      first += 2 ** (32 - length);
    }
  }
}

/** The length of the widest prefix that begins at `first` and does not reach beyond `last`, in words of `bits` bits. */
function lengthFrom(first: number, last: number, bits: 32): number {
  const common = first === last ? bits : Math.clz32(first ^ last);
  const zeros = trailingZeros(first);
  return zeros >= bits - common && trailingZeros(~last) >= bits - common ? common : Math.max(common + 1, bits - zeros);
}

function* ipv6Prefixes(words: Uint32Array, shortest: number): Generator<Prefix, void, undefined> {
  const width = wordsOf(6);
  for (let at = 0; at < words.length; at += 2 * width) {
    const first = wordsAt(words, at);
    const last = at + width < words.length ? before(words, at + width) : ones();
    for (;;) {
      const length = Math.max(ipv6LengthFrom(first, last), shortest);
      const { w0, w1, w2, w3 } = first;
      if (!isMapped(w0, w1, w2, length)) yield { family: 6, w0, w1, w2, w3, length };
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

/**
 * Whether the prefix lies in ::ffff:0:0/96. Those are IPv4 addresses, which no IPv6 set is about: cutting a prefix
 * around them must not turn into a list that names them, as ::ffff:0:0/96 reads as 0.0.0.0/0.
 */
function isMapped(w0: number, w1: number, w2: number, length: number): boolean {
  return length >= 96 && w0 === 0 && w1 === 0 && w2 === 0xffff;
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

function commonLength(a: Words, b: Words): number {
  if (a.w0 !== b.w0) return Math.clz32(a.w0 ^ b.w0);
  if (a.w1 !== b.w1) return 32 + Math.clz32(a.w1 ^ b.w1);
  return a.w2 === b.w2 ? 96 + Math.clz32(a.w3 ^ b.w3) : 64 + Math.clz32(a.w2 ^ b.w2);
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
  address.w0 = filled(address.w0, length);
  address.w1 = filled(address.w1, length - 32);
  address.w2 = filled(address.w2, length - 64);
  address.w3 = filled(address.w3, length - 96);
}

function filled(word: number, length: number): number {
  if (length >= 32) return word;
  return length <= 0 ? 0xffffffff : (word | (0xffffffff >>> length)) >>> 0;
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
