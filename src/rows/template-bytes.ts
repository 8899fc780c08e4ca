import { HOLE } from "./holes.ts";

// While a row is text, DEL encloses the number of a hole. Ids and names cannot contain it (they have no control
// characters), and JSON.stringify does not escape it.
const MARK = "\x7f";
const MARK_BYTE = 0x7f;
const encoder = new TextEncoder();
/** For rows of fewer units, a loop is several times as fast as a `TextEncoder`. */
const NATIVE_FROM = 64;

/** What stands for a hole in the text of a row; see `templateBytes`. */
export function hole(what: number): string {
  return `${MARK}${what}${MARK}`;
}

/** Rows are made one after the other, each used before the next: see `CreateRowTemplates`. */
let shared = new Uint8Array(1024);

/** Encodes the row and turns each enclosed number into its hole. The next call overwrites the result. */
export function templateBytes(row: string): Uint8Array {
  // UTF-8 takes at most three bytes for each unit of a string, and a hole takes fewer than it has.
  if (shared.length <= 3 * row.length) shared = new Uint8Array(6 * row.length);
  const isShort = row.length < NATIVE_FROM;
  const end = isShort && encodeAscii(row) ? row.length : encoder.encodeInto(row, shared).written;
  return shared.subarray(0, markedToHoles(shared, end));
}

/** Into `shared`. */
function encodeAscii(row: string): boolean {
  let units = 0;
  for (let at = 0; at < row.length; at++) {
    const unit = row.charCodeAt(at);
    units |= unit;
    shared[at] = unit;
  }
  return units < 0x80;
}

/** In place, as holes are shorter. Returns where the bytes end. */
function markedToHoles(bytes: Uint8Array, end: number): number {
  bytes[end] = MARK_BYTE; // so that every search ends; there is room for three bytes a unit
  let to = 0;
  for (let from = 0; ;) {
    const mark = bytes.indexOf(MARK_BYTE, from);
    bytes.copyWithin(to, from, mark);
    to += mark - from;
    if (mark === end) return to;
    let what = 0;
    let at = mark + 1;
    for (; bytes[at] !== MARK_BYTE; at++) what = what * 10 + bytes[at]! - 0x30;
    bytes[to++] = HOLE;
    bytes[to++] = what;
    from = at + 1;
  }
}
