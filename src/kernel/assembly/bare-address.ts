import { KIND_COLON, KIND_DOT, KIND_HEX, KINDS, LINES_4, LINES_6, PENDING_LINES, WORDS_4, WORDS_6 } from "../workspace.ts";
import { parseIpv6 } from "./find.ts";
import { setScanned } from "./scan.ts";
import { copiedIpv6, startingLength } from "./starting-ipv6.ts";
import { workspace } from "./workspace.ts";

/*
 * A field that is an address and nothing else is parsed here, and one that is empty or missing has none. All else that
 * a field may hold (a list, a port, a length, a zone: src/batch/lines/fields/field-address.ts) is left to the
 * reference: PENDING_LINES gets the number of each such line, and has room for all of a chunk.
 */
/** Where the words of the next address of either family go, and the number of the next line that is left undecided. */
export let to4: usize = 0;
export let to6: usize = 0;
let open: usize = 0;

/** How many lines of the chunk that was scanned last are left undecided. */
let undecided: i32 = 0;

export function undecidedLines(): i32 {
  return undecided;
}

/** Begins a chunk: nothing has been found. */
@inline
export function beginFields(): void {
  to4 = workspace + WORDS_4;
  to6 = workspace + WORDS_6;
  open = workspace + PENDING_LINES;
}

/** Ends a chunk of so many lines. */
export function endFields(lines: i32): void {
  undecided = <i32>((open - workspace - PENDING_LINES) >>> 2);
  setScanned(lines, <i32>((to4 - workspace - WORDS_4) >>> 2), <i32>((to6 - workspace - WORDS_6) >>> 4));
}

/** The word at `to4` is the address of this line. */
@inline
export function addQuad(line: i32): void {
  store<i32>(to4, line, LINES_4 - WORDS_4);
  to4 += 4;
}

@inline
export function leaveOpen(line: i32): void {
  store<i32>(open, line);
  open += 4;
}

/** Adds the address of a line whose field is [at, end), if that is an IPv6 address; leaves any other line undecided. */
export function addOther(line: i32, at: usize, end: usize): void {
  if (at == end) return;
  // `to6` has room for one address more than were found, so it serves as scratch, as in `findOther`.
  const family = copiedIpv6(at, to6) == 6 && startingLength == <u32>(end - at) ? 6 : bareIpv6(at, end, to6);
  if (family == 6) {
    store<i32>(workspace + LINES_6 + ((to6 - workspace - WORDS_6) >>> 2), line);
    to6 += 16;
  } else if (family == 4) {
    store<u32>(to4, load<u32>(to6));
    addQuad(line);
  } else {
    leaveOpen(line);
  }
}

/** The family of the IPv6 address [at, end), its words at `words`; 0 if it is none, or not only hexadecimal digits, colons and dots. */
function bareIpv6(at: usize, end: usize, words: usize): i32 {
  let kinds = 0;
  for (let byte = at; byte < end; byte++) kinds |= <i32>load<u8>(workspace + KINDS + load<u8>(byte));
  if ((kinds & ~(KIND_HEX | KIND_DOT | KIND_COLON)) != 0 || (kinds & KIND_COLON) == 0) return 0;
  return parseIpv6(at, end, words);
}
