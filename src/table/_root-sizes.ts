import type { Segments } from "./_segments.ts";

/**
 * The root sizes that freeze chooses from: a few words for a handful of prefixes, 1 MiB and 256 KiB for a routing
 * table, up to 4 MiB for a list of single addresses. In IPv6 they are multiples of 16, as all depths are.
 */
export const ROOT_BITS_4 = [8, 12, 16, 17, 18, 19, 20] as const;
export const ROOT_BITS_6 = [0, 16] as const;

/** Those of them that are used for prefixes of any length. */
const MIXED_BITS_4 = [8, 12, 16, 18] as const;
/** And for single addresses: of the bits left, 16 at most, each address is a key of a points node. */
const SINGLE_BITS_4 = [16, 17, 18, 19, 20] as const;

/**
 * Points of a node that the kernel compares at once, with room for chance: 22 on average are more than 32 in one node
 * of a hundred.
 */
const POINTS_PER_NODE = 22;

/** Segments that are counted between two interruptions: some hundred microseconds. */
const STEP = 1 << 16;

type Counting = Generator<undefined, number, undefined>;

/** The best number of root bits. O(segments), in steps. */
export function* choosingRootBits(segments: Segments): Counting {
  const { family, count } = segments;
  if (family === 6) return mostlyNodes(ROOT_BITS_6, count);
  const singles = yield* countingSingles(segments);
  return singles >= 2 ** SINGLE_BITS_4[0] && singles * 3 > count
    ? yield* singlesBits(segments, singles)
    : mostlyNodes(MIXED_BITS_4, count);
}

/** A root of at most four slots per segment, or one for the largest root: no table is mostly root. */
function mostlyNodes(sizes: readonly number[], segments: number): number {
  return sizes.findLast((bits) => 2 ** bits <= segments * (bits === 18 ? 1 : 4)) ?? sizes[0]!;
}

/** As few as leave no more points to a node than it compares at once, if the root has at most a byte per address. */
function* singlesBits(segments: Segments, singles: number): Counting {
  for (const bits of SINGLE_BITS_4)
    if (4 * 2 ** (bits + 1) > singles || singles / (yield* countingSlots(segments, bits)) <= POINTS_PER_NODE)
      return bits;
  return SINGLE_BITS_4.at(-1)!;
}

/** The segments of a single address. Those between two of them are not counted: in a sparse list, every other one. */
function* countingSingles({ starts, count }: Segments): Counting {
  let singles = 0;
  for (let from = 1; from < count; from += STEP) {
    singles += singlesIn(starts, from, Math.min(from + STEP, count));
    yield;
  }
  return singles;
}

function singlesIn(starts: Uint32Array, from: number, to: number): number {
  let singles = 0;
  for (let i = from; i < to; i++) if (starts[i - 1]! + 1 === starts[i]) singles++;
  return singles;
}

/** The root slots of so many bits in which a segment begins. */
function* countingSlots({ starts, count }: Segments, bits: number): Counting {
  let slots = 1;
  for (let from = 1; from < count; from += STEP) {
    slots += slotsBegunIn(starts, from, Math.min(from + STEP, count), 32 - bits);
    yield;
  }
  return slots;
}

function slotsBegunIn(starts: Uint32Array, from: number, to: number, shift: number): number {
  let slots = 0;
  for (let i = from; i < to; i++) if (starts[i]! >>> shift !== starts[i - 1]! >>> shift) slots++;
  return slots;
}
