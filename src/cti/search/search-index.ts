import type { Family, Prefix } from "../../address/address.ts";
import { addressBits } from "../../address/address.ts";
import { comparePrefixes } from "../../address/prefix.ts";
import { lastAddress } from "../../address/range.ts";
import { MetadataGuards } from "../../json/metadata-guards.ts";
import { StoredWords } from "../../table/stored-words.ts";
import { CtiError } from "../cti-error.ts";
import type { CtiDataset } from "../dataset.ts";
import type { CtiRecord } from "../fields.ts";
import { RowBits } from "./_row-bits.ts";
import { isAscii } from "./_text-matcher.ts";
import type { StoredIndex, StoredPostings } from "./stored-index.ts";

/** Values whose rows are read between two interruptions: less than a millisecond. */
const STEP = 64;

const STEP_TEXTS = 512;

/** Sets of texts, by number. */
export interface FieldTexts {
  readonly all: RowBits;
  readonly ascii: RowBits;
}

/** The index of a dataset, read where it is stored: opening it costs nothing per row or value. */
export class SearchIndex {
  readonly dataset: CtiDataset;
  readonly rowCount: number;
  readonly #count4: number;
  readonly #words4: StoredWords;
  readonly #words6: StoredWords;
  readonly #stored: StoredIndex;
  readonly #fields = new Map<keyof CtiRecord, IndexedField>();
  readonly #textsOf = new Map<keyof CtiRecord, FieldTexts>();
  readonly #rowsWith = new Map<keyof CtiRecord, RowBits>();

  /** Checks sizes only, as the index may come from an untrusted file. @throws CtiError "bad-metadata" */
  constructor(stored: unknown, dataset: CtiDataset) {
    this.#stored = checkedIndex(stored);
    const { words4, lengths4, words6, lengths6 } = this.#stored;
    this.dataset = dataset;
    this.#count4 = lengths4.length;
    this.rowCount = lengths4.length + lengths6.length;
    this.#words4 = new StoredWords(words4, true);
    this.#words6 = new StoredWords(words6, true);
    const { table } = dataset;
    if (lengths4.length !== table.prefixCount(4) || lengths6.length !== table.prefixCount(6))
      throw badIndex("it has other prefixes than the dataset");
  }

