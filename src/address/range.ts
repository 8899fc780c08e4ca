import { commonLength, fillWord } from "./_words.ts";
import { addressBits } from "./address.ts";
import type { Address, Prefix } from "./address.ts";
import { AddressError } from "./address-error.ts";
import { formatAddress } from "./format-address.ts";
import { parseAddress } from "./parse-address.ts";
import { comparePrefixes, coversMapped, prefixContains, prefixOf } from "./prefix.ts";
import { prefixesOf } from "./prefixes-of-boundaries.ts";

/**
 * The fewest prefixes that cover exactly the addresses from `first` to `last`, in order: at most 62 for IPv4 and 254
 * for IPv6. None is `::ffff:0:0/96`, as the addresses there are IPv4 ones. Throws AddressError when the families differ
 * or `first` lies after `last`.
 */
export function rangeToPrefixes(first: Address, last: Address): Prefix[] {
  checkRange(first, last);
  // Most ranges are a prefix: that of the bits that both ends share.
  const whole = prefixOf(first, Math.min(commonLength(first, last), addressBits(first.family)));
  if (compareAddresses(whole, first) === 0 && compareAddresses(lastAddress(whole), last) === 0) return [whole];
  const found = [...prefixesOf(first.family, boundariesOf(first, last), 0)];
  // It would be written as ::ffff:0.0.0.0/96 and mean all of IPv4.
  return (first.w0 | first.w1) === 0 ? found.filter((prefix) => !isMappedBlock(prefix)) : found;
}

function isMappedBlock(prefix: Prefix): boolean {
  return prefix.length === 96 && coversMapped(prefix);
}

/** The first address and the one after the last, as `prefixesOf` takes them: after the last of all, there is none. */
function boundariesOf({ family, w0, w1, w2, w3 }: Address, last: Address): Uint32Array {
  const words =
    family === 4 ? Uint32Array.of(w0, last.w0) : Uint32Array.of(w0, w1, w2, w3, last.w0, last.w1, last.w2, last.w3);
  const width = words.length / 2;
  // 1 is added to the lowest word: only a word of all ones becomes 0, and carries into the one above it.
  for (let at = words.length - 1; at >= width; at--) if ((words[at] = words[at]! + 1) !== 2 ** 32) return words;
  return words.subarray(0, width);
}

/** The last address of the prefix: its host bits set. */
export function lastAddress(prefix: Prefix): Address {
  const { family, length } = prefix;
  // Each word has 32 bits of the length less than the word before it:
  //     length 40     w0: 40, whole     w1: 8, 24 host bits     w2: -24, all host bits     w3: -56, all host bits
  if (family === 4) return { family, w0: fillWord(prefix.w0, length), w1: 0, w2: 0, w3: 0 };
  return {
    family,
    w0: fillWord(prefix.w0, length),
    w1: fillWord(prefix.w1, length - 32),
    w2: fillWord(prefix.w2, length - 64),
    w3: fillWord(prefix.w3, length - 96),
  };
}

/** The fewest prefixes that cover exactly the addresses of the given ones, in order. O(n log n). */
export function mergePrefixes(prefixes: Iterable<Prefix>): Prefix[] {
  const merged: Prefix[] = [];
  for (const prefix of [...prefixes].sort(comparePrefixes)) mergeNext(merged, prefix);
  return merged;
}

/**
 * Adds a prefix to the fewest that cover those before it, where they come in order. O(1), amortised.
 *
 * In order, whatever is covered stands after what covers it, and the two halves of a prefix become neighbours on the
 * stack as soon as the second is whole; joining them may complete the half above, and so on.
 */
export function mergeNext(merged: Prefix[], prefix: Prefix): void {
  const previous = merged.at(-1);
  if (previous !== undefined && prefixContains(previous, prefix)) return;
  // Invariant: the prefixes in `merged` are disjoint and ascend, and no two neighbours are the halves of one. A prefix
  // that is pushed is popped at most once, so n prefixes cause fewer than 2n steps.
  //     merged  10.0.0.0/26 | 10.0.0.64/26 | 10.0.0.128/26 ...        the first two become 10.0.0.0/25
  let whole = prefix;
  while (merged.length > 0 && areHalves(merged.at(-1)!, whole)) whole = prefixOf(merged.pop()!, whole.length - 1);
  merged.push(whole);
}

/**
 * Parses `first-last`, white space around the dash allowed. Both ends are of one family and in order. Throws
 * AddressError.
 */
export function parseRange(text: string): { first: Address; last: Address } {
  const dash = text.indexOf("-");
  if (dash < 0) {
    const problem = "a range is two addresses joined by a dash, such as 192.0.2.1-192.0.2.9";
    throw new AddressError("range-without-dash", text, text.length, problem);
  }
  const firstText = text.slice(0, dash).trimEnd();
  const lastText = text.slice(dash + 1).trimStart();
  const lastAt = text.length - lastText.length;
  const first = parsePart(firstText, text, 0);
  const last = parsePart(lastText, text, lastAt);
  checkRange(first, last, text, lastAt);
  return { first, last };
}

/** An error in one end is reported for the whole text. */
function parsePart(part: string, text: string, at: number): Address {
  try {
    return parseAddress(part);
  } catch (error) {
    if (!(error instanceof AddressError)) throw error;
    throw new AddressError(error.code, text, at + error.position, error.problem);
  }
}

/** Throws about `text`, whose second address begins at `lastAt`; by default about the canonical text of the range. */
function checkRange(first: Address, last: Address, text?: string, lastAt?: number): void {
  if (first.family === last.family && compareAddresses(first, last) <= 0) return;
  const firstText = formatAddress(first);
  const lastText = formatAddress(last);
  const value = text ?? `${firstText}-${lastText}`;
  const at = lastAt ?? firstText.length + 1;
  if (first.family !== last.family) {
    throw new AddressError(
      "range-mixed-families",
      value,
      at,
      "one end is IPv4 and the other IPv6; write both in one family",
    );
  }
  throw new AddressError(
    "range-reversed",
    value,
    at,
    `the range ends before it begins; did you mean ${lastText}-${firstText}?`,
  );
}

/** Whether the two, in order, are the lower and the upper half of one prefix. */
function areHalves(lower: Prefix, upper: Prefix): boolean {
  // Two prefixes of one length that agree in all but its last bit: the lower one has a 0 there, as it comes first.
  const length = upper.length;
  if (lower.family !== upper.family || lower.length !== length) return false;
  return commonLength(lower, upper) === length - 1;
}

function compareAddresses(a: Address, b: Address): number {
  // Words are unsigned, below 2^32: as floats, differences are exact and have the sign of the comparison.
  return a.w0 - b.w0 || a.w1 - b.w1 || a.w2 - b.w2 || a.w3 - b.w3;
}
