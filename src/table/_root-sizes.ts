import type { Segments } from "./_segments.ts";

/**
 * The root sizes that freeze chooses from: a few words for a handful of prefixes, 1 MiB and 256 KiB for a routing
 * table, up to 4 MiB for a list of single addresses. In IPv6 they are multiples of 16, as all depths are.
 */
export const ROOT_BITS_4 = [8, 12, 16, 17, 18, 19, 20] as const;
export const ROOT_BITS_6 = [0, 16] as const;

/** Of those the ones for prefixes of any lengths. */
const MIXED_BITS_4 = [8, 12, 16, 18] as const;
/** And for single addresses: of the bits left, 16 at most, each address is a key of a points node. */
const SINGLE_BITS_4 = [16, 17, 18, 19, 20] as const;

/**
 * Points of a node that the kernel compares at once, with room for chance: 22 on average are more than 32 in one node
 * of a hundred.
 */
const POINTS_PER_NODE = 22;

/** How many root bits there are best. O(segments). */
export function rootBitsFor(segments: Segments): number {
  const { family, count } = segments;
  if (family === 6) return mostlyNodes(ROOT_BITS_6, count);
  const singles = countSingles(segments);
  return singles >= 2 ** SINGLE_BITS_4[0] && singles * 3 > count
    ? singlesBits(segments, singles)
    : mostlyNodes(MIXED_BITS_4, count);
}

/** A root of at most four slots per segment, or one for the largest root: no table is mostly root. */
function mostlyNodes(sizes: readonly number[], segments: number): number {
  return sizes.findLast((bits) => 2 ** bits <= segments * (bits === 18 ? 1 : 4)) ?? sizes[0]!;
}

/** As few as leave no more points to a node than it compares at once, if the root has at most a byte per address. */
function singlesBits(segments: Segments, singles: number): number {
  return (
    SINGLE_BITS_4.find(
      (bits) => 4 * 2 ** (bits + 1) > singles || singles / countSlots(segments, bits) <= POINTS_PER_NODE,
    ) ?? SINGLE_BITS_4.at(-1)!
  );
}

/** The segments of a single address. Those between two of them are not counted: in a sparse list, every other one. */
function countSingles({ starts, count }: Segments): number {
  let singles = 0;
  for (let i = 1; i < count; i++) if (starts[i - 1]! + 1 === starts[i]) singles++;
  return singles;
}

/** The root slots of so many bits in which a segment begins. */
function countSlots({ starts, count }: Segments, bits: number): number {
  const shift = 32 - bits;
  let slots = 1;
  for (let i = 1; i < count; i++) if (starts[i]! >>> shift !== starts[i - 1]! >>> shift) slots++;
  return slots;
}
