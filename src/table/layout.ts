/**
 * How a frozen table is laid out in its 32-bit words; what the lookups, the deep check and a native kernel share.
 *
 * A family's index is a root array and a node array. The root is indexed by the first `rootBits` bits of an address.
 * Its words, and the entry words inside nodes, are either
 *
 *     bit 31 30  28 27                    0
 *         0 mmm mmmmmmmmmmmmmmmmmmmmmmmmmmmm   a leaf: the match id, 0 = no match
 *         1 kkk oooooooooooooooooooooooooooo   a node: kind k, at word offset o of the node array
 *
 * so that "is it a leaf" is a sign test. A node at depth d decides the address's bits from d on; an address is read as
 * if zero bits followed its last one. Adjacent slots with equal entries are stored once (leaf compression as in Lulea
 * and poptrie: Degermark et al., SIGCOMM 1997; Asai & Ohara, SIGCOMM 2015). In IPv6 every depth is a multiple of 16.
 *
 * A slot is a change if its entry may differ from that of the slot before it; slot 0 always is one. The entry of any
 * slot is therefore that of the last change at or before it, and all kinds answer one question: how many changes are
 * there up to and including the slot (its rank)? The rank is at least 1, so "rank - 1" is an entry that exists.
 *
 *     bitmap   64 slots, bits [d, d+6), IPv4 only
 *
 *              +0        +1        +2
 *              +---------+---------+-------+-------+ ...     bit s & 31 of word s >>> 5: slot s is a change
 *              | 31 .. 0 | 63 .. 32| entry | entry |         rank(s) = popcount of the bits up to and including s
 *              +---------+---------+-------+-------+ ...
 *
 *     list     65,536 slots, bits [d, d+16), 2 to 17 entries
 *
 *              +0        +1                  +1 + count / 2
 *              +---------+---------+- - - - -+-------+ ...   key i, the slot of entry i + 1, is in half i & 1 of word
 *              | count   | k1 | k0 | k3 | k2 | entry |       i >>> 1 (0 is the low one); keys ascend, entry 0 begins at
 *              +---------+---------+- - - - -+-------+ ...   slot 0 and has no key. An even count leaves half a word: 0
 *
 *              The 16 keys of a full list are two vectors of 128 bits: the kernel compares them all at once.
 *
 *     tree     65,536 slots, bits [d, d+16), 18 to 257 entries
 *
 *              +0        +1                  +1 + separatorWords(count)
 *              +---------+---------+- - - - -+- - - - -+-------+ ...
 *              | count   |k31 |k15 |    |k47 | keys    | entry |
 *              +---------+---------+- - - - -+- - - - -+-------+ ...
 *
 *              A list whose keys form blocks of 16; the last key of every full block is stored once more before them. At
 *              most 16 separators, so a search is two comparisons of a list's size: which block, where in the block.
 *
 *     wide     65,536 slots, bits [d, d+16), IPv6 only
 *
 *              +0        +1        +2                +4096
 *              +---------+---------+---------+- - - -+-------+ ...
 *              | 31 .. 0 | rank 0  | 63 .. 32|rank 32| entry |   2,048 pairs: change bits, and how many are set in all
 *              +---------+---------+---------+- - - -+-------+ ...   pairs before; so a rank takes one pair and popcount
 *
 *     skip     path compression (as in Morrison's PATRICIA), IPv6 only
 *
 *              +0        +1        +2        +3                 +3 + ceil(bits / 32)
 *              +---------+---------+---------+----------+- - - -+-------+
 *              | bits    | below   | above   | expected ...     | entry |
 *              +---------+---------+---------+----------+- - - -+-------+
 *
 *              Compares the next `bits` bits, a multiple of 16, with the expected ones (left-aligned): less gives the
 *              leaf `below`, greater the leaf `above`, equal continues with the entry at depth d + bits.
 *
 *     points   65,536 slots, bits [d, d+16), 1 to 256 points: blocks of 2^size slots on one background
 *
 *              +0          +1        +2               +2 + (count + 2) / 2
 *              +-----------+---------+----+----+- - - - -+-------+ ...   key i, the first slot of point i, is half i + 1
 *              | background| first   | k0 |form| k2 | k1 | entry |       from word 2 on; keys ascend and are multiples
 *              +-----------+---------+----+----+- - - - -+-------+ ...   of 2^size. An odd half at the end is 0
 *
 *              form   bits 0-7 count - 1 | bits 8-11 size | bits 12-13 how the entry of point i is stored
 *                     0 one: `first` | 1 consecutive: `first` + i | 2 each: in a word of its own (`first` is 0)
 *
 *              A list of single addresses costs two changes each in the nodes above, here half a word. A slot is in a
 *              point if its first 16 - size bits are a key: no order is needed, so the kernel compares 32 keys at once.
 *
 *     hashed   bits [d, length), IPv6 only: blocks of one length, hosts or sites, on one background
 *
 *              +0          +1      +2      +3      +4               +4 + 16 g
 *              +-----------+-------+-------+-------+-------+- - - -+- - - - - - - - -+-------+ ...
 *              | background| first | form  | count | group |       | keys by buckets | entry |
 *              +-----------+-------+-------+-------+-------+- - - -+- - - - - - - - -+-------+ ...
 *
 *              form   bits 0-1 the first word w of keys | bits 2-8 length - 1 | bit 9 entries are stored: 0 one for all,
 *                     `first` | 1 each in a word of its own, in the order of keys (`first` is 0)
 *
 *              A key is words w to (length - 1) >>> 5 of an address, cut to the length. There is a group for every 64
 *              keys or fewer, g in all, each of 59 buckets and a cache line long: byte i (byte i & 3, the low one first,
 *              of word i >>> 2) is how many keys its buckets before i have, up to byte 59; its last word is the number
 *              of its first key. The keys of a bucket ascend; `hashBucket` is a key's bucket. More than 16 keys in a
 *              bucket, or 255 in a group, occur only in a list that was crafted to collide: it gets other nodes. All
 *              entries are leaves.
 *
 * Every node decides at least 6 bits, so a walk ends: at depth 32 or 128 at the latest, whatever the words say.
 *
 * A large list of single IPv4 addresses has them in a hash table before its nodes; root and nodes then hold what is left.
 * The header says how many buckets, hosts, hosts in the overflow and tags there are (0 buckets: no hash table).
 *
 *     hosts    bits [0, 32), asked before the root
 *
 *              +0                     +16 b         +16 b + o            +16 b + 2 o
 *              +--------+--------+- - +-------------+--------------------+------+
 *              | bucket | bucket |    | overflow, o | matches of these   | tags | nodes ...
 *              +--------+--------+- - +-------------+--------------------+------+
 *
 *              bucket   +0                                      +4            +64 bytes
 *                       | count: 5, overflows: 1, zeros: 26     | 30 keys     |      all hosts have one match
 *                       | the same                     | 20 keys | 20 tags    |      a byte each, if they have several
 *
 *              Keys are 16 bits and ascend; after them come 0xffff, and 0 after tags. `mixed` permutes the 32-bit words. A
 *              mixed word times b has its bucket in the upper 32 bits, and its key in the upper half of the lower ones:
 *              with 65,536 buckets or more, words of one bucket differ in their keys, so that a bucket and a key are an
 *              address. A lookup reads one line of the cache. The hosts for which a bucket has no room are those with the
 *              greatest keys; their mixed words are in the overflow, ascending. A tag is the number of a match in the
 *              words of tags. If all hosts have one match, it is in the header, and there are neither tags nor matches.
 */
