import { ADDRESS_HOLE, LINE_HOLE, OWN_PREFIX_HOLE } from "../../rows/holes.ts";
import {
  GAP_RUNS,
  LINE_STARTS,
  MASKS,
  MATCHES,
  MISSING,
  OCTETS,
  PREFIX_LENGTHS,
  SELECT_ALL,
  SELECT_MATCHED,
  TAILS,
  TEMPLATE_HOLES,
  TEMPLATE_MAX,
  TEMPLATE_PARTS,
  TEMPLATES,
  WORDS_6,
  WORDS_AT,
} from "../workspace.ts";
import { countRange, lastUnmatched } from "./count.ts";
import { chunkLines } from "./scan.ts";
import { matchLengths } from "./table.ts";
import { workspace } from "./workspace.ts";

const LF: u8 = 0x0a;
const CR: u8 = 0x0d;
const COLON: u8 = 0x3a;
const TWO_COLONS: u16 = 0x3a3a;

/** Instead of a template: the line has no row. */
const NO_ROW: usize = 1;
/** The 32-bit addresses of templates, by match id + 1 (0: a line without an address); 0 if there is no template yet. */
let templateOf: usize = 0;
let selection: i32 = SELECT_ALL;
/** Between the columns of rows with a match, which end with a text; 0 if these have templates like all others. */
let delimiter: u32 = 0;
/** Whether a row begins with its line and ends with a newline of its own. */
let appends: bool = false;

/** Whether a text follows each row, at an address in TAILS. */
let hasTails: bool = false;

/** The line whose row comes next. */
let nextLine: i32 = 0;
/** The line number that rows show for the first line of the chunk. */
let firstNumber: u64 = 0;

/** A float holds every number of a line exactly, and crosses into JavaScript as a plain number. */
export function numberLines(first: f64): void {
  firstNumber = <u64>first;
}

export function useTails(has: bool): void {
  hasTails = has;
}

export function useRows(templates: usize, selected: i32, append: bool, delimited: u32): void {
  delimiter = delimited;
  templateOf = templates;
  selection = selected;
  appends = append;
}

/**
 * Starts the rows of the chunk that was looked up last: gathers the template of each line. Returns the number of match
 * ids without a template, repeated ones included; rows can be written once it is 0.
 */
export function gatherTemplates(): i32 {
  // By line, in arrays of LINE_ENTRIES words each; `missing` never passes the current line, so MISSING is long enough:
  //
  //     MATCHES     |   -1    |    0    |   17    | ...      match + 1 is 0, 1, 18
  //     templateOf  | [0]: no address | [1]: no match | [2]: match 1 | ...        matchCount + 2 words
  //     TEMPLATES   | address | address |    0    | ...      0: in MISSING; NO_ROW where `selection` leaves it out
  const base = workspace;
  nextLine = 0;
  let missing = 0;
  const ofLines = base + TEMPLATES;
  const end = <usize>chunkLines << 2;
  for (let line: usize = 0; line < end; line += 4) {
    const match = load<i32>(base + line, MATCHES);
    let template = NO_ROW;
    if (selection == SELECT_ALL || <i32>(match > lastUnmatched) == <i32>(selection == SELECT_MATCHED)) {
      template = <usize>load<u32>(templateOf + (<usize>(match + 1) << 2));
      if (template == 0) {
        store<i32>(base + (<usize>missing << 2), match, MISSING);
        missing++;
      }
    }
    store<u32>(ofLines + line, template);
  }
  if (missing == 0) touchTemplates(ofLines, end);
  return missing;
}

/**
 * Reads the beginning of each template. Those of a large catalogue are in no cache. A loop that does nothing else waits
 * for many at a time; writing the rows would wait for one after the other.
 */
function touchTemplates(ofLines: usize, end: usize): void {
  let touched = 0;
  const second: usize = delimiter == 0 ? 64 : 0; // texts are mostly short
  for (let line: usize = 0; line < end; line += 4) {
    const template = load<usize>(ofLines + line);
    if (template == NO_ROW) continue;
    touched += load<i32>(template) + load<i32>(template + second);
    const match = load<i32>(workspace + line, MATCHES);
    if (match > 0) touched += load<u8>(matchLengths + <usize>match);
    if (hasTails) touched += load<u8>(<usize>load<u32>(workspace + line, TAILS));
  }
  // Both loads are inside: 64 bytes after the last template can be read.
  store<i32>(workspace, touched, MISSING); // nothing is missing here; without a use the compiler would leave the loop out
}

