import { LIST_KEYS } from "../../table/layout.ts";

/** How many of the first `count` (at most 16) of the ascending 16-bit keys at `keys` are not greater than the slot in all lanes. */
@inline
function rankAmong(keys: usize, slots: v128, count: i32): i32 {
  const low = i16x8.le_u(v128.load(keys), slots);
  const high = i16x8.le_u(v128.load(keys, 16), slots);
  // What is behind the last key is compared as well, and masked away.
  return popcnt(i8x16.bitmask(i8x16.narrow_i16x8_s(low, high)) & ((1 << count) - 1));
}

/** The address of the entry of `slot` in the list node at `node`. */
@inline
export function listEntry(node: usize, slot: u32): usize {
  const count = load<i32>(node);
  return node + 4 + (<usize>((count >>> 1) + rankAmong(node + 4, i16x8.splat(<i16>slot), count - 1)) << 2);
}

/** The address of the entry of `slot` in the tree node at `node`: first the block among the separators, then the key in it. */
@inline
export function treeEntry(node: usize, slot: u32): usize {
  const count = load<i32>(node);
  const separators = (count - 1) >>> 4;
  const slots = i16x8.splat(<i16>slot);
  const block = rankAmong(node + 4, slots, separators);
  const keys = node + 4 + (<usize>((separators + 1) >>> 1) << 2);
  const rank = (block << 4) + rankAmong(keys + (<usize>block << 5), slots, min(count - 1 - (block << 4), LIST_KEYS));
  return keys + (<usize>((count >>> 1) + rank) << 2);
}
