import { QUEUE_BYTES, WAITING } from "../workspace.ts";
import { workspace } from "./workspace.ts";

/*
 * Batches are looked up a group at a time, and each step for all of a group before the next: so many cache misses are under
 * way at once, and no branch depends on an address. `out` holds the entry that each address has come to. Which addresses a step
 * has to take is a queue of places: byte offsets in `out`.
 */

/** The address of queue `number`, 0 to 3. */
@inline
export function queueAt(number: usize): usize {
  return workspace + WAITING + number * QUEUE_BYTES;
}

/** Appends those of four places that `mask` names, by the shuffles at `shuffles`; returns the queue's new end. */
@inline
export function append(end: usize, places: v128, shuffles: usize, mask: i32): usize {
  v128.store(end, i8x16.relaxed_swizzle(places, v128.load(shuffles + (<usize>mask << 4))));
  return end + (<usize>popcnt(mask) << 2);
}
