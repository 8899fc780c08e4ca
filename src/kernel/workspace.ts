/**
 * How a thread's workspace is laid out, for the loader and the assembly, which is why it holds nothing but numbers. A
 * workspace is `WORKSPACE_BYTES` bytes of the memory, at a multiple of 64, that one kernel alone uses. First come
 * tables that the loops read, then the lines of the chunk at hand.
 */

/** Bytes behind the LF that ends a text which may be read with it. */
export const TEXT_SLACK = 64;

/**
 * Lines are scanned until there are this many, and up to 64 more: as many as one step of the newline search can find.
 */
export const CHUNK_LINES = 512;
/** Entries of every array by line: `CHUNK_LINES`, 64, and what is stored too far because it is quicker. */
export const LINE_ENTRIES = 640;

/** The kinds of bytes, in an order that makes "still in the front run" and "still in the token" one comparison each. */
export const KIND_HEX = 1;
export const KIND_DOT = 2;
export const KIND_OTHER = 4;
export const KIND_COLON = 8;
export const KIND_DELIMITER = 16;
export const KIND_DELIMITER_BIT = 4;

/** The kind of each of the 256 bytes, a byte each. */
export const KINDS = 0;

/**
 * The 81 ways in which the digits of a dotted quad can lie, found by `QUAD_MULTIPLIER`: the mask of its four bytes that
 * are no digits (bit i: byte i; three dots, and what comes behind), times that, has another top byte for each of the
 * 81. An entry of 64 bytes by that top byte: a shuffle that brings the octets to four lanes, as hundreds, tens, units
 * and the byte behind | by octet, as 32-bit words: what the characters of its digits make too much, negative | by
 * octet, as 16-bit words: the least value (10 for two digits, 100 for three: no leading zeros) | the mask, 0 in an
 * entry of no quad.
 */
export const QUADS = 256;
export const QUAD_MULTIPLIER = 0x8b50_2b7d;
export const QUAD_BIAS = 16;
export const QUAD_LEAST = 32;
export const QUAD_MASK = 40;

/**
 * Vectors of 16 bytes that loops need. The engine would build a constant anew in three instructions wherever it is
 * used; what was loaded before the loop stays in a register.
 */
export const VECTOR_TO_FRONT = 16640; // 0x50, sixteen times: brings the digits, and the colon behind them, to the lowest signed bytes
export const VECTOR_NINE = 16656; // what "9" becomes
export const VECTOR_COLON = 16672; // what ":" becomes
export const VECTOR_WEIGHTS = 16688; // 100, 10, 1, 0 four times
export const VECTOR_DOTS = 16704; // "." in bytes 3, 7 and 11
export const VECTOR_DOT_LANES = 16720; // 0xff in bytes 3, 7 and 11
export const VECTOR_MOST = 16736; // 255 in eight 16-bit lanes
export const VECTOR_TO_WORDS = 16752; // a shuffle from eight octets in 16-bit lanes to two words, twice
export const VECTOR_LOWER_CASE = 16768; // 0x20
export const VECTOR_LETTERS = 16784; // 0x1f: brings "a" to the lowest signed byte
export const VECTOR_BEHIND_F = 16800; // what "g" becomes
export const VECTOR_IS_COLON = 16816; // ":"
export const VECTOR_LOW_NIBBLE = 16832; // 0x0f
export const VECTOR_TEN = 16848; // 0x0a: the low nibble of ":" and of LF, and of no hexadecimal digit
export const VECTOR_DIGIT_9 = 16864; // "9"
export const VECTOR_LETTER_BIAS = 16880; // 9
export const VECTOR_PAIRS = 16896; // 16, 1 eight times
export const VECTOR_LF = 16912;
export const VECTOR_DOT = 16928;

/**
 * By 9 * f + b, 16 bytes each: a shuffle from the groups of an IPv6 address as written, a gap being one group, in
 * network order to its words, f groups before the gap and b behind it; without a gap f = 8 and b = 0.
 */
export const GAPS = 16960;

/** The address of the front of each line and, behind the last line, of the line that follows; 32-bit words. */
export const LINE_STARTS = 18304;
/** The IPv4 addresses found, and the number of the line of each. */
export const WORDS_4 = 20864;
export const LINES_4 = 23424;
/** The IPv6 addresses, four words each. */
export const WORDS_6 = 25984;
export const LINES_6 = 36224;
/** Match ids: of the IPv4 addresses, of the IPv6 addresses, and by line (-1: no address). */
export const MATCHES_4 = 38784;
export const MATCHES_6 = 41344;
export const MATCHES = 43904;

/** The template of each line's row, and the match ids that lack one. */
export const TEMPLATES = 46464;
export const MISSING = 49024;

/**
 * The pairs of lines that are put aside while scanning, each as the address of its first line's start, and then single
 * lines.
 */
export const PENDING_PAIRS = 51584;
export const PENDING_LINES = 60928;
/** By line: the address of the words of its address; anything where there is none. */
export const WORDS_AT = 52928;

/** By octet: its digits and a dot, of which so many count, 32 bits each. */
export const OCTETS = 55488;
/** By prefix length: a slash and its digits, of which so many count, 32 bits each. */
export const PREFIX_LENGTHS = 57536;
/**
 * By the mask of the 16-bit lanes of an IPv6 address's words that are zero, a byte: the first group of the run that
 * becomes `::`, 8 for none | 16 times its length.
 */
export const GAP_RUNS = 58576;
/** By prefix length: the four words of the mask. */
export const MASKS = 58832;

/**
 * By a mask of four bits: the shuffle that brings those of four 32-bit words that it names to the front; 16 bytes each.
 */
export const SHUFFLES = 65536;
/** Vectors: the places of the first four entries, and how far the next four are. */
export const PLACES = 65792;
export const FOUR = 65808;
/** Vectors of node entries shifted down to their kinds, and of the entry below which are the bitmap nodes. */
export const WIDE_KIND = 65824;
export const LIST_KIND = 65840;
export const TREE_KIND = 65856;
export const BITMAP_LIMIT = 65872;
/** The queues of the lookups. */
export const WAITING = 65920;

/** Two pages. */
export const WORKSPACE_BYTES = 131072;

/** Which lines give a row. */
export const SELECT_ALL = 0;
export const SELECT_MATCHED = 1;
export const SELECT_UNMATCHED = 2;

/**
 * A row template in the memory, in 32-bit words: the most bytes of a row | holes n | length of part 0, hole 1 | ... |
 * length of part n | the bytes of all parts. 64 bytes behind the last template must be there to be read.
 */
export const TEMPLATE_MOST = 0;
export const TEMPLATE_HOLES = 4;
export const TEMPLATE_PARTS = 8;

/** Bytes behind the room for rows that may be overwritten. */
export const ROW_SLACK = 64;