/** Lines of the chunk whose rows have been written, from the first. */
export function writtenLines(): i32 {
  return nextLine;
}

/**
 * Writes the rows of the chunk, from the first that is not written yet, to [out, end) as far as they fit; 64 bytes
 * after `end` may be overwritten. Returns where they end. Counts the lines that are done.
 */
export function writeRows(out: usize, end: usize): usize {
  const base = workspace;
  const lines = chunkLines;
  const first = nextLine;
  let line = first;
  const ipv6Words = base + WORDS_6;
  for (; line < lines; line++) {
    const at4 = base + (<usize>line << 2);
    const template = <usize>load<u32>(at4, TEMPLATES);
    if (template == NO_ROW) continue;
    let to = out;
    if (appends) {
      const start = <usize>load<u32>(at4, LINE_STARTS);
      let length = <usize>load<u32>(at4, LINE_STARTS + 4) - 1 - start;
      // The line without its LF, which is the byte before the next line's start, and without the CR of a CRLF.
      if (length != 0) length -= <usize>(load<u8>(start + length - 1) == CR);
      // A line may be so long that the sum passes 2^32: it wraps, and is then less than `out`.
      if (out + length > end || out + length < out) break;
      to = copy(out, start, length);
    }
    const words = <usize>load<u32>(at4, WORDS_AT);
    if (delimiter != 0 && load<i32>(at4, MATCHES) > 0) {
      if (to + COLUMNS_MOST > end) break;
      if (appends) to = writeDelimiter(to);
      else to = words >= ipv6Words ? writeColumns6(to, words, at4) : writeColumns4(to, load<u32>(words), at4, base);
      to = copyText(to, template, end);
      if (to == 0) break;
    } else {
      // The row is written only if the longest row of its template fits, so nothing below has to check.
      if (to + <usize>load<u32>(template, TEMPLATE_MAX) + <usize>appends > end) break;
      to = fillTemplate(to, template, words, words >= ipv6Words, line);
      if (appends) store<u8>(to++, LF);
    }
    if (hasTails) {
      // Over the LF of the row; the text ends with one.
      to = copyText(to - 1, <usize>load<u32>(at4, TAILS), end);
      if (to == 0) break;
    }
    out = to;
  }
  nextLine = line;
  countRange(base + MATCHES + (<usize>first << 2), line - first);
  return out;
}

/*
 * With a delimiter, rows of a match need no template of their own: they are the address, the prefix, and a text with an
 * LF, `template`; or, after their lines, the text alone. The text ends at `end` at the latest, or there is no row. `at4`
 * is the line's entry in the arrays by line, and `base` the workspace, which a parameter keeps in a register.
 */
/** An address, a prefix, both delimiters, and the first 16 bytes of a text. */
const COLUMNS_MOST: usize = 39 + 43 + 2 + 16;

@inline
function writeColumns4(out: usize, word: u32, at4: usize, base: usize): usize {
  out = writeDelimiter(writeQuad(out, word, base));
  return writeDelimiter(fillIpv4(out, ownPrefixLength(at4), word, base));
}

function writeColumns6(out: usize, words: usize, at4: usize): usize {
  out = writeDelimiter(writeIpv6(out, v128.load(words)));
  return writeDelimiter(fillIpv6(out, ownPrefixLength(at4), words));
}

@inline
function writeDelimiter(out: usize): usize {
  store<u8>(out, <u8>delimiter);
  return out + 1;
}

/** Copies up to the LF, 16 bytes at a time; returns the position after it, or 0 if that is after `end`. */
@inline
function copyText(out: usize, from: usize, end: usize): usize {
  const lf = i8x16.splat(LF);
  for (; out <= end; out += 16, from += 16) {
    const bytes = v128.load(from);
    v128.store(out, bytes);
    const ends = i8x16.bitmask(i8x16.eq(bytes, lf));
    if (ends == 0) continue;
    out += <usize>ctz(ends) + 1;
    return out > end ? 0 : out;
  }
  return 0;
}

