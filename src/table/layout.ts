/**
 * How a frozen table is laid out in its 32-bit words; what the lookups, the deep check and a native kernel share.
 *
 * A family's index is a root array and a node array. The root is indexed by the first `rootBits` bits of an address.
 * Its words, and the entry words inside nodes, are either
 *
 *     0mmmmmmm mmmmmmmm mmmmmmmm mmmmmmmm   a leaf: the match id, 0 = no match
 *     1kkkoooo oooooooo oooooooo oooooooo   a node: kind k, at word offset o of the node array
 *
 * so that "is it a leaf" is a sign test. A node at depth d decides the address's bits from d on; an address is read as
 * if zero bits followed its last one. Adjacent slots with equal entries are stored once (leaf compression as in Lulea
 * and poptrie: Degermark et al. 1997, Asai & Ohara 2015). In IPv6 every depth is a multiple of 16.
 *
 *     bitmap   64 slots, bits [d, d+6)       | changes x 2 | entry ...                                     IPv4 only
 *              bit s is set where slot s differs from slot s-1 (bit 0 always); the entry of a slot is the one at
 *              rank(s) - 1, where rank(s) is the number of set bits up to and including s.
 *     list     65,536 slots, bits [d, d+16)  | count | keys, two 16-bit ones a word ... | entry ...
 *              `count` entries, 2 to 17; entry 0 begins at slot 0, entry i > 0 at key i-1; keys ascend. The keys of a
 *              full list are two vectors of 128 bits: a lookup compares them all at once.
 *     tree     65,536 slots, bits [d, d+16)  | count | every 16th key ... | keys ... | entry ...
 *              a list of 18 to 513 entries: the keys lie in blocks of 16, and the last key of each full block stands in front
 *              once more (a search tree of two levels, up to two comparisons of vectors each).
 *     wide     65,536 slots, bits [d, d+16)  | changes, rank before | x 2,048 | entry ...                  IPv6 only
 *              a bitmap whose change words stand each beside the number of set bits before it.
 *     skip     path compression              | bits | below | above | expected ... | entry |               IPv6 only
 *              compares the next `bits` bits, a multiple of 16, with the expected ones (left-aligned, ceil(bits / 32) words):
 *              less gives the leaf `below`, greater the leaf `above`, equal goes on with the entry at depth d + bits.
 */
export const NODE_BITMAP = 0;
export const NODE_LIST = 1;
export const NODE_TREE = 2;
export const NODE_WIDE = 3;
export const NODE_SKIP = 4;

export const NODE_FLAG = 0x8000_0000;
export const KIND_SHIFT = 28;
/** The kind of a node entry shifted down by `KIND_SHIFT`. */
export const KIND_MASK = 7;
export const OFFSET_MASK = 0x0fff_ffff;

export const BITMAP_BITS = 6;
/** Change words: where a bitmap node's entries begin. */
export const BITMAP_HEADER_WORDS = 2;
export const LIST_BITS = 16;
/** Keys of a list at most, and of a block of a tree. */
export const LIST_KEYS = 16;
/** Keys of a tree at most: 16 blocks. */
export const TREE_KEYS = 256;
export const WIDE_BITS = 16;
export const WIDE_WORDS = 4096;
/** The bits that a skip node compares are a multiple of this. */
export const SKIP_UNIT = 16;

/** The words of the `header` section. */
export const HEADER_LAYOUT_VERSION = 0;
export const HEADER_ROOT_BITS_4 = 1;
export const HEADER_ROOT_BITS_6 = 2;
export const HEADER_PREFIX_COUNT_4 = 3;
export const HEADER_PREFIX_COUNT_6 = 4;
export const HEADER_MATCH_COUNT = 5;
export const HEADER_WORDS = 16;

export const LAYOUT_VERSION = 2;

/** A `matchValue` word with this bit holds the word offset of a value list; without it, the one value id. */
export const VALUE_LIST_FLAG = 0x8000_0000;
