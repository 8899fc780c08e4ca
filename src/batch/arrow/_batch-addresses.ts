import type { Family } from "../../address/address.ts";
import { type AddressChoice, fieldAddress } from "../lines/fields/field-address.ts";
import { createFound, NO_ADDRESS } from "../lines/find-address.ts";
import type { Matcher } from "../engine/matcher.ts";
import type { ColumnTexts } from "./_column-texts.ts";

/** The addresses of a batch, and what they match. */
export interface BatchAddresses {
  readonly rows: number;
  /** Of each row; 0: it has no address. */
  readonly families: Uint8Array;
  /** Four words for each row, of which an IPv4 address uses the first. */
  readonly words: Uint32Array;
  /** Of each row: 0 without a match, `NO_ADDRESS` without an address. */
  readonly matches: Int32Array;
}

/**
 * Finds and looks up the address of each row: a field, as in a table of text.
 * @throws RangeError for a text that is not in the data of its column
 */
export function batchAddresses(
  texts: ColumnTexts,
  rows: number,
  choice: AddressChoice,
  matcher: Matcher,
  now: number,
): BatchAddresses {
  const families = new Uint8Array(rows);
  const words = new Uint32Array(4 * rows);
  const found = createFound();
  const { bytes, offsets } = texts;
  for (let row = 0; row < rows; row++) {
    const text = texts.textOf(row);
    if (text < 0) continue;
    const start = Number(offsets[text]);
    const end = Number(offsets[text + 1]);
    if (!(start >= 0 && start <= end && end <= bytes.length))
      throw new RangeError(`the text of row ${row} of a batch is not in its data`);
    const family = fieldAddress(bytes, start, end, choice, found);
    if (family === 0) continue;
    families[row] = family;
    words[4 * row] = found[0]!;
    if (family === 4) continue;
    words[4 * row + 1] = found[1]!;
    words[4 * row + 2] = found[2]!;
    words[4 * row + 3] = found[3]!;
  }
  const matches = new Int32Array(rows).fill(NO_ADDRESS);
  for (const family of [4, 6] as const) lookUp(family, { rows, families, words, matches }, matcher, now);
  return { rows, families, words, matches };
}

/** Looks up the rows of one family together. */
function lookUp(
  family: Family,
  { rows, families, words, matches }: BatchAddresses,
  matcher: Matcher,
  now: number,
): void {
  const width = family === 4 ? 1 : 4;
  const gathered = new Uint32Array(width * rows);
  const numbers = new Uint32Array(rows);
  let count = 0;
  for (let row = 0; row < rows; row++) {
    if (families[row] !== family) continue;
    for (let word = 0; word < width; word++) gathered[width * count + word] = words[4 * row + word]!;
    numbers[count++] = row;
  }
  if (count === 0) return;
  const ids = new Uint32Array(count);
  matcher.lookupBatchInto(family, gathered, ids, count, now);
  for (let index = 0; index < count; index++) matches[numbers[index]!] = ids[index]!;
}
