/**
 * How a thread's workspace is laid out, for the loader and the assembly, which is why it holds nothing but numbers. A
 * workspace is `WORKSPACE_BYTES` bytes of the memory, at a multiple of 64, that one kernel alone uses.
 *
 * Every region begins where the one before it ends: NAME = the name before + NAME_BYTES of that, rounded up to a
 * multiple of the region's alignment where it says so, as `(end + 63) & -64`. All are constants to both compilers, and
 * become parts of instructions: nothing is computed at run time. test/kernel/workspace.test.ts holds the drawing to
 * them.
 *
 *          0  KINDS           ┐
 *        256  QUADS           │ tables that the scan of lines reads,
 *      16640  vectors         │ written once by `writeTables`
 *      16960  GAPS            ┘
 *      18304  LINE_STARTS     ┐
 *      20864  WORDS_4         │
 *      23424  LINES_4         │
 *      25984  WORDS_6         │
 *      36224  LINES_6         │ the chunk of lines at hand: where they are,
 *      38784  MATCHES_4       │ the addresses in them, what these match,
 *      41344  MATCHES_6       │ and which rows they give
 *      43904  MATCHES         │
 *      46464  TEMPLATES       │
 *      49024  MISSING         │
 *      51584  PENDING_PAIRS   │
 *      52928  WORDS_AT        ┘
 *      55488  OCTETS          ┐
 *      57536  PREFIX_LENGTHS  │ tables that writing rows reads
 *      58576  GAP_RUNS        │
 *      58832  MASKS           ┘
 *      60928  PENDING_LINES     of the chunk again
 *      65536  SHUFFLES        ┐ the second page: tables and queues of lookups
 *      66048  WAITING         ┘
 *      87040  TOKEN             the token at hand
 *      87168  MEMBER          ┐ the member of JSON lines that
 *      87424  KEYS            ┘ is looked for, and their keys
 *      91520  HITS              of the chunk of lines once more
 *      99968  NOTED_VALUES    ┐ the way to the member
 *     100288  STEPS           ┘ in lines of JSON
 *     103360  FRONTS          ┐ the quads that hits show,
 *     105920  FRONT_LINES     │ before they are read
 *     108480  FRONT_HITS      ┘ two by two
 *     111040  TAILS
 *     131072  WORKSPACE_BYTES
 */

/** Bytes after the LF that ends a text which may be read with it. */
export const TEXT_SLACK = 64;

/**
 * Lines are scanned until there are this many, and up to 64 more: as many as one step of the newline search can find.
 */
export const CHUNK_LINES = 512;
/**
 * A chunk of short lines ends at `CHUNK_LINES`, one of long lines at this length: what is read twice is still in the
 * cache.
 */
export const CHUNK_BYTES = 65536;
/** Entries of every array by line: `CHUNK_LINES`, 64, and what is stored too far because it is quicker. */
export const LINE_ENTRIES = 640;

/** The kinds of bytes, in an order that makes "still in the front run" and "still in the token" one comparison each. */
export const KIND_HEX = 1;
export const KIND_DOT = 2;
export const KIND_OTHER = 4;
export const KIND_COLON = 8;
export const KIND_DELIMITER = 16;
/** A delimiter that may begin an escape: \\, % and #. */
export const KIND_ESCAPE = 48;
export const KIND_DELIMITER_BIT = 4;

/** Bytes of a vector, and of an array with a 32-bit word for each line. */
const VECTOR_BYTES = 16;
const LINE_WORDS_BYTES = 4 * LINE_ENTRIES;

/** The kind of each of the 256 bytes, a byte each. */
export const KINDS = 0;
export const KINDS_BYTES = 256;

/**
 * The 81 ways in which the digits of a dotted quad can be arranged, found by `QUAD_MULTIPLIER`: the mask of its first
 * four bytes that are no digits (bit i: byte i; three dots, and what comes after), multiplied by it, has a different top
 * byte for each of the 81. The entry at that top byte has 64 bytes:
 *
 *     0     a shuffle that brings the octets to four lanes, as hundreds, tens, units and the byte after
 *     16    by octet, as 32-bit words: what using the characters of its digits adds, negative
 *     32    by octet, as 16-bit words: the smallest value (10 for two digits, 100 for three: no leading zeros)
 *     40    the mask; 0 in an entry of no quad
 */
