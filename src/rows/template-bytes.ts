import { HOLE } from "./holes.ts";

// While a row is text, DEL encloses the number of a hole. Ids and names cannot hold it (they hold no control
// characters), and JSON.stringify lets it through as it is.
const MARK = "\x7f";
const MARK_BYTE = 0x7f;
const encoder = new TextEncoder();

/** What stands for a hole in the text of a row; see `templateBytes`. */
export function hole(what: number): string {
  return `${MARK}${what}${MARK}`;
}

/** Rows are made one after the other, each used before the next: see `CreateRowTemplates`. */
let shared = new Uint8Array(1024);

/** Encodes the row and turns each enclosed number into its hole. The next call writes over what this returns. */
export function templateBytes(row: string): Uint8Array {
  // UTF-8 takes at most three bytes for each unit of a string, and a hole takes fewer than it has.
  if (shared.length < 3 * row.length) shared = new Uint8Array(6 * row.length);
  const end = encodeAscii(row) ? row.length : encoder.encodeInto(row, shared).written;
  return shared.subarray(0, markedToHoles(shared, end));
}

/** Into `shared`; for rows of tens of characters a loop is several times as fast as a `TextEncoder`. */
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
  let to = 0;
  for (let at = 0; at < end; at++) {
    if (bytes[at] !== MARK_BYTE) {
      bytes[to++] = bytes[at]!;
      continue;
    }
    let what = 0;
    while (bytes[++at] !== MARK_BYTE) what = what * 10 + bytes[at]! - 0x30;
    bytes[to++] = HOLE;
    bytes[to++] = what;
  }
  return to;
}
