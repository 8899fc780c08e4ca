/**
 * How a frozen table is laid out in its 32-bit words; what the lookups, the deep check and a native kernel share.
 *
 * A family's index is a root array and a node array. The root is indexed by the first `rootBits` bits of an address.
 * Its words, and the entry words inside nodes, are either
 *
 *     0mmmmmmm mmmmmmmm mmmmmmmm mmmmmmmm   a leaf: the match id, 0 = no match
 *     1kkooooo oooooooo oooooooo oooooooo   a node: kind k, at word offset o of the node array
 *
 * so that "is it a leaf" is a sign test. A node at depth d decides the address's bits from d on; an address is read as if
 * zero bits followed its last one. Adjacent slots with equal entries are stored once (leaf compression as in Lulea and
 * poptrie: Degermark et al. 1997, Asai & Ohara 2015).
 *
 *     bitmap   256 slots, bits [d, d+8)      | changes x 8 | ranks x 2 | entry ...
 *              bit s is set where slot s differs from slot s-1 (bit 0 always); the entry of a slot is the one at
 *              rank(s) - 1, where rank(s) is the number of set bits up to and including s. Byte w of the two rank words
 *              is the number of set bits before change word w (at most 224), so that one popcount gives the rank.
 *     list     65,536 slots, bits [d, d+16)  | count | keys, two 16-bit ones a word ... | entry ...
 *              `count` entries; entry 0 begins at slot 0, entry i > 0 at key i-1; keys ascend.
 *     skip     path compression              | bits | below | above | expected ... | entry |
 *              compares the next `bits` bits with the expected ones (left-aligned, ceil(bits / 32) words):
 *              less gives the leaf `below`, greater the leaf `above`, equal goes on with the entry at depth d + bits.
 *     wide     65,536 slots, bits [d, d+16)  | changes, rank before | x 2,048 | entry ...
 *              a bitmap node whose change words stand each beside the number of set bits before it.
 */
export const NODE_BITMAP = 0;
export const NODE_LIST = 1;
export const NODE_SKIP = 2;
export const NODE_WIDE = 3;

export const NODE_FLAG = 0x8000_0000;
export const KIND_SHIFT = 29;
export const OFFSET_MASK = 0x1fff_ffff;
/** An entry below this (signed) is a bitmap node: kind 0, the kind that the batch lookups take first. */
export const BITMAP_LIMIT = -0x6000_0000;

export const BITMAP_BITS = 8;
export const BITMAP_CHANGE_WORDS = 8;
/** Change words and rank words: where a bitmap node's entries begin. */
export const BITMAP_HEADER_WORDS = 10;
export const LIST_BITS = 16;
export const WIDE_BITS = 16;
export const WIDE_WORDS = 4096;

/** The words of the `header` section. */
export const HEADER_LAYOUT_VERSION = 0;
export const HEADER_ROOT_BITS_4 = 1;
export const HEADER_ROOT_BITS_6 = 2;
export const HEADER_PREFIX_COUNT_4 = 3;
export const HEADER_PREFIX_COUNT_6 = 4;
export const HEADER_MATCH_COUNT = 5;
export const HEADER_WORDS = 16;

export const LAYOUT_VERSION = 1;

/** A `matchValue` word with this bit holds the word offset of a value list; without it, the one value id. */
export const VALUE_LIST_FLAG = 0x8000_0000;