export const QUADS = KINDS + KINDS_BYTES;
export const QUADS_BYTES = 64 * 256;
export const QUAD_MULTIPLIER = 0x8b50_2b7d;
export const QUAD_BIAS = 16;
export const QUAD_LEAST = 32;
export const QUAD_MASK = 40;

/**
 * Vectors of 16 bytes that loops need. The engine would build a constant anew in three instructions wherever it is
 * used; what was loaded before the loop stays in a register.
 */
// 0x50, sixteen times: brings the digits, and the colon after them, to the lowest signed bytes
export const VECTOR_TO_FRONT = QUADS + QUADS_BYTES;
export const VECTOR_NINE = VECTOR_TO_FRONT + VECTOR_BYTES; // what "9" becomes
export const VECTOR_COLON = VECTOR_NINE + VECTOR_BYTES; // what ":" becomes
export const VECTOR_WEIGHTS = VECTOR_COLON + VECTOR_BYTES; // 100, 10, 1, 0 four times
export const VECTOR_DOTS = VECTOR_WEIGHTS + VECTOR_BYTES; // "." in bytes 3, 7 and 11
export const VECTOR_DOT_LANES = VECTOR_DOTS + VECTOR_BYTES; // 0xff in bytes 3, 7 and 11
export const VECTOR_MAX_OCTET = VECTOR_DOT_LANES + VECTOR_BYTES; // 255 in eight 16-bit lanes
// a shuffle from eight octets in 16-bit lanes to two words, twice
export const VECTOR_TO_WORDS = VECTOR_MAX_OCTET + VECTOR_BYTES;
export const VECTOR_LOWER_CASE = VECTOR_TO_WORDS + VECTOR_BYTES; // 0x20
export const VECTOR_LETTERS = VECTOR_LOWER_CASE + VECTOR_BYTES; // 0x1f: brings "a" to the lowest signed byte
export const VECTOR_AFTER_F = VECTOR_LETTERS + VECTOR_BYTES; // what "g" becomes
export const VECTOR_IS_COLON = VECTOR_AFTER_F + VECTOR_BYTES; // ":"
export const VECTOR_LOW_NIBBLE = VECTOR_IS_COLON + VECTOR_BYTES; // 0x0f
// 0x0a: the low nibble of ":" and of LF, and of no hexadecimal digit
export const VECTOR_TEN = VECTOR_LOW_NIBBLE + VECTOR_BYTES;
export const VECTOR_DIGIT_9 = VECTOR_TEN + VECTOR_BYTES; // "9"
export const VECTOR_LETTER_BIAS = VECTOR_DIGIT_9 + VECTOR_BYTES; // 9
export const VECTOR_PAIRS = VECTOR_LETTER_BIAS + VECTOR_BYTES; // 16, 1 eight times
export const VECTOR_LF = VECTOR_PAIRS + VECTOR_BYTES;
export const VECTOR_DOT = VECTOR_LF + VECTOR_BYTES;

/**
 * By 9 * f + b, 16 bytes each: a shuffle from the groups of an IPv6 address as written, a gap being one group, in
 * network order to its words, f groups before the gap and b after it; without a gap f = 8 and b = 0.
 */
export const GAPS = (VECTOR_DOT + VECTOR_BYTES + 63) & -64;
export const GAPS_BYTES = 81 * VECTOR_BYTES;

/** The address of the front of each line and, after the last line, of the line that follows; 32-bit words. */
export const LINE_STARTS = (GAPS + GAPS_BYTES + 63) & -64;
export const LINE_STARTS_BYTES = LINE_WORDS_BYTES;

/** The IPv4 addresses found, and the number of the line of each. */
export const WORDS_4 = LINE_STARTS + LINE_STARTS_BYTES;
export const WORDS_4_BYTES = LINE_WORDS_BYTES;

export const LINES_4 = WORDS_4 + WORDS_4_BYTES;
export const LINES_4_BYTES = LINE_WORDS_BYTES;

/** The IPv6 addresses, four words each, and the number of the line of each. */
export const WORDS_6 = LINES_4 + LINES_4_BYTES;
export const WORDS_6_BYTES = 4 * LINE_WORDS_BYTES;

export const LINES_6 = WORDS_6 + WORDS_6_BYTES;
export const LINES_6_BYTES = LINE_WORDS_BYTES;

/** Match ids: of the IPv4 addresses, of the IPv6 addresses, and by line (-1: no address). */
export const MATCHES_4 = LINES_6 + LINES_6_BYTES;
export const MATCHES_4_BYTES = LINE_WORDS_BYTES;

