import type { Family } from "../address/address.ts";

/**
 * The root sizes that freeze chooses from: a few words for a handful of prefixes, 1 MiB and 256 KiB for a routing
 * table. In IPv6 they are multiples of 16, as all depths are.
 */
export const ROOT_BITS_4 = [8, 12, 16, 18] as const;
export const ROOT_BITS_6 = [0, 16] as const;

/** A root of at most four slots per segment, or one for the largest root: no table is mostly root. */
export function rootBitsFor(family: Family, segments: number): number {
  const sizes = family === 4 ? ROOT_BITS_4 : ROOT_BITS_6;
  return sizes.findLast((bits) => 2 ** bits <= segments * (bits === 18 ? 1 : 4)) ?? sizes[0];
}