export const NODE_BITMAP = 0;
export const NODE_LIST = 1;
export const NODE_TREE = 2;
export const NODE_WIDE = 3;
export const NODE_SKIP = 4;
export const NODE_POINTS = 5;
export const NODE_HASHED = 6;
/** The number of the hosts' buckets among the kinds of nodes; no entry points to them. */
export const HOST_BUCKETS = 7;

export const NODE_FLAG = 0x8000_0000;
export const KIND_SHIFT = 28;
/** The kind of a node entry shifted down by `KIND_SHIFT`. */
export const KIND_MASK = 7;
export const OFFSET_MASK = 0x0fff_ffff;

export const BITMAP_BITS = 6;
/** The change words of a bitmap node; its entries follow. */
export const BITMAP_HEADER_WORDS = 2;
export const LIST_BITS = 16;
/** The maximum number of keys of a list, and of a block of a tree: two vectors of eight 16-bit lanes. */
export const LIST_KEYS = 16;
/** The maximum number of keys of a tree: 16 blocks, so that the separators fit two vectors as well. */
export const TREE_KEYS = 256;
export const WIDE_BITS = 16;
/** 65,536 slots in 2,048 pairs of a change word and a rank. */
export const WIDE_WORDS = 4096;
export const POINTS_BITS = 16;
/** The words of a points node before the one whose low half is its form. */
export const POINTS_HEADER_WORDS = 2;
/** The maximum number of points: the form holds their number less one in 8 bits. */
export const POINTS_KEYS = 256;
/** The parts of a form, shifted down: size, and how entries are stored. */
export const POINTS_SIZE_SHIFT = 8;
export const POINTS_SIZE_MASK = 15;
export const POINTS_STORED_SHIFT = 12;
export const POINTS_ONE = 0;
export const POINTS_CONSECUTIVE = 1;
export const POINTS_EACH = 2;
/** The words of a hashed node before its groups. */
export const HASHED_HEADER_WORDS = 4;
/** The most keys of a bucket. */
export const HASHED_KEYS = 16;
/** The words of a group, its buckets, and the keys for which there is one. */
export const GROUP_WORDS = 16;
export const GROUP_BUCKETS = 59;
export const GROUP_KEYS_SHIFT = 6;
/** The most keys of a group: their numbers are bytes. */
export const GROUP_KEYS = 255;
/** The parts of a form: the first word of keys, the length less 1, and how entries are stored. */
export const HASHED_WORD_MASK = 3;
export const HASHED_LENGTH_SHIFT = 2;
export const HASHED_LENGTH_MASK = 127;
export const HASHED_STORED_SHIFT = 9;
export const HASHED_ONE = 0;
export const HASHED_EACH = 1;
/**
 * What the four words of a key are multiplied by, and their sum after its upper bits were mixed in: odd, else any. Signed:
 * in JavaScript a number from 2^31 on would be an object, which each use in another file would read.
 */