export const MATCHES_6 = MATCHES_4 + MATCHES_4_BYTES;
export const MATCHES_6_BYTES = LINE_WORDS_BYTES;

export const MATCHES = MATCHES_6 + MATCHES_6_BYTES;
export const MATCHES_BYTES = LINE_WORDS_BYTES;

/** The template of each line's row, and the match ids that lack one. */
export const TEMPLATES = MATCHES + MATCHES_BYTES;
export const TEMPLATES_BYTES = LINE_WORDS_BYTES;

export const MISSING = TEMPLATES + TEMPLATES_BYTES;
export const MISSING_BYTES = LINE_WORDS_BYTES;

/** The pairs of lines that are put aside while scanning, each as the address of its first line's start. */
export const PENDING_PAIRS = MISSING + MISSING_BYTES;
export const PENDING_PAIRS_BYTES = 4 * (LINE_ENTRIES / 2 + 16);

/** By line: the address of the words of its address; anything where there is none. */
export const WORDS_AT = PENDING_PAIRS + PENDING_PAIRS_BYTES;
export const WORDS_AT_BYTES = LINE_WORDS_BYTES;

/** By octet: its digits and a dot, of which so many count, 32 bits each. */
export const OCTETS = WORDS_AT + WORDS_AT_BYTES;
export const OCTETS_BYTES = 8 * 256;

/** By prefix length: a slash and its digits, of which so many count, 32 bits each. */
export const PREFIX_LENGTHS = OCTETS + OCTETS_BYTES;
export const PREFIX_LENGTHS_BYTES = 8 * 129;

/**
 * By the mask of the 16-bit lanes of an IPv6 address's words that are zero, a byte: the first group of the run that
 * becomes `::`, 8 for none | 16 times its length.
 */
export const GAP_RUNS = (PREFIX_LENGTHS + PREFIX_LENGTHS_BYTES + 15) & -16;
export const GAP_RUNS_BYTES = 256;

/** By prefix length: the four words of the mask. */
export const MASKS = GAP_RUNS + GAP_RUNS_BYTES;
export const MASKS_BYTES = 129 * VECTOR_BYTES;

/** The single lines that are put aside while scanning. */
export const PENDING_LINES = (MASKS + MASKS_BYTES + 63) & -64;
export const PENDING_LINES_BYTES = LINE_WORDS_BYTES;

/**
 * By a mask of four bits: the shuffle that brings those of four 32-bit words that it names to the front; 16 bytes each.
 */
export const SHUFFLES = (PENDING_LINES + PENDING_LINES_BYTES + 65535) & -65536;
export const SHUFFLES_BYTES = 16 * VECTOR_BYTES;

/** Vectors: the byte offsets in a queue of the first four entries, and how far the next four are. */
export const OFFSETS = SHUFFLES + SHUFFLES_BYTES;
export const OFFSET_STEP = OFFSETS + VECTOR_BYTES;
/** Vectors of node entries shifted down to their kinds, and of the entry below which are the bitmap nodes. */
export const WIDE_KIND = OFFSET_STEP + VECTOR_BYTES;
export const LIST_KIND = WIDE_KIND + VECTOR_BYTES;
export const TREE_KIND = LIST_KIND + VECTOR_BYTES;
export const POINTS_KIND = TREE_KIND + VECTOR_BYTES;
export const HASHED_KIND = POINTS_KIND + VECTOR_BYTES;
export const BITMAP_LIMIT = HASHED_KIND + VECTOR_BYTES;

/** Vectors of one byte each, for fields: a quote, a comma, a backslash, an opening brace and a closing one. */
export const VECTOR_QUOTE = BITMAP_LIMIT + VECTOR_BYTES;
export const VECTOR_COMMA = VECTOR_QUOTE + VECTOR_BYTES;
export const VECTOR_BACKSLASH = VECTOR_COMMA + VECTOR_BYTES;
export const VECTOR_OPEN = VECTOR_BACKSLASH + VECTOR_BYTES;
export const VECTOR_CLOSE = VECTOR_OPEN + VECTOR_BYTES;
/** Vectors for the hits of a chunk: at 10 an LF and at 14 a dot, by their lower four bits; and 0xcf, sixteen times. */
export const VECTOR_DOT_TABLE = VECTOR_CLOSE + VECTOR_BYTES;
export const VECTOR_COLON_BITS = VECTOR_DOT_TABLE + VECTOR_BYTES;

