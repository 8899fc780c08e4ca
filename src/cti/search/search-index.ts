import type { Prefix } from "../../address/address.ts";
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
import type { RowTable } from "./row-table.ts";
import type { StoredIndex, StoredPostings } from "./stored-index.ts";

/** Values whose rows are read between two interruptions, or their bytes: less than a millisecond. */
const STEP = 512;
const STEP_BYTES = 1 << 16;
/** Texts that are looked at between two. */
const STEP_TEXTS = 512;

/** Sets of texts, by number. */
export interface FieldTexts {
  readonly all: RowBits;
  readonly ascii: RowBits;
}

/** The index of a dataset, read where it is stored: opening it costs nothing per row or value. */
export class SearchIndex {
  readonly dataset: CtiDataset;
  readonly rows: RowTable;
  readonly #stored: StoredIndex;
  readonly #fields = new Map<keyof CtiRecord, IndexedField>();
  readonly #textsOf = new Map<keyof CtiRecord, FieldTexts>();
  readonly #rowsWith = new Map<keyof CtiRecord, RowBits>();

  /** The fields are checked when they are used, as the index may come from an untrusted file. @throws CtiError "bad-metadata" */
  constructor(stored: unknown, dataset: CtiDataset, rows: RowTable) {
    this.#stored = checkedIndex(stored);
    this.dataset = dataset;
    this.rows = rows;
  }

  get rowCount(): number {
    return this.rows.count;
  }

  /** The values of a field. @throws CtiError "bad-metadata" */
  field(member: keyof CtiRecord): IndexedField {
    const known = this.#fields.get(member);
    if (known !== undefined) return known;
    const field = new IndexedField(this.#stored.fields[member], member, this.rows.documentCount);
    this.#fields.set(member, field);
    return field;
  }

  /** The rows that have a value in a field; kept, as every question whether one exists is the same. Not to be changed. */
  *rowsWith(member: keyof CtiRecord): Generator<undefined, RowBits, undefined> {
    const known = this.#rowsWith.get(member);
    if (known !== undefined) return known;
    const documents = new RowBits(this.rows.documentCount);
    const field = this.field(member);
    yield* field.reading(0, field.count, (i) => field.addDocuments(i, documents));
    const rows = new RowBits(this.rowCount);
    yield* this.rows.adding(documents, rows);
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

  prefixAt(row: number): Prefix {
    return this.rows.prefixAt(row);
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
  readonly #documentCount: number;

  constructor(stored: unknown, member: string, documentCount: number) {
    const { keys, ends, documents } = guards.record(stored, `index of ${member}`) as unknown as StoredPostings;
    for (const bytes of [keys, ends, documents])
      if (!(bytes instanceof Uint8Array)) throw badIndex(`${member} is not bytes`);
    if (keys.length % 4 !== 0 || keys.length !== ends.length)
      throw badIndex(`${member} has not as many values as ends`);
    this.#member = member;
    this.count = keys.length / 4;
    this.#keys = new StoredWords(keys, true);
    this.#ends = new StoredWords(ends, true);
    this.#bytes = documents;
    this.#documentCount = documentCount;
  }

  /** A number, or the number of a text. */
  keyAt(index: number): number {
    return this.#keys.at(index);
  }

  /** Does something with each value from `from` to before `end`, and pauses by how much there is to read of them. */
  *reading(from: number, end: number, use: (index: number) => void): Generator<undefined, void, undefined> {
    let bytes = 0;
    for (let i = from; i < end; i++) {
      use(i);
      const [start, stop] = this.#place(i);
      bytes += stop - start;
      if (bytes < STEP_BYTES && i % STEP !== 0) continue;
      bytes = 0;
      yield;
    }
  }

  /** Adds the documents that have a value. @throws CtiError "bad-metadata" */
  addDocuments(index: number, to: RowBits): void {
    const [from, end, isBitmap] = this.#place(index);
    const bytes = this.#bytes;
    const { words } = to;
    if (isBitmap) {
      for (let at = from; at < end; at++) words[(at - from) >>> 2]! |= bytes[at]! << (((at - from) & 3) * 8);
      to.dropRest();
    } else this.#eachListed(from, end, (row) => (words[row >>> 5]! |= 1 << (row & 31)));
  }

  /** How many of these documents have a value. @throws CtiError "bad-metadata" */
  countDocuments(index: number, among: RowBits): number {
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

  /** The sum of a number of each document that has a value. @throws CtiError "bad-metadata" */
  sumOf(index: number, numbers: Uint32Array): number {
    const [from, end, isBitmap] = this.#place(index);
    let sum = 0;
    if (!isBitmap) {
      this.#eachListed(from, end, (document) => (sum += numbers[document]!));
      return sum;
    }
    for (let at = from; at < end; at++)
      for (let bits = this.#bytes[at]!; bits !== 0; bits &= bits - 1)
        sum += numbers[(at - from) * 8 + (31 - Math.clz32(bits & -bits))] ?? 0;
    return sum;
  }

  #eachListed(from: number, end: number, each: (document: number) => void): void {
    const bytes = this.#bytes;
    let document = 0;
    for (let at = from; at < end;) {
      let byte = bytes[at++]!;
      let difference = byte & 0x7f;
      for (let shift = 7; byte > 0x7f && at < end && shift < 32; shift += 7) {
        byte = bytes[at++]!;
        difference += (byte & 0x7f) * 2 ** shift;
      }
      document += difference;
      if (document >= this.#documentCount)
        throw badIndex(`a value of ${this.#member} has document ${document} of ${this.#documentCount}`);
      each(document);
    }
  }

  #place(index: number): readonly [from: number, end: number, isBitmap: boolean] {
    const word = this.#ends.at(index);
    const from = index === 0 ? 0 : this.#ends.at(index - 1) >>> 1;
    const end = word >>> 1;
    const isBitmap = (word & 1) === 1;
    if (from > end || end > this.#bytes.length || (isBitmap && end - from !== Math.ceil(this.#documentCount / 8)))
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
  const { format, fields } = guards.record(stored, "index");
  if (format !== 1) throw badIndex("its format is not 1; use the newer version of ipsieve that wrote this file");
  guards.record(fields, "fields");
  return stored as StoredIndex;
}

/** The error of an index that does not make sense. */
export function badIndex(what: string): CtiError {
  return new CtiError("bad-metadata", "index", `the dataset's index cannot be used: ${what}; import its feeds again`);
}