/*
 * All other rows have a template of n holes; `most` is the length of its longest row:
 *
 *     | most | n | length, hole | length, hole | ... | length | text of part 0 | text of part 1 | ... | part n |
 *                  part 0         part 1               part n
 *
 * Bound of `out`: a row is begun only if `most` (and its line) fits before `end`. Copies store 16 bytes or a multiple
 * of 64 and numbers four, so at most 63 bytes past what counts: within the 64 after `end`. Bytes that do not count are
 * overwritten by what follows.
 */
/** Copies the parts of a template and fills its holes in for an address; returns where the row ends. */
@inline
function fillTemplate(out: usize, template: usize, words: usize, isIpv6: bool, line: i32): usize {
  const holes = <usize>load<u32>(template, TEMPLATE_HOLES);
  let part = template + TEMPLATE_PARTS;
  let from = part + 4 + (holes << 3);
  for (const end = part + (holes << 3); part < end; part += 8) {
    const length = <usize>load<u32>(part);
    out = copy(out, from, length);
    from += length;
    const hole = load<i32>(part, 4);
    if (hole == LINE_HOLE) {
      out = writeNumber(out, firstNumber + line);
    } else {
      const prefix = hole == OWN_PREFIX_HOLE ? ownPrefixLength(workspace + (<usize>line << 2)) : hole;
      out = isIpv6 ? fillIpv6(out, prefix, words) : fillIpv4(out, prefix, load<u32>(words), workspace);
    }
  }
  return copy(out, from, <usize>load<u32>(part));
}

/** Of the match of a line that has one. */
@inline
function ownPrefixLength(at4: usize): i32 {
  const match = load<u32>(at4, MATCHES);
  return load<u8>(matchLengths + <usize>match);
}

/** Copies `length` bytes, and up to 63 more that do not count; returns the position after them. */
@inline
function copy(to: usize, from: usize, length: usize): usize {
  // The number of iterations is well predicted for parts of similar length: 16 bytes, then 64, then 64 each.
  //     length      0 ... 16 | 17 ... 64 | 65 ... 128 | ...
  //     written           16 |        64 |        128 |        at most 63 more than `length`, as many are read
  // Parts do not overlap rows: templates, lines and rows are different regions of the memory.
  v128.store(to, v128.load(from));
  if (length > 16) {
    v128.store(to, v128.load(from, 16), 16);
    v128.store(to, v128.load(from, 32), 32);
    v128.store(to, v128.load(from, 48), 48);
    for (let done: usize = 64; done < length; done += 64) {
      v128.store(to + done, v128.load(from + done));
      v128.store(to + done, v128.load(from + done, 16), 16);
      v128.store(to + done, v128.load(from + done, 32), 32);
      v128.store(to + done, v128.load(from + done, 48), 48);
    }
  }
  return to + length;
}

@inline
function fillIpv4(out: usize, hole: i32, word: u32, base: usize): usize {
  if (hole == ADDRESS_HOLE) return writeQuad(out, word, base);
  // Shifts count modulo 32: by 32 would be by none, so the mask of 0 bits is a case of its own.
  out = writeQuad(out, hole == 0 ? 0 : word & (<u32>-1 << (32 - hole)), base);
  return hole == 32 ? out : writePrefixLength(out, hole, base);
}

function fillIpv6(out: usize, hole: i32, words: usize): usize {
  const address = v128.load(words);
  if (hole == ADDRESS_HOLE) return writeIpv6(out, address);
  out = writeIpv6(out, v128.and(address, v128.load(workspace + MASKS + (<usize>hole << 4))));
  return hole == 128 ? out : writePrefixLength(out, hole, workspace);
}

/** In decimal digits, up to 16 of them, from the last to the first. */
function writeNumber(out: usize, value: u64): usize {
  // A line's number is below 2^53, so `most` ends at 10^16 at the latest: below 2^64, the product does not wrap.
  let end = out + 1;
  for (let most: u64 = 10; value >= most; most *= 10) end++;
  let at = end;
  if (value <= 0xffff_ffff) {
    for (let rest = <u32>value; at > out; rest /= 10) store<u8>(--at, <u8>(0x30 + (rest % 10)));
  } else {
    for (; at > out; value /= 10) store<u8>(--at, <u8>(0x30 + (value % 10)));
  }
  return end;
}