/** The addresses of a group in a lookup, at most; and a queue of them: as 32-bit words, and four stored too far. */
export const GROUP = 640;
export const QUEUE_BYTES = 4 * GROUP + 64;
/** The six queues of the lookups, and two arrays beside the last one. */
export const WAITING = (VECTOR_COLON_BITS + VECTOR_BYTES + 63) & -64;
export const WAITING_BYTES = 8 * QUEUE_BYTES;

/** A token that may be an IPv6 address, copied: 16 bytes before its front, and the 64 from it on. */
export const TOKEN = (WAITING + WAITING_BYTES + 63) & -64;
export const TOKEN_BYTES = 80;
export const TOKEN_FRONT = TOKEN + 16;

/** The name of the member that has the addresses of JSON lines, at most so many bytes of UTF-8. */
export const MEMBER = (TOKEN + TOKEN_BYTES + 63) & -64;
export const MEMBER_BYTES = 256;

/**
 * The keys of a JSON line, in order, as they were read in an earlier one; src/kernel/assembly/members.ts draws an
 * entry.
 */
export const KNOWN_KEYS = 64;
export const KEY_BYTES = 64;
export const KEY_BITS = 32;
export const KEY_LENGTH = 36;
export const KEY_REST = 40;
export const KEY_STATE = 44;
export const KEYS = (MEMBER + MEMBER_BYTES + 63) & -64;
export const KEYS_BYTES = KNOWN_KEYS * KEY_BYTES;

/**
 * The positions in a chunk of lines at which an address may be, in order. A chunk ends once there are so many; one step
 * finds up to 56 more, and -1 follows.
 */
export const HIT_ENTRIES = 2048;
export const HITS = (KEYS + KEYS_BYTES + 63) & -64;
export const HITS_BYTES = 4 * (HIT_ENTRIES + 64);

/** Where each value before a member begins and ends, and room for one more. */
export const PATH_VALUES = 32;
export const NOTED_VALUES = (HITS + HITS_BYTES + 63) & -64;
export const NOTED_VALUES_BYTES = 8 * (PATH_VALUES + 1);

/** The way to the member in lines like the one before, in steps; src/kernel/assembly/member-path.ts draws them. */
export const PATH_STEPS = 64;
export const STEP_BYTES = 48;
export const STEP_MASK = 16;
export const STEP_LENGTH = 32;
export const STEP_KIND = 36;
export const STEPS = (NOTED_VALUES + NOTED_VALUES_BYTES + 63) & -64;
export const STEPS_BYTES = PATH_STEPS * STEP_BYTES;

/** Where a hit shows that a quad may begin, the number of the line of each, and where its hit is at HITS. */
export const FRONTS = STEPS + STEPS_BYTES;
export const FRONTS_BYTES = LINE_WORDS_BYTES;

export const FRONT_LINES = FRONTS + FRONTS_BYTES;
export const FRONT_LINES_BYTES = LINE_WORDS_BYTES;

export const FRONT_HITS = FRONT_LINES + FRONT_LINES_BYTES;
export const FRONT_HITS_BYTES = LINE_WORDS_BYTES;

/** By line: the address of the text that its row ends with, if rows have such. */
export const TAILS = FRONT_HITS + FRONT_HITS_BYTES;
export const TAILS_BYTES = LINE_WORDS_BYTES;

/** Whole pages. */
export const WORKSPACE_BYTES = (TAILS + TAILS_BYTES + 65535) & -65536;

/** The state at a position in a record of CSV. */
// at the start of a field: a quote here opens a quoted field
export const FIELD_START = 0;
// in a field without quotes, or after the closing quote: a quote here is an ordinary character
export const PLAIN = 1;
// between quotes: commas and newlines are ordinary characters
export const QUOTED = 2;
// after a quote between quotes: the first half of a doubled one, or the closing one
export const QUOTE_SEEN = 3;

/** Which lines give a row. */
export const SELECT_ALL = 0;
export const SELECT_MATCHED = 1;
export const SELECT_UNMATCHED = 2;

/**
 * A row template in the memory, in 32-bit words: the most bytes of a row | holes n | length of part 0, hole 1 | ... |
 * length of part n | the bytes of all parts. 64 bytes after the last template must be there to be read.
 */
export const TEMPLATE_MAX = 0;
export const TEMPLATE_HOLES = 4;
export const TEMPLATE_PARTS = 8;
/** Bytes after the room for rows that may be overwritten. */
export const ROW_SLACK = 64;