export const HASH_0 = 0x9e37_79b1 | 0;
export const HASH_1 = 0x85eb_ca77 | 0;
export const HASH_2 = 0xc2b2_ae3d | 0;
export const HASH_3 = 0x27d4_eb2f | 0;
export const HASH_MIX = 0x2c1b_3c6d | 0;
export const HASH_FOLD = 15;
/** The bits of a hash, and those of them that choose a bucket of a group. */
export const HASH_BITS = 30;
export const HASH_BUCKET_BITS = 24;
/** The words of a bucket of hosts, and the most keys that it has: if all hosts have one match, and with tags. */
export const BUCKET_WORDS = 16;
export const BUCKET_KEYS = 30;
export const TAGGED_KEYS = 20;
/** The first byte of the tags in a bucket, and the most tags. */
export const BUCKET_TAGS = 44;
export const MOST_TAGS = 256;
/** The fewest buckets: with fewer, hosts of one bucket could have one key. */
export const LEAST_BUCKETS = 65_536;
/** The parts of a bucket's first word: how many keys it has, and whether there are more in the overflow. */
export const BUCKET_COUNT_MASK = 31;
export const BUCKET_OVERFLOWS = 32;
/** What `mixed` multiplies by, first and last (both odd, and signed as those above), and the shift between. */
export const MIX_FIRST = 0x85eb_ca77 | 0;
export const MIX_LAST = 0xc2b2_ae3d | 0;
export const MIX_SHIFT = 16;
/** The bits that a skip node compares are a multiple of this. */
export const SKIP_UNIT = 16;

/** The words of the `header` section. */
export const HEADER_LAYOUT_VERSION = 0;
export const HEADER_ROOT_BITS_4 = 1;
export const HEADER_ROOT_BITS_6 = 2;
export const HEADER_PREFIX_COUNT_4 = 3;
export const HEADER_PREFIX_COUNT_6 = 4;
export const HEADER_MATCH_COUNT = 5;
/** The buckets of IPv4 hosts (0: none), the hosts in buckets and overflow, those in the overflow, their one match, and tags. */
export const HEADER_BUCKETS_4 = 6;
export const HEADER_HOSTS_4 = 7;
export const HEADER_OVERFLOW_4 = 8;
export const HEADER_HOST_MATCH_4 = 9;
export const HEADER_TAGS_4 = 10;
export const HEADER_WORDS = 16;

/** That of tables with buckets of hosts, and of all others. */
export const LAYOUT_VERSION_HOSTS = 6;
export const LAYOUT_VERSION = 5;

/** A `matchValue` word with this bit holds the word offset of a value list; without it, the one value id. */
export const VALUE_LIST_FLAG = 0x8000_0000;
