import type { Prefix } from "../../address/address.ts";
import { ByteWriter } from "../_bytes.ts";
import type { CtiDataset } from "../dataset.ts";
import { type CtiRecord, FIELDS, isTextField } from "../fields.ts";
import { folded, SEARCH_FIELDS, type SearchField } from "./search-fields.ts";
import type { StoredIndex, StoredPostings } from "./stored-index.ts";
import { GrowingWords } from "./_growing-words.ts";
import { sorting } from "./_sorting.ts";

/** Rows or values between two interruptions: less than a millisecond. */
const STEP = 128;
/** Offsets of rows are stored with one more bit. */
const MAX_BYTES = 2 ** 31 - 1;

/** A value of a field and a row that has it, for each pair; rows ascend. */
interface Pairs {
  readonly keys: GrowingWords;
  readonly rows: GrowingWords;
}

/**
 * Builds the index of a dataset, the same for the same contents. O(pairs of values and rows), and O(n log n) for texts;
 * some ten seconds for a million documents.
 * @throws CtiError for a corrupt dataset @throws RangeError if it is too large
 */
export function* buildingIndex(dataset: CtiDataset): Generator<undefined, StoredIndex, undefined> {
  const { table } = dataset;
  const pairs = new Map(
    SEARCH_FIELDS.flatMap(({ member }) => (member === null ? [] : [[member, newPairs()] as const])),
  );
  const ofFields = FIELDS.map(({ member }) => pairs.get(member));
  const classification = pairs.get("classification")!;
  const keys = {
    words4: new ByteWriter(),
    lengths4: new ByteWriter(),
    words6: new ByteWriter(),
    lengths6: new ByteWriter(),
  };
  let row = 0;
  for (const family of [4, 6] as const)
    for (const { prefix, match } of table.entries(family)) {
      writeKey(prefix, family === 4 ? keys.words4 : keys.words6, family === 4 ? keys.lengths4 : keys.lengths6);
      const before = classification.rows.length;
      dataset.eachStoredValue(match, (field, value) => {
        const of = ofFields[field];
        of?.keys.push(value);
        of?.rows.push(row);
      });
      // "unknown" is not stored, and a classification like the others.
      if (classification.rows.length === before) {
        classification.keys.push(0);
        classification.rows.push(row);
      }
      if (++row % STEP === 0) yield;
    }
  const fields: Partial<Record<keyof CtiRecord, StoredPostings>> = {};
  for (const field of SEARCH_FIELDS) {
    if (field.member === null) continue;
    const of = pairs.get(field.member)!;
    // So that the pairs of one field need not be kept while others are sorted.
    pairs.delete(field.member);
    fields[field.member] = yield* postingsOf(dataset, field, of, row);
  }
  return {
    format: 1,
    words4: keys.words4.written().slice(),
    lengths4: keys.lengths4.written().slice(),
    words6: keys.words6.written().slice(),
    lengths6: keys.lengths6.written().slice(),
    fields,
  };
}

function newPairs(): Pairs {
  return { keys: new GrowingWords(), rows: new GrowingWords() };
}

function writeKey({ family, w0, w1, w2, w3, length }: Prefix, words: ByteWriter, lengths: ByteWriter): void {
  words.word(w0);
  if (family === 6) for (const word of [w1, w2, w3]) words.word(word);
  lengths.byte(length);
}

/** The rows of each value, in the order of values. */
function* postingsOf(
  dataset: CtiDataset,
  field: SearchField,
  pairs: Pairs,
  rowCount: number,
): Generator<undefined, StoredPostings, undefined> {
  const keys = pairs.keys.written();
  const rows = pairs.rows.written();
  const order = yield* sorting(keys.length, (a, b) => keys[a]! - keys[b]!);
  const groups: Group[] = [];
  for (let from = 0; from < order.length;) {
    const key = keys[order[from]!]!;
    let to = from + 1;
    while (to < order.length && keys[order[to]!] === key) to++;
    groups.push({ key, from, to });
    from = to;
    if (groups.length % STEP === 0) yield;
  }
  const writer = new PostingsWriter(rowCount);
  const merged = isTextField(field.member!)
    ? yield* mergingTexts(dataset, field, groups)
    : groups.map((group) => [group]);
  for (const [index, spellings] of merged.entries()) {
    writer.add(rowsOf(spellings, order, rows), spellings);
    if (index % STEP === 0) yield;
  }
  return writer.stored();
}

interface Group {
  /** A number, or the number of a text. */
  readonly key: number;
  /** Where its rows are in the order. */
  readonly from: number;
  readonly to: number;
}

/** Groups in the order of their texts; those whose texts differ in case only, where the field ignores it, together. */
function* mergingTexts(
  dataset: CtiDataset,
  field: SearchField,
  groups: readonly Group[],
): Generator<undefined, Group[][], undefined> {
  const texts: string[] = [];
  for (const { key } of groups) {
    texts.push(folded(dataset.textAt(key), field));
    if (texts.length % STEP === 0) yield;
  }
  const order = yield* sorting(texts.length, (a, b) => (texts[a]! < texts[b]! ? -1 : texts[a]! > texts[b]! ? 1 : 0));
  const merged: Group[][] = [];
  for (const [at, index] of order.entries()) {
    const isSame = at > 0 && texts[order[at - 1]!] === texts[index];
    if (isSame) merged.at(-1)!.push(groups[index]!);
    else merged.push([groups[index]!]);
    if (at % STEP === 0) yield;
  }
  return merged;
}

function rowsOf(groups: readonly Group[], order: Uint32Array, rows: Uint32Array): Uint32Array {
  const found = new Uint32Array(groups.reduce((sum, { from, to }) => sum + to - from, 0));
  let count = 0;
  for (const { from, to } of groups) for (let at = from; at < to; at++) found[count++] = rows[order[at]!]!;
  // A row may have several spellings.
  return groups.length === 1 ? found : Uint32Array.from(new Set(found.sort()));
}

class PostingsWriter {
  readonly #rowCount: number;
  readonly #keys = new ByteWriter();
  readonly #ends = new ByteWriter();
  readonly #rows = new ByteWriter();
  readonly #differences = new ByteWriter();

  constructor(rowCount: number) {
    this.#rowCount = rowCount;
  }

  /** The rows of a value, ascending; its name is its most frequent spelling, and of equally frequent ones the first. */
  add(rows: Uint32Array, spellings: readonly Group[]): void {
    const { key } = spellings.reduce((best, each) => (each.to - each.from > best.to - best.from ? each : best));
    this.#keys.word(key);
    this.#differences.clear();
    let last = 0;
    for (const row of rows) {
      this.#differences.number(row - last);
      last = row;
    }
    const isBitmap = this.#differences.length > Math.ceil(this.#rowCount / 8);
    this.#rows.append(isBitmap ? this.#bitmap(rows) : this.#differences.written());
    if (this.#rows.length > MAX_BYTES)
      throw new RangeError("the index of a field has more than 2 GiB; import fewer feeds into one file");
    this.#ends.word(this.#rows.length * 2 + (isBitmap ? 1 : 0));
  }

  stored(): StoredPostings {
    const [keys, ends, rows] = [this.#keys, this.#ends, this.#rows].map((writer) => writer.written().slice());
    return { keys: keys!, ends: ends!, rows: rows! };
  }

  #bitmap(rows: Uint32Array): Uint8Array {
    const bits = new Uint8Array(Math.ceil(this.#rowCount / 8));
    for (const row of rows) bits[row >>> 3]! |= 1 << (row & 7);
    return bits;
  }
}
