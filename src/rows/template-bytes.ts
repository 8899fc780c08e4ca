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

/** Encodes the row and turns each enclosed number into its hole; a hole is shorter, so that this is done in place. */
export function templateBytes(row: string): Uint8Array {
  const bytes = encoder.encode(row);
  let to = 0;
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] !== MARK_BYTE) {
      bytes[to++] = bytes[at]!;
      continue;
    }
    let what = 0;
    while (bytes[++at] !== MARK_BYTE) what = what * 10 + bytes[at]! - 0x30;
    bytes[to++] = HOLE;
    bytes[to++] = what;
  }
  return bytes.subarray(0, to);
}
