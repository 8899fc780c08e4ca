import { type Address, addressBits, type Family } from "../address/address.ts";
import { combinedIpv4 } from "./_combined-ipv4.ts";

/**
 * A set of addresses of one family, as the addresses at which it begins and ends: it holds the addresses from the first
 * boundary to before the second, from the third to before the fourth, and so on. With an odd number of boundaries the
 * last part reaches the end of the address space, so no boundary ever lies beyond it.
 *
 *     addresses     0   1   2   3   4   5   6   7
 *     in the set        x   x           x   x   x      boundaries 1, 3, 5
 *
 * Boundaries ascend and no two are equal, so each set has one form, and two equal sets have equal arrays.
 */
export interface Boundaries {
  readonly family: Family;
  /** A boundary is one word for IPv4 and four for IPv6, the most significant first. */
  readonly words: Uint32Array;
}

/** Words of a boundary. */
export function wordsOf(family: Family): 1 | 4 {
  return family === 4 ? 1 : 4;
}

/** Steps between two pauses: a few hundred microseconds. */
export const STEP = 1 << 14;

/**
 * Which addresses an operation keeps: bit `2 * inFirst + inSecond` says whether an address that is in the first, the
 * second, both or neither of two sets is in the result. Bit 0 is never set, so that the end of the space needs no
 * boundary.
 */
const KEEPS = { union: 0b1110, intersection: 0b1000, difference: 0b0100, symmetricDifference: 0b0110 } as const;

/** An operation on two sets, named as the methods of ECMAScript's Set. */
export type SetOperation = keyof typeof KEEPS;

/** Two sets of one family combined: one pass over the boundaries of both. */
export function* combined(
  operation: SetOperation,
  first: Boundaries,
  second: Boundaries,
): Generator<undefined, Boundaries, undefined> {
  const { family, words: a } = first;
  const b = second.words;
  const width = wordsOf(family);
  const kept = KEEPS[operation];
  if (family === 4) return { family, words: yield* combinedIpv4(kept, a, b) };
  const result = new Uint32Array(a.length + b.length);
  let length = 0;
  // Invariant: `inside` says which of the sets hold the addresses after the last boundary that was passed, and an odd
  // number of boundaries of the result so far says that it holds them, too.
  let inside = 0;
  let holds = 0;
  for (let i = 0, j = 0, steps = 0; i < a.length || j < b.length;) {
    const order = j === b.length ? -1 : i === a.length ? 1 : compareWords(a, i, b, j, width);
    const at = order <= 0 ? i : j;
    const from = order <= 0 ? a : b;
    if (order <= 0) {
      inside ^= 2;
      i += width;
    }
    if (order >= 0) {
      inside ^= 1;
      j += width;
    }
    if (((kept >> inside) & 1) !== holds) {
      holds ^= 1;
      for (let word = 0; word < width; word++) result[length++] = from[at + word]!;
    }
    if (++steps % STEP === 0) yield;
  }
  return { family, words: result.slice(0, length) };
}

/** Negative, 0 or positive: the order of two boundaries. */
export function compareWords(a: Uint32Array, i: number, b: Uint32Array, j: number, width: number): number {
  for (let word = 0; word < width; word++) {
    const difference = a[i + word]! - b[j + word]!;
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Whether the set holds the address. O(log n). */
export function holdsAt(boundaries: Boundaries, address: Address): boolean {
  // An odd number of boundaries was passed: the address lies in a part.
  return passedAt(boundaries, address) % 2 === 1;
}

/**
 * The part of the set from the first to the last address. O(log n), and O(boundaries in it) for a copy where it begins
 * or ends within a range.
 *
 *     boundaries   1, 3, 5   from 2 to 5:   2 lies in a part, so it begins one; 3 and 5 are between; 5 lies in a part,
 *                                           so it ends after 5  ->  2, 3, 5, 6
 */
export function boundariesWithin(boundaries: Boundaries, first: Address, last: Address): Boundaries {
  const { family, words } = boundaries;
  const width = wordsOf(family);
  const from = passedAt(boundaries, first);
  const to = passedAt(boundaries, last);
  // Usually the set has nothing there: no boundary lies between, and no part contains it.
  if (from === to && from % 2 === 0) return { family, words: NO_WORDS };
  const start = from % 2 === 1 ? wordsOfAddress(first, width) : [];
  const end = to % 2 === 1 ? wordsAfter(last, width) : [];
  const between = words.subarray(from * width, to * width);
  // Sets are immutable: a part without ends of its own is a view, and the whole set itself, whose size may be known.
  if (start.length + end.length === 0) return between.length === words.length ? boundaries : { family, words: between };
  const result = new Uint32Array(start.length + between.length + end.length);
  result.set(start);
  result.set(between, start.length);
  result.set(end, start.length + between.length);
  return { family, words: result };
}

const NO_WORDS = new Uint32Array(0);

export function wordsOfAddress({ w0, w1, w2, w3 }: Address, width: number): number[] {
  return [w0, w1, w2, w3].slice(0, width);
}

/** The words of the next address; empty after the last address of the space, which no boundary follows. */
export function wordsAfter(address: Address, width: number): number[] {
  const words = wordsOfAddress(address, width);
  for (let at = width - 1; at >= 0; at--) {
    words[at] = (words[at]! + 1) >>> 0;
    if (words[at] !== 0) return words;
  }
  return [];
}

/** How many boundaries are not after the address. O(log n) */
export function passedAt({ family, words }: Boundaries, address: Address): number {
  const width = wordsOf(family);
  // Invariant: the boundaries before `low` are not after the address, those from `high` on are.
  let low = 0;
  let high = words.length / width;
  if (width === 1) {
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (words[middle]! <= address.w0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
  const wanted = new Uint32Array([address.w0, address.w1, address.w2, address.w3]);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareWords(words, middle * width, wanted, 0, width) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Sizes of large sets, which are immutable; those of a catalogue are asked for again and again. */
const sizes = new WeakMap<Boundaries, bigint>();
const LARGE = 256;

/** How many addresses the set has. O(n) the first time, O(1) afterwards. */
export function addressesIn(boundaries: Boundaries): bigint {
  if (boundaries.words.length < LARGE) return counted(boundaries);
  let size = sizes.get(boundaries);
  if (size === undefined) sizes.set(boundaries, (size = counted(boundaries)));
  return size;
}

/**
 * All of them.
 *
 *     boundaries   1, 3, 5        (3 - 1) + (8 - 5) = 5 in a space of 8: the last part reaches its end
 */
function counted({ family, words }: Boundaries): bigint {
  const width = wordsOf(family);
  const reachesEnd = (words.length / width) % 2 === 1;
  let count = reachesEnd ? 1n << BigInt(addressBits(family)) : 0n;
  for (let at = 0; at < words.length; at += ADDED_AT_ONCE * width)
    count += endsWithoutStarts(words.subarray(at, at + ADDED_AT_ONCE * width), width);
  return count;
}

/**
 * Boundaries, starts and ends by turns, whose words are added up as plain numbers: exact, as 2^20 words of 32 bits are
 * below 2^53. A bigint for each boundary takes ten times as long.
 */
const ADDED_AT_ONCE = 1 << 20;

function endsWithoutStarts(words: Uint32Array, width: number): bigint {
  let sum = 0n;
  for (let word = 0; word < width; word++) {
    let [starts, ends] = [0, 0];
    for (let at = word; at < words.length; at += 2 * width) {
      starts += words[at]!;
      ends += words[at + width] ?? 0;
    }
    sum = (sum << 32n) + BigInt(ends - starts);
  }
  return sum;
}
