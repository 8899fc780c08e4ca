import type { Prefix } from "../address/address.ts";
import { comparePrefixes, prefixContains } from "../address/prefix.ts";
import { mergePrefixes } from "../address/range.ts";
import { subtractPrefixes } from "../address/subtract.ts";

// Lists of prefixes as sets of addresses. Every answer is the fewest prefixes that cover exactly those addresses, in
// order.

/** The addresses in any of the lists. O(n log n). */
export function union(...lists: readonly Iterable<Prefix>[]): Prefix[] {
  return mergePrefixes(lists.flatMap((list) => [...list]));
}

/** The addresses in both lists. O((n + m) log (n + m)). */
export function intersection(one: Iterable<Prefix>, other: Iterable<Prefix>): Prefix[] {
  const ones = mergePrefixes(one);
  const others = mergePrefixes(other);
  const common: Prefix[] = [];
  // Of two prefixes one contains the other or they are apart. Halves of one prefix cannot both come out: they stood in
  // one list, which would have joined them.
  for (let i = 0, j = 0; i < ones.length && j < others.length;) {
    const a = ones[i]!;
    const b = others[j]!;
    if (prefixContains(a, b)) common.push(b);
    else if (prefixContains(b, a)) common.push(a);
    if (lastIsFirst(a, b)) i++;
    else j++;
  }
  return common;
}

/**
 * The addresses in the first list and not in the second: O((n + m) log (n + m)) and at most as many steps a prefix as
 * its family has bits.
 */
export function difference(one: Iterable<Prefix>, other: Iterable<Prefix>): Prefix[] {
  return subtractPrefixes(one, other);
}

/** Whether nothing after `b` can meet `a`: it ends first. */
function lastIsFirst(a: Prefix, b: Prefix): boolean {
  if (prefixContains(b, a)) return true;
  return !prefixContains(a, b) && comparePrefixes(a, b) < 0;
}