@inline
function writePrefixLength(out: usize, length: i32, base: usize): usize {
  return writeText(out, load<u64>(base + (<usize>length << 3), PREFIX_LENGTHS));
}

/** Four bytes; the upper half says how many of them count. */
@inline
function writeText(out: usize, text: u64): usize {
  //     bit 63         32 31    24 23    16 15     8 7      0
  //         |  length    |  '.'   |  '2'   |  '9'   |  '1'   |      "192." of OCTETS; the lowest byte is stored first
  store<u32>(out, <u32>text);
  return out + <usize>(text >>> 32);
}

/** Each octet with a dot after it, four bytes of which some do not count; the last dot does not count either. */
@inline
function writeQuad(out: usize, word: u32, base: usize): usize {
  out = writeOctet(out, word >>> 24, base);
  out = writeOctet(out, (word >>> 16) & 255, base);
  out = writeOctet(out, (word >>> 8) & 255, base);
  return writeOctet(out, word & 255, base) - 1;
}

@inline
function writeOctet(out: usize, octet: u32, base: usize): usize {
  return writeText(out, load<u64>(base + (octet << 3), OCTETS));
}

/**
 * The RFC 5952 text of an address whose four words are in the lanes. It is never IPv4-mapped: such an address is IPv4,
 * and no other one becomes mapped by losing bits.
 */
function writeIpv6(out: usize, address: v128): usize {
  const base = workspace;
  // Each iteration either writes a group or skips a run of two or more zero groups, so there are at most eight; a colon
  // is always stored, and counts only if `colon` is 1: no branch. 39 bytes at most, and three more that do not count.
  // Eight lanes, so a mask of 8 bits: an index below 256. A run of 8 groups begins at 0 and ends the loop.
  const run = load<u8>(base + i16x8.bitmask(i16x8.eq(address, i16x8.splat(0))), GAP_RUNS);
  const gap = run & 15;
  let colon: usize = 0; // 1 when one belongs before the next group
  let group: u32 = 0;
  while (group < 8) {
    if (group == gap) {
      store<u16>(out, TWO_COLONS);
      out += 2;
      colon = 0;
      group += run >>> 4;
      continue;
    }
    store<u8>(out, COLON);
    out += colon;
    out = writeGroup(out, groupOf(address, group));
    colon = 1;
    group++;
  }
  return out;
}

/** Group g is the upper half of word g / 2 if g is even. */
@inline
function groupOf(address: v128, group: u32): u32 {
  // Lanes of 64 bits hold the groups as | g2 g3 | g0 g1 | (upper bits first): group ^ 1 counts them from below.
  const half = group < 4 ? i64x2.extract_lane(address, 0) : i64x2.extract_lane(address, 1);
  return <u32>(half >>> ((group ^ 1) << 4)) & 0xffff;
}

@inline
function writeGroup(out: usize, value: u32): usize {
  // The four digits, the first in the lowest byte; to their characters; then without the zeros in front. For 0x0db8:
  //     digits     08 0b 0d 00     upper byte first; stored little-endian, the lowest is written first
  //     + 06       0e 11 13 06     a digit from 10 on carries into bit 4: >>> 4 and & 1 make that 1
  //     letters    00 01 01 00     times 0x27, the distance from "9" + 1 to "a"
  //     + '0'      38 62 64 30     "0db8"; shifted down by one byte for the one zero in front
  // No byte exceeds 0x66, so nothing carries into the next. value | 1 keeps the last digit of 0.
  const digits = (value >>> 12) | (value & 0x0f00) | ((value & 0xf0) << 12) | ((value & 15) << 24);
  const letters = ((digits + 0x0606_0606) >>> 4) & 0x0101_0101;
  const zeros = (clz(value | 1) - 16) >>> 2;
  store<u32>(out, (digits + 0x3030_3030 + letters * 0x27) >>> (zeros << 3));
  return out + 4 - zeros;
}