  /** The values of a field. @throws CtiError "bad-metadata" */
  field(member: keyof CtiRecord): IndexedField {
    const known = this.#fields.get(member);
    if (known !== undefined) return known;
    const field = new IndexedField(this.#stored.fields[member], member, this.rowCount);
    this.#fields.set(member, field);
    return field;
  }

  /** The rows that have a value in a field; kept, as every question whether one exists is the same. Not to be changed. */
  *rowsWith(member: keyof CtiRecord): Generator<undefined, RowBits, undefined> {
    const known = this.#rowsWith.get(member);
    if (known !== undefined) return known;
    const rows = new RowBits(this.rowCount);
    const field = this.field(member);
    for (let i = 0; i < field.count; i++) {
      field.addRows(i, rows);
      if (i % STEP === 0) yield;
    }
    this.#rowsWith.set(member, rows);
    return rows;
  }

  /** The texts of a field, by number, and which of them are ASCII. Kept, as every scan needs them. */
  *textsOf(member: keyof CtiRecord): Generator<undefined, FieldTexts, undefined> {
    const known = this.#textsOf.get(member);
    if (known !== undefined) return known;
    const { texts } = this.dataset;
    const field = this.field(member);
    const all = new RowBits(texts.count);
    const ascii = new RowBits(texts.count);
    for (let i = 0; i < field.count; i++) {
      const number = field.keyAt(i);
      const end = texts.endOf(number);
      all.add(number);
      if (isAscii(texts.bytes, texts.startOf(number), end)) ascii.add(number);
      if (i % STEP_TEXTS === 0) yield;
    }
    const found = { all, ascii };
    this.#textsOf.set(member, found);
    return found;
  }

  /** The prefix of a row. @throws CtiError "bad-metadata" */
  prefixAt(row: number): Prefix {
    const { lengths4, lengths6 } = this.#stored;
    const family: Family = row < this.#count4 ? 4 : 6;
    const at = family === 4 ? row : row - this.#count4;
    const length = (family === 4 ? lengths4 : lengths6)[at]!;
    if (length > addressBits(family)) throw badIndex(`row ${row} is a prefix of length ${length}`);
    if (family === 4) return { family, w0: this.#words4.at(at), w1: 0, w2: 0, w3: 0, length };
    const word = (i: number): number => this.#words6.at(at * 4 + i);
    return { family, w0: word(0), w1: word(1), w2: word(2), w3: word(3), length };
  }

  /** The rows of the prefixes that a prefix covers, itself among them. O(log rows) */
  rowsIn(prefix: Prefix): readonly [from: number, to: number] {
    const last = { ...lastAddress(prefix), length: addressBits(prefix.family) };
    return [this.#firstNotBefore(prefix, 0), this.#firstNotBefore(last, 1)];
  }

  /** The row of a prefix, and the one after it; twice the same if there is none. O(log rows) */
  rowOf(prefix: Prefix): readonly [from: number, to: number] {
    return [this.#firstNotBefore(prefix, 0), this.#firstNotBefore(prefix, 1)];
  }

  /** The first row whose prefix is not before this one, or with `after` 1 that is after it. */
  #firstNotBefore(prefix: Prefix, after: 0 | 1): number {
    return firstOf(this.rowCount, (row) => comparePrefixes(this.prefixAt(row), prefix) >= after);
  }
}

/** The values of one field, by index, ascending. */
export class IndexedField {
  readonly count: number;
  readonly #member: string;
  readonly #keys: StoredWords;
  readonly #ends: StoredWords;
  readonly #bytes: Uint8Array;
  readonly #rowCount: number;

  constructor(stored: unknown, member: string, rowCount: number) {
    const { keys, ends, rows } = guards.record(stored, `index of ${member}`) as unknown as StoredPostings;
    for (const bytes of [keys, ends, rows])
      if (!(bytes instanceof Uint8Array)) throw badIndex(`${member} is not bytes`);
    if (keys.length % 4 !== 0 || keys.length !== ends.length)
      throw badIndex(`${member} has not as many values as ends`);
    this.#member = member;
    this.count = keys.length / 4;
    this.#keys = new StoredWords(keys, true);
    this.#ends = new StoredWords(ends, true);
    this.#bytes = rows;
    this.#rowCount = rowCount;
  }

  /** A number, or the number of a text. */
  keyAt(index: number): number {
    return this.#keys.at(index);
  }

  /** Adds the rows that have a value, and returns how many bytes were read. @throws CtiError "bad-metadata" */
  addRows(index: number, to: RowBits): number {
    const [from, end, isBitmap] = this.#place(index);
    const bytes = this.#bytes;
    const { words } = to;
    if (isBitmap) {
      for (let at = from; at < end; at++) words[(at - from) >>> 2]! |= bytes[at]! << (((at - from) & 3) * 8);
      return end - from;
    }
    this.#eachListed(from, end, (row) => (words[row >>> 5]! |= 1 << (row & 31)));
    return end - from;
  }

  /** How many of these rows have a value. @throws CtiError "bad-metadata" */
  countRows(index: number, among: RowBits): number {
    const [from, end, isBitmap] = this.#place(index);
    const { words } = among;
    let count = 0;
    if (isBitmap) {
      const bytes = this.#bytes;
      for (let at = from; at < end; at++)
        count += BYTE_ONES[bytes[at]! & (words[(at - from) >>> 2]! >>> (((at - from) & 3) * 8))]!;
      return count;
    }
    this.#eachListed(from, end, (row) => (count += (words[row >>> 5]! >>> (row & 31)) & 1));
    return count;
  }

  #eachListed(from: number, end: number, each: (row: number) => void): void {
    const bytes = this.#bytes;
    let row = 0;
    for (let at = from; at < end;) {
      let byte = bytes[at++]!;
      let difference = byte & 0x7f;
      for (let shift = 7; byte > 0x7f && at < end && shift < 32; shift += 7) {
        byte = bytes[at++]!;
        difference += (byte & 0x7f) * 2 ** shift;
      }
      row += difference;
      if (row >= this.#rowCount) throw badIndex(`a value of ${this.#member} has row ${row} of ${this.#rowCount}`);
      each(row);
    }
  }

  #place(index: number): readonly [from: number, end: number, isBitmap: boolean] {
    const word = this.#ends.at(index);
    const from = index === 0 ? 0 : this.#ends.at(index - 1) >>> 1;
    const end = word >>> 1;
    const isBitmap = (word & 1) === 1;
    if (from > end || end > this.#bytes.length || (isBitmap && end - from !== Math.ceil(this.#rowCount / 8)))
      throw badIndex(`value ${index} of ${this.#member} ends at byte ${end} and begins at ${from}`);
    return [from, end, isBitmap];
  }
}

const BYTE_ONES = Uint8Array.from({ length: 256 }, (_, byte) => byte.toString(2).replaceAll("0", "").length);

/** The first number below `count` that fits, where all after one that fits do too; `count` if none does. O(log count) */
export function firstOf(count: number, fits: (index: number) => boolean): number {
  let [from, to] = [0, count];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (fits(middle)) to = middle;
    else from = middle + 1;
  }
  return from;
}

const guards = new MetadataGuards((member, what) => badIndex(`${member}: ${what}`));

function checkedIndex(stored: unknown): StoredIndex {
  const { format, words4, lengths4, words6, lengths6, fields } = guards.record(stored, "index");
  if (format !== 1) throw badIndex("its format is not 1; use the newer version of ipsieve that wrote this file");
  for (const bytes of [words4, lengths4, words6, lengths6])
    if (!(bytes instanceof Uint8Array)) throw badIndex("its prefixes are not bytes");
  const index = stored as StoredIndex;
  if (index.words4.length !== 4 * index.lengths4.length || index.words6.length !== 16 * index.lengths6.length)
    throw badIndex("its prefixes are not as many as their lengths");
  guards.record(fields, "fields");
  return index;
}

function badIndex(what: string): CtiError {
  return new CtiError("bad-metadata", "index", `the dataset's index cannot be used: ${what}; import its feeds again`);
}
