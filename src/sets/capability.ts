import { addressBits, type Family, type Prefix } from "../address/address.ts";
import { prefixOf } from "../address/prefix.ts";
import { lastAddress } from "../address/range.ts";
import type { AddressSet } from "./address-set.ts";

/** Lengths of prefixes that a consumer reads. */
export interface Lengths {
  readonly from: number;
  readonly to: number;
  /** Prefixes of this length up to `from` are written as all those of length `from` in them; absent: none is. */
  readonly widest?: number;
}

/** What prefixes a consumer can be told, by ascending lengths; none of a family that is absent. */
export type Capability = Readonly<Partial<Record<Family, readonly Lengths[]>>>;

/** For bouncers that lose the length of prefixes: single addresses, at most 256 for a prefix. */
export const HOSTS_OF_256: Capability = {
  4: [{ widest: 24, from: 32, to: 32 }],
  6: [{ widest: 120, from: 128, to: 128 }],
};

/** A prefix is split into at most so many, as a power of two, if it is given as a whole. */
const MAX_SPLIT_BITS = 16;

/** How many entries a prefix of this length is written as; 0: it cannot be expressed. */
export function entriesFor(capability: Capability, family: Family, length: number): number {
  for (const { from, to, widest = from } of capability[family] ?? [])
    if (widest <= length && length <= to) return length < from ? 2 ** (from - length) : 1;
  return 0;
}

/** Whether it has a family of which some lengths cannot be expressed, so that prefixes must not be merged into those. */
export function hasGaps(capability: Capability): boolean {
  return ([4, 6] as const).some(
    (family) =>
      capability[family] !== undefined &&
      Array.from({ length: addressBits(family) + 1 }, (_, length) => length).some(
        (length) => entriesFor(capability, family, length) === 0,
      ),
  );
}

/** The prefix, or all prefixes of this length in it if it is wider. */
export function* atLeast(length: number, prefix: Prefix): Generator<Prefix> {
  if (prefix.length >= length) return void (yield prefix);
  yield* atLeast(length, prefixOf(prefix, prefix.length + 1));
  yield* atLeast(length, prefixOf(lastAddress(prefix), prefix.length + 1));
}

/**
 * The fewest prefixes of a list, as a consumer can be told them. One that it cannot be told stays, unless it was only
 * merged from others, and is followed by the prefixes in it that were given as such. So an address that can be
 * expressed stays expressed, whatever is listed beside or around it, unless excludes left so much around it that it
 * would be over 2^16 entries: then all of that is only reported. `given`: the addresses of all prefixes that can be expressed, before they were merged.
 *
 *     merged   45.0.0.0/12 [--------------------]   too wide for the consumer: reported
 *     given    45.1.0.0/24      [-]                 what it is told
 */
export function* expressing(
  merged: Iterable<Prefix>,
  given: AddressSet,
  capability: Capability,
): Generator<Prefix, void, undefined> {
  for (const prefix of merged) {
    const { family, length } = prefix;
    if (capability[family] === undefined || entriesFor(capability, family, length) > 0) {
      yield prefix;
      continue;
    }
    const within = given.within(prefix);
    const isWhole = within.size(family) === 1n << BigInt(addressBits(family) - length);
    // What excludes left of a wider prefix, which would be too many entries.
    if (isWhole && expressibleFrom(capability, prefix) - length > MAX_SPLIT_BITS) {
      yield prefix;
      continue;
    }
    // What was only merged into it is not lost.
    if (!isWhole) yield prefix;
    for (const part of within.prefixes(family)) yield* atLeast(expressibleFrom(capability, part), part);
  }
}

/** The shortest length that can be expressed, of those that are not shorter than the prefix. */
function expressibleFrom(capability: Capability, { family, length }: Prefix): number {
  let from = length;
  while (from < addressBits(family) && entriesFor(capability, family, from) === 0) from++;
  return from;
}
