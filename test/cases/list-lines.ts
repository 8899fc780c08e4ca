import type { ListErrorCode } from "../../src/reading/list-error.ts";

/** A line of a list, and what each of its readers must make of it. */
export interface ListCase {
  readonly line: string;
  /** The entries that it has, as prefixes; none: it has none, and is no error. */
  readonly entries?: readonly string[];
  /** What is wrong: the code, the column from 1, and a part of the cure. */
  readonly error?: readonly [code: ListErrorCode, column: number, cure: string];
  /** The entries where labels may follow an entry, if those differ: elsewhere it is an error. */
  readonly labelled?: readonly string[];
}

const read = (line: string, ...entries: string[]): ListCase => ({ line, entries });
const refused = (line: string, code: ListErrorCode, column: number, cure: string): ListCase => ({
  line,
  error: [code, column, cure],
});

/** For every reader of lists; the entries are documentation addresses, which each of them can be made to accept. */
export const LIST_LINES: readonly ListCase[] = [
  // One entry
  read("192.0.2.1", "192.0.2.1"),
  read("192.0.2.0/24", "192.0.2.0/24"),
  read("  2001:DB8::1\t", "2001:db8::1"),
  read("2001:db8::/32\r", "2001:db8::/32"),
  read("::ffff:192.0.2.0/120", "192.0.2.0/24"),
  read("192.0.2.1-192.0.2.4", "192.0.2.1", "192.0.2.2/31", "192.0.2.4"),
  read("192.0.2.1 - 192.0.2.4", "192.0.2.1", "192.0.2.2/31", "192.0.2.4"),
  read("192.0.2.1 -192.0.2.4 # a range", "192.0.2.1", "192.0.2.2/31", "192.0.2.4"),
  read("2001:db8::-2001:db8::ffff", "2001:db8::/112"),
  read('"192.0.2.1"', "192.0.2.1"),
  read("192.0.2.1,", "192.0.2.1"),
  // Comments
  read("192.0.2.1 # x", "192.0.2.1"),
  read("192.0.2.1#x", "192.0.2.1"),
  read("192.0.2.1;x", "192.0.2.1"),
  read("192.0.2.1//x", "192.0.2.1"),
  read("192.0.2.0/24// x", "192.0.2.0/24"),
  read("203.0.113.4#4#2#Malicious Host#CN##39.9,116.4#3", "203.0.113.4"),
  read("192.0.2.1 # a\u2028b\u2029c, 198.51.100.0/24", "192.0.2.1"),
  read("# nothing \u2028 here"),
  read("; 192.0.2.1"),
  read("//192.0.2.1"),
  read(" \t"),
  read(`# ${"/ # ; ".repeat(5000)}`),
  // A count
  read("203.0.113.20\t10", "203.0.113.20"),
  read("203.0.113.0/24 7 # seen", "203.0.113.0/24"),
  refused("192.0.2.0\t24", "length-apart", 11, "write 192.0.2.0/24"),
  refused("192.0.2.0 /24", "length-apart", 11, "remove the blank: 192.0.2.0/24"),
  refused("192.0.2.0,24", "length-apart", 11, "write 192.0.2.0/24"),
  refused("192.0.2.0//24", "length-malformed", 10, "write 192.0.2.0/24"),
  // Several entries
  read("192.0.2.0/24,198.51.100.0/24", "192.0.2.0/24", "198.51.100.0/24"),
  read("192.0.2.0/24, 198.51.100.7 2001:db8::/32 ;x", "192.0.2.0/24", "198.51.100.7", "2001:db8::/32"),
  read("192.0.2.1 198.51.100.1 203.0.113.1", "192.0.2.1", "198.51.100.1", "203.0.113.1"),
  read('"192.0.2.0/24","198.51.100.0/24"', "192.0.2.0/24", "198.51.100.0/24"),
  read("192.0.2.8 - 192.0.2.15, 198.51.100.0/24", "192.0.2.8/29", "198.51.100.0/24"),
  // What may be one of three things
  refused("192.0.2.1 192.0.2.9", "two-addresses", 11, "write 192.0.2.1/LENGTH, 192.0.2.1-192.0.2.9, or each"),
  refused("192.0.2.1,192.0.2.9", "two-addresses", 11, "write 192.0.2.1/LENGTH, 192.0.2.1-192.0.2.9, or each"),
  refused("2001:db8:: 2001:db8::ffff", "two-addresses", 12, "2001:db8::-2001:db8::ffff, or each address"),
  refused("203.0.113.0 255.255.255.0", "two-addresses", 13, "write 203.0.113.0/24, FIRST-LAST, or each address"),
  refused("203.0.113.9\t0.0.0.255", "two-addresses", 13, "write 203.0.113.0/24, FIRST-LAST, or each address"),
  refused("192.0.2.1 198.51.100.0 255.255.255.128", "two-addresses", 24, "write 198.51.100.0/25, FIRST-LAST"),
  refused("203.0.113.0,203.0.113.255,AU", "two-addresses", 13, "203.0.113.0-203.0.113.255"),
  refused("203.0.113.0\t203.0.113.255\t24\t1234\tSOMENET\tUS", "two-addresses", 13, "203.0.113.0-203.0.113.255"),
  // What is cut short, or of another format
  refused("192.0.2.1-20", "range-shorthand", 1, "192.0.2.1-192.0.2.20"),
  refused("192.0.2.1 - 20", "range-shorthand", 1, "192.0.2.1-192.0.2.20"),
  refused("2001:db8::1-f", "range-shorthand", 1, "2001:db8::1-2001:db8::f"),
  refused("192.0.2", "too-few-octets", 8, "192.0.0.2 for one address, or 192.0.2.0/24 for the network"),
  refused("192.0.2.*", "unexpected-character", 9, "192.0.2.0/24"),
  refused("192.0.2.0/255.255.255.0", "length-malformed", 14, "/24"),
  refused("192.0.2.0/0.0.0.255", "length-malformed", 12, "/24"),
  refused("Some Org, Inc:192.0.2.1-192.0.2.10", "peer-list", 1, "write 192.0.2.1-192.0.2.10"),
  refused("203.000.113.000 - 203.000.113.255 , 000 , Bogon", "peer-list", 1, "write 203.0.113.0-203.0.113.255"),
  refused("192.0.2.9-192.0.2.1", "range-reversed", 11, "did you mean 192.0.2.1-192.0.2.9?"),
  refused("192.0.2.1-2001:db8::", "range-mixed-families", 11, "write both in one family"),
  // What is no entry
  refused("192.0.2.9/24", "host-bits-set", 11, "did you mean 192.0.2.0/24?"),
  refused("192.0.2.0/24 198.51.100.1/24", "host-bits-set", 27, "did you mean 198.51.100.0/24?"),
  refused("192.0.2.0/24,198.51.100.0/33", "length-out-of-range", 27, "0 to 32"),
  refused("192.0.2.1:80", "port", 10, "remove :80"),
  refused("[2001:db8::1]", "brackets", 1, "remove them"),
  refused("example.org", "unexpected-character", 1, "not valid in an address"),
  refused(",192.0.2.1", "empty", 1, "the address is missing"),
  refused("192.0.2.1\ufffd", "not-utf8", 10, "convert the file"),
  refused('"192.0.2.1', "unclosed-quote", 1, "not closed on the same line"),
  refused('"192.0.2.1"x', "text-after-quote", 12, "must be followed by a comma"),
  refused("192.0.2.1 office", "text-after-entry", 11, "begin a comment with #"),
  refused("192.0.2.1 office, x", "text-after-entry", 11, "begin a comment with #"),
  // IPv4 in IPv6
  refused("::ffff:0:0/96", "mapped-block", 1, "write 0.0.0.0/0 for all of IPv4, or leave it out"),
  refused("::ffff:0.0.0.0/96", "mapped-block", 1, "write 0.0.0.0/0 for all of IPv4, or leave it out"),
  refused("::/8", "mapped-block", 1, "write 0.0.0.0/0 for all of IPv4, or leave it out"),
  refused("::ffff:0:0-::ffff:ffff:ffff", "mapped-block", 1, "write 0.0.0.0/0 for all of IPv4, or leave it out"),
  refused("::1-2001:db8::", "mapped-block", 1, "write 0.0.0.0/0 for all of IPv4, or leave it out"),
  refused("::ffff:198.51.100.0/24", "mapped-length", 21, "did you mean 198.51.100.0/24 or ::ffff:198.51.100.0/120?"),
  // Labels
  {
    line: "192.0.2.0/24,office",
    error: ["text-after-entry", 14, "give a table as CSV, with a first line that names the columns"],
    labelled: ["192.0.2.0/24"],
  },
  {
    line: '192.0.2.0/24,64500,"Example Inc."',
    error: ["text-after-entry", 14, "give a table as CSV, with a first line that names the columns"],
    labelled: ["192.0.2.0/24"],
  },
  refused("192.0.2.0/24,office,198.51.100.0/24", "several-entries", 21, "write this one on a line of its own"),
];
