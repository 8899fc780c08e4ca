import { badDocument, ByteReader, type ByteWriter } from "./_bytes.ts";
import type { TextPool, Texts } from "./_texts.ts";
import { type CtiRecord, FIELDS, isListField, NOTHING_KNOWN } from "./fields.ts";

/**
 * A stored document: the number and the value of each known field, in the order of FIELDS. Numbers are LEB128, texts
 * are indexes of the dataset's text table, lists are preceded by their length. Equal records have equal bytes.
 */

export function writeRecord(record: CtiRecord, to: ByteWriter, texts: TextPool): void {
  FIELDS.forEach(({ member, kind }, number) => {
    const value = record[member];
    if (kind.isEmpty(value)) return;
    to.number(number);
    kind.write(value, to, texts);
  });
}

/** The fields before `end`; those after stay empty. @throws CtiError "bad-document" */
export function readRecord(bytes: Uint8Array, texts: Texts, end: number = FIELDS.length): CtiRecord {
  const from = new ByteReader(bytes);
  const record: Partial<Record<keyof CtiRecord, unknown>> = { ...NOTHING_KNOWN };
  let last = -1;
  while (!from.isAtEnd) {
    const number = from.number();
    const field = FIELDS[number];
    if (field === undefined || number <= last) throw badDocument(`field ${number} follows field ${last}`);
    if (number >= end) break;
    record[field.member] = field.kind.read(from, texts);
    last = number;
  }
  return record as unknown as CtiRecord;
}

/** What a stored document says about `spoofable`, without reading the rest of it. @throws CtiError "bad-document" */
export function readSpoofable(bytes: Uint8Array): boolean | null {
  if (bytes.length === 0 || bytes[0] !== 0) return null;
  if (bytes.length > 1 && bytes[1]! <= 1) return bytes[1] === 1;
  throw badDocument("spoofable is neither true nor false");
}

/** Calls back with each value of a stored document as it is stored: a number, or the number of a text. @throws CtiError "bad-document" */
export function eachStoredValue(bytes: Uint8Array, each: (field: number, value: number) => void): void {
  const from = new ByteReader(bytes);
  while (!from.isAtEnd) {
    const number = from.number();
    if (number >= FIELDS.length) throw badDocument(`it has a field ${number}`);
    let count = isListField(FIELDS[number]!) ? from.number() : 1;
    if (count > from.left) throw badDocument(`a list of ${count} has ${from.left} bytes`);
    for (; count > 0; count--) each(number, from.number());
  }
}
