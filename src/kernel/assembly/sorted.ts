import { LIST_KEYS } from "../../table/layout.ts";

/*
 * A list node has n entries, each from its key to the next; the first needs no key, as it begins at 0:
 *
 *     | n | keys 1 ... n - 1, 16 bits each, padded to a word | entries 0 ... n - 1 |
 *
 * The entry of a slot is the one whose number is how many keys are not greater: its rank. n - 1 keys of two bytes take
 * n >> 1 words, rounded up, which is why the entries begin there. A tree node has above its keys a row of separators,
 * one for every sixteen keys, so that both searches are one comparison of 16 lanes.
 *
 * 32 bytes are compared however many keys there are: those past them are entries, or the next nodes, and masked away.
 */
/**
 * How many of the first `count` (at most 16) of the ascending 16-bit keys at `keys` are not greater than the slot in
 * all lanes.
 */
@inline
function rankAmong(keys: usize, slots: v128, count: i32): i32 {
  const low = i16x8.le_u(v128.load(keys), slots);
  const high = i16x8.le_u(v128.load(keys, 16), slots);
  // What is after the last key is compared as well, and masked away.
  // Keys ascend, so the lanes that are not greater are the first: counting them is finding the border.
  return popcnt(i8x16.bitmask(i8x16.narrow_i16x8_s(low, high)) & ((1 << count) - 1));
}

/** The address of the entry of `slot` in the list node at `node`. */
@inline
export function listEntry(node: usize, slot: u32): usize {
  // The count of a sound table is 2 to 17. In a corrupt table, any count gives a rank of at most 16: another word is
  // read and checked like every entry, or the bounds check of the memory traps.
  const count = load<i32>(node);
  return node + 4 + (<usize>((count >>> 1) + rankAmong(node + 4, i16x8.splat(<i16>slot), count - 1)) << 2);
}

/**
 * The address of the entry of `slot` in the tree node at `node`: first the block among the separators, then the key in
 * it.
 */
@inline
export function treeEntry(node: usize, slot: u32): usize {
  const count = load<i32>(node);
  //     | count | k15 k31 ... | k0 ... k15 | k16 ... k31 | ... | entries |      a separator is its block's last key
  //                              block 0      block 1
  // `block` is how many whole blocks are not greater than the slot; the keys of the next one decide.
  const separators = (count - 1) >>> 4;
  const slots = i16x8.splat(<i16>slot);
  const block = rankAmong(node + 4, slots, separators);
  const keys = node + 4 + (<usize>((separators + 1) >>> 1) << 2);
  const rank = (block << 4) + rankAmong(keys + (<usize>block << 5), slots, min(count - 1 - (block << 4), LIST_KEYS));
  return keys + (<usize>((count >>> 1) + rank) << 2);
}
