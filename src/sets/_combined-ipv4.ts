import { fitted } from "./_fitted.ts";

/** Steps between two pauses: a few hundred microseconds. */
const STEP = 1 << 16;

/** How far two sets of IPv4 addresses have been combined. */
interface Position {
  /** The next boundary of each set. */
  i: number;
  j: number;
  /** Which of the sets hold the addresses after the last boundary that was passed: 2 the first, 1 the second. */
  inside: number;
  /** The boundaries of the result so far; an odd number says that it holds those addresses, too. */
  length: number;
}

/**
 * Two sets of IPv4 addresses combined, as `combined` in `_boundaries.ts` does with any family: a boundary is a word, so
 * neighbours are compared as numbers. `kept` is as in `KEEPS` there.
 */
export function* combinedIpv4(
  kept: number,
  a: Uint32Array,
  b: Uint32Array,
): Generator<undefined, Uint32Array, undefined> {
  const result = new Uint32Array(a.length + b.length);
  const position: Position = { i: 0, j: 0, inside: 0, length: 0 };
  while (position.i < a.length && position.j < b.length) {
    combineSome(kept, a, b, result, position);
    yield;
  }
  const { i, j } = position;
  // One of them is at its end, and its side of `inside` stays as it is.
  const length = copyRest(kept, i < a.length ? a.subarray(i) : b.subarray(j), i < a.length ? 2 : 1, result, position);
  return fitted(result, length);
}

/** Passes up to STEP boundaries of either set, until one of the sets is at its end. */
function combineSome(kept: number, a: Uint32Array, b: Uint32Array, result: Uint32Array, position: Position): void {
  let { i, j, inside, length } = position;
  for (let steps = 0; steps < STEP && i < a.length && j < b.length; steps++) {
    const [x, y] = [a[i]!, b[j]!];
    const at = x <= y ? x : y;
    if (x <= y) {
      inside ^= 2;
      i++;
    }
    if (y <= x) {
      inside ^= 1;
      j++;
    }
    if (((kept >> inside) & 1) !== (length & 1)) result[length++] = at;
  }
  position.i = i;
  position.j = j;
  position.inside = inside;
  position.length = length;
}

/** The boundaries of the set that is left, each of which changes the side `flips`. Returns the length of the result. */
function copyRest(
  kept: number,
  rest: Uint32Array,
  flips: 1 | 2,
  result: Uint32Array,
  { inside, length }: Position,
): number {
  for (const word of rest) {
    inside ^= flips;
    if (((kept >> inside) & 1) !== (length & 1)) result[length++] = word;
  }
  return length;
}
