import { type Data, type DataType, Field, List, makeData, Utf8 } from "apache-arrow";
import type { Family } from "../../address/address.ts";
import { formatAddressInto } from "../../address/format-address.ts";
import type { PrefixTable } from "../../table/prefix-table.ts";
import type { MatchId } from "../../table/match-id.ts";
import type { BatchAddresses } from "./_batch-addresses.ts";
import { type TextBlock, textBlock, TextBuilder } from "./_text-builder.ts";
import type { ResultColumn } from "./result-column.ts";

const SLASH = 0x2f;
/** The longest prefix as text: 39 bytes of address, a slash and three digits. */
const PREFIX_BYTES = 43;

const SUFFIXES = Array.from({ length: 129 }, (_, length) => Buffer.from(String(length)));
const UTF8 = new Utf8();
const LIST = new List(new Field("item", UTF8, false));

/** Makes the data of a column for the batches of a stream; the data of a batch is valid until the next is made. */
export interface ResultWriter {
  readonly field: Field;
  write(addresses: BatchAddresses): Data;
}

export function resultWriter(column: ResultColumn, table: PrefixTable): ResultWriter {
  const type: DataType = column.kind === "list" ? LIST : UTF8;
  return { field: new Field(column.name, type, column.kind !== "list"), write: writing(column, table) };
}

function writing(column: ResultColumn, table: PrefixTable): ResultWriter["write"] {
  const text = new TextBuilder();
  if (column.kind === "prefix") return (addresses) => prefixes(addresses, table, text);
  const blocks = new Map<number, TextBlock | null>();
  const blockOf = (match: number): TextBlock | null => {
    let block = blocks.get(match);
    if (block === undefined) blocks.set(match, (block = blockOrNull(column.valueOf(match as MatchId))));
    return block;
  };
  return column.kind === "text"
    ? (addresses) => texts(addresses, blockOf, text)
    : (addresses) => lists(addresses, blockOf, text);
}

function blockOrNull(value: string | readonly string[] | null): TextBlock | null {
  return value === null ? null : textBlock(typeof value === "string" ? [value] : value);
}

function prefixes({ rows, families, words, matches }: BatchAddresses, table: PrefixTable, text: TextBuilder): Data {
  const validity = new Validity(rows);
  text.clear();
  for (let row = 0; row < rows; row++) {
    const match = matches[row]!;
    if (match > 0) {
      validity.add(row);
      text.reserve(PREFIX_BYTES);
      text.length = writePrefix(families[row] as Family, words, 4 * row, table.prefixLength(match as MatchId), text);
    }
    text.end();
  }
  return utf8Data(text, rows, validity);
}

const masked = new Uint32Array(4);

/** Writes the prefix of that length around the address at `words[from]`, and returns where it ends. */
function writePrefix(
  family: Family,
  words: Uint32Array,
  from: number,
  length: number,
  { bytes, length: at }: TextBuilder,
): number {
  const bits = family === 4 ? 32 : 128;
  for (let word = 0; word < bits / 32; word++) {
    const own = length - 32 * word;
    masked[word] = own >= 32 ? words[from + word]! : own <= 0 ? 0 : words[from + word]! & (-1 << (32 - own));
  }
  at = formatAddressInto(family, masked, bytes, at);
  if (length === bits) return at;
  bytes[at++] = SLASH;
  for (const digit of SUFFIXES[length]!) bytes[at++] = digit;
  return at;
}

function texts(
  { rows, matches }: BatchAddresses,
  blockOf: (match: number) => TextBlock | null,
  text: TextBuilder,
): Data {
  const validity = new Validity(rows);
  text.clear();
  for (let row = 0; row < rows; row++) {
    const block = matches[row]! > 0 ? blockOf(matches[row]!) : null;
    if (block === null) text.end();
    else {
      validity.add(row);
      text.append(block);
    }
  }
  return utf8Data(text, rows, validity);
}

function lists(
  { rows, matches }: BatchAddresses,
  blockOf: (match: number) => TextBlock | null,
  text: TextBuilder,
): Data {
  const offsets = new Int32Array(rows + 1);
  text.clear();
  for (let row = 0; row < rows; row++) {
    if (matches[row]! > 0) text.append(blockOf(matches[row]!)!);
    offsets[row + 1] = text.count;
  }
  const child = utf8Data(text, text.count, null);
  return makeData({ type: LIST, length: rows, nullCount: 0, valueOffsets: offsets, child });
}

function utf8Data(text: TextBuilder, length: number, validity: Validity | null): Data<Utf8> {
  const nulls = validity === null ? 0 : length - validity.count;
  return makeData({
    type: UTF8,
    length,
    nullCount: nulls,
    ...(nulls > 0 && { nullBitmap: validity!.bits }),
    valueOffsets: text.offsets,
    data: text.bytes.subarray(0, text.length),
  });
}

/** Which rows have a value: a bit each. */
class Validity {
  readonly bits: Uint8Array;
  count = 0;

  constructor(rows: number) {
    this.bits = new Uint8Array((rows + 7) >> 3);
  }

  add(row: number): void {
    this.bits[row >> 3]! |= 1 << (row & 7);
    this.count++;
  }
}
