import { fitted } from "./_fitted.ts";

/** Boundaries of the other set between two pauses: a few hundred microseconds where the sets are about as long. */
const STEP = 1 << 15;

/**
 * A set of IPv4 addresses, as boundaries (see `_boundaries.ts`), split in two: the addresses that another set has, and
 * the rest.
 */
export interface SplitIpv4 {
  readonly inside: Uint32Array;
  readonly outside: Uint32Array;
}

/** A part that grows. */
interface Part {
  readonly words: Uint32Array;
  length: number;
}

/**
 * The difference and the intersection of two sets in one pass: between two boundaries of `other`, the boundaries of
 * `words` all belong to one of them. At a boundary of `other`, a part that is open ends in one and begins in the other.
 *
 *     words     |-----------|     |-------------|
 *     other         |-----------------|
 *     outside   |---|                 |---------|
 *     inside        |-------|     |---|
 */
export function* splittingIpv4(words: Uint32Array, other: Uint32Array): Generator<undefined, SplitIpv4, undefined> {
  const capacity = words.length + other.length;
  const outside: Part = { words: new Uint32Array(capacity), length: 0 };
  const inside: Part = { words: new Uint32Array(capacity), length: 0 };
  let at = 0;
  for (let start = 0; start < other.length; start += STEP) {
    at = splitSome(words, at, other.subarray(start, start + STEP), outside, inside);
    yield;
  }
  // STEP is even, and so the first boundary of each step is one at which `other` begins.
  const rest = other.length % 2 === 0 ? outside : inside;
  copyBelow(words, at, 2 ** 32, rest);
  return { inside: fitted(inside.words, inside.length), outside: fitted(outside.words, outside.length) };
}

/**
 * Passes boundaries of `other`, the first of which begins a part; returns the index of the next boundary of `words`.
 */
function splitSome(words: Uint32Array, start: number, other: Uint32Array, outside: Part, inside: Part): number {
  let at = start;
  let [before, after] = [outside, inside];
  for (const boundary of other) {
    at = copyBelow(words, at, boundary, before);
    // An odd number of boundaries was passed: `words` has the address before this one.
    if (at % 2 === 1) before.words[before.length++] = boundary;
    if (at < words.length && words[at] === boundary) at++;
    if (at % 2 === 1) after.words[after.length++] = boundary;
    [before, after] = [after, before];
  }
  return at;
}

/** Copies the boundaries from `at` on that are below `end`; returns the index of the first that is not. */
function copyBelow(words: Uint32Array, at: number, end: number, to: Part): number {
  const result = to.words;
  let { length } = to;
  let from = at;
  while (from < words.length && words[from]! < end) result[length++] = words[from++]!;
  to.length = length;
  return from;
}
