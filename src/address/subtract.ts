import type { Prefix } from "./address.ts";
import { comparePrefixes, prefixContains, prefixOf } from "./prefix.ts";
import { lastAddress, mergePrefixes } from "./range.ts";

/**
 * The fewest prefixes that cover exactly the addresses of `prefixes` that `minus` does not cover, in order.
 * O((n + m) log (n + m)), and for each prefix of the answer at most as many steps as its family has bits.
 */
export function subtractPrefixes(prefixes: Iterable<Prefix>, minus: Iterable<Prefix>): Prefix[] {
  const restOf = subtractor(minus);
  return mergePrefixes(prefixes).flatMap((prefix) => restOf(prefix));
}

/**
 * For any prefix, gives the fewest prefixes that cover what `minus` leaves of it: the prefix itself if that is all of
 * it. O(m log m) once, and O(log m + bits x answer) for each.
 */
export function subtractor(minus: Iterable<Prefix>): (prefix: Prefix) => Prefix[] {
  const holes = mergePrefixes(minus);
  return (prefix) => {
    const rest: Prefix[] = [];
    cut(prefix, holes, firstAfter(holes, prefix), rest);
    return rest;
  };
}

/**
 * Adds what `holes[at...]` leave of the prefix, and returns the first hole after it. Both lists are merged, so that of
 * two prefixes one contains the other or they are apart: a hole in the prefix is one of its halves, or inside one. Only
 * at the top can a hole be wider than the prefix, where no one asks for the next one.
 */
function cut(prefix: Prefix, holes: readonly Prefix[], at: number, into: Prefix[]): number {
  const hole = holes[at];
  if (hole !== undefined && prefixContains(hole, prefix)) return at + 1;
  if (hole === undefined || !prefixContains(prefix, hole)) {
    into.push(prefix);
    return at;
  }
  // The hole is inside and is not the prefix, so the prefix is shorter than an address: there are halves, and each call
  // goes one bit deeper. Holes ascend: the second half goes on with the first hole that the first half left.
  // Prefixes of one level are disjoint, so a hole is inside one of them: at most (bits of the family) x (holes inside)
  // calls cut, and they leave at most as many parts.
  //     |------- prefix -------|        first half: no hole inside, left whole
  //     |-----------|---[hole]-|        second half: cut again, until a half is the hole
  const halfLength = prefix.length + 1;
  const next = cut(prefixOf(prefix, halfLength), holes, at, into);
  return cut(prefixOf(lastAddress(prefix), halfLength), holes, next, into);
}

/** The first hole that touches the prefix or lies after it. */
function firstAfter(holes: readonly Prefix[], prefix: Prefix): number {
  // Invariant: holes before `low` lie before the prefix and do not touch it, those from `high` on do not. Holes
  // are apart and in order, so there is one border; each turn halves what lies between.
  let low = 0;
  let high = holes.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const hole = holes[middle]!;
    if (comparePrefixes(hole, prefix) < 0 && !prefixContains(hole, prefix)) low = middle + 1;
    else high = middle;
  }
  return low;
}
