import { QUEUE_BYTES, WAITING } from "../workspace.ts";
import { workspace } from "./workspace.ts";

/*
 * Batches are looked up a group at a time, and each step runs for the whole group before the next one: so many cache
 * misses are in flight at once, and no branch depends on an address. `out` holds the entry that each address has
 * reached. The addresses that a step has to handle are a queue of byte offsets in `out`.
 *
 *     WAITING   | queue 0 | ... | queue 5 | two arrays |     QUEUE_BYTES each
 *     a queue   | offset | offset | ... | end ->   12 bytes past the end may be written
 *
 * A step puts each of a group's addresses in one queue at most, so GROUP words and the 12 bytes are all that a queue
 * needs. They are multiples of 4 below 4 * GROUP, made here and not read from a table: none leads out of `out`.
 */

/** The address of queue `number`, 0 to 5. */
@inline
export function queueAt(number: usize): usize {
  return workspace + WAITING + number * QUEUE_BYTES;
}

/** Appends those of four offsets that `mask` names, by the shuffles at `shuffles`; returns the queue's new end. */
@inline
export function append(end: usize, offsets: v128, shuffles: usize, mask: i32): usize {
  // Always 16 bytes; the end moves by those that count, and the next append overwrites the rest. Mask 0b1010:
  //     offsets  | p0 | p1 | p2 | p3 |   ->   | p1 | p3 | 0 | 0 |     end moves by 8
  v128.store(end, i8x16.relaxed_swizzle(offsets, v128.load(shuffles + (<usize>mask << 4))));
  return end + (<usize>popcnt(mask) << 2);
}
