import { GrowingWords } from "../../table/growing-words.ts";
import { ByteWriter } from "../_bytes.ts";
import type { CtiDataset } from "../dataset.ts";
import { type CtiRecord, FIELDS, isTextField } from "../fields.ts";
import { folded, SEARCH_FIELDS, type SearchField } from "./search-fields.ts";
import type { StoredIndex, StoredPostings } from "./stored-index.ts";
import { RowBits } from "./_row-bits.ts";
import { sorting } from "./_sorting.ts";

/** Documents or values between two interruptions, or pairs of both: less than a millisecond. */
const STEP = 128;
const STEP_PAIRS = 1 << 14;
/** Offsets are stored with one more bit. */
const MAX_BYTES = 2 ** 31 - 1;

/** A value of a field and a document that has it, for each pair; documents ascend. */
interface Pairs {
  readonly keys: GrowingWords;
  readonly documents: GrowingWords;
}

/**
 * Builds the index of a dataset, the same for the same contents. O(pairs of values and documents), and O(n log n) for texts;
 * some ten seconds for a million documents.
 * @throws CtiError for a corrupt dataset @throws RangeError if it is too large
 */
export function* buildingIndex(dataset: CtiDataset): Generator<undefined, StoredIndex, undefined> {
  const pairs = new Map(
    SEARCH_FIELDS.flatMap(({ member }) => (member === null ? [] : [[member, newPairs()] as const])),
  );
  const ofFields = FIELDS.map(({ member }) => pairs.get(member));
  const classification = pairs.get("classification")!;
  for (let document = 0; document < dataset.documentCount; document++) {
    const before = classification.documents.length;
    dataset.eachStoredValue(document, (field, value) => {
      const of = ofFields[field];
      of?.keys.push(value);
      of?.documents.push(document);
    });
    // "unknown" is not stored, and a classification like the others.
    if (classification.documents.length === before) {
      classification.keys.push(0);
      classification.documents.push(document);
    }
    if (document % STEP === 0) yield;
  }
  const fields: Partial<Record<keyof CtiRecord, StoredPostings>> = {};
  for (const field of SEARCH_FIELDS) {
    if (field.member === null) continue;
    const of = pairs.get(field.member)!;
    // So that the pairs of one field need not be kept while others are sorted.
    pairs.delete(field.member);
    fields[field.member] = yield* postingsOf(dataset, field, of);
  }
  return { format: 1, fields };
}

function newPairs(): Pairs {
  return { keys: new GrowingWords(0), documents: new GrowingWords(0) };
}

/** The documents of each value, in the order of values. */
function* postingsOf(
  dataset: CtiDataset,
  field: SearchField,
  pairs: Pairs,
): Generator<undefined, StoredPostings, undefined> {
  const keys = pairs.keys.unsigned();
  const documents = pairs.documents.unsigned();
  const order = yield* sorting(keys.length, (a, b) => keys[a]! - keys[b]!);
  const groups: Group[] = [];
  for (let from = 0; from < order.length;) {
    const key = keys[order[from]!]!;
    let to = from + 1;
    for (; to < order.length && keys[order[to]!] === key; to++) if (to % STEP_PAIRS === 0) yield;
    groups.push({ key, from, to });
    from = to;
    if (groups.length % STEP === 0) yield;
  }
  const writer = new PostingsWriter(dataset.documentCount);
  const merged = isTextField(field.member!)
    ? yield* mergingTexts(dataset, field, groups)
    : groups.map((group) => [group]);
  for (const [index, spellings] of merged.entries()) {
    yield* writer.adding(yield* documentsOf(spellings, order, documents, dataset.documentCount), spellings);
    if (index % STEP === 0) yield;
  }
  return writer.stored();
}

interface Group {
  /** A number, or the number of a text. */
  readonly key: number;
  /** Where its documents are in the order. */
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

/** The documents of all spellings of a value, ascending. */
function* documentsOf(
  groups: readonly Group[],
  order: Uint32Array,
  documents: Uint32Array,
  documentCount: number,
): Generator<undefined, Uint32Array, undefined> {
  const found = new Uint32Array(groups.reduce((sum, { from, to }) => sum + to - from, 0));
  let count = 0;
  for (const { from, to } of groups)
    for (let at = from; at < to; at++) {
      found[count++] = documents[order[at]!]!;
      if (count % STEP_PAIRS === 0) yield;
    }
  if (groups.length === 1) return found;
  // A document may have several spellings.
  const bits = new RowBits(documentCount);
  for (let at = 0; at < count; at++) {
    bits.add(found[at]!);
    if (at % STEP_PAIRS === 0) yield;
  }
  let distinct = 0;
  for (const document of bits.rows()) {
    found[distinct++] = document;
    if (distinct % STEP_PAIRS === 0) yield;
  }
  return found.subarray(0, distinct);
}

class PostingsWriter {
  readonly #count: number;
  readonly #keys = new ByteWriter();
  readonly #ends = new ByteWriter();
  readonly #documents = new ByteWriter();
  readonly #differences = new ByteWriter();

  constructor(count: number) {
    this.#count = count;
  }

  /** The documents of a value, ascending; its name is its most frequent spelling, and of equally frequent ones the first. */
  *adding(documents: Uint32Array, spellings: readonly Group[]): Generator<undefined, void, undefined> {
    const { key } = spellings.reduce((best, each) => (each.to - each.from > best.to - best.from ? each : best));
    this.#keys.word(key);
    this.#differences.clear();
    let last = 0;
    for (let at = 0; at < documents.length; at++) {
      this.#differences.number(documents[at]! - last);
      last = documents[at]!;
      if (at % STEP_PAIRS === STEP_PAIRS - 1) yield;
    }
    const isBitmap = this.#differences.length > Math.ceil(this.#count / 8);
    this.#documents.append(isBitmap ? yield* this.#bitmap(documents) : this.#differences.written());
    if (this.#documents.length > MAX_BYTES)
      throw new RangeError("the index of a field has more than 2 GiB; import fewer feeds into one file");
    this.#ends.word(this.#documents.length * 2 + (isBitmap ? 1 : 0));
  }

  stored(): StoredPostings {
    const [keys, ends, documents] = [this.#keys, this.#ends, this.#documents].map((writer) => writer.written().slice());
    return { keys: keys!, ends: ends!, documents: documents! };
  }

  *#bitmap(documents: Uint32Array): Generator<undefined, Uint8Array, undefined> {
    const bits = new Uint8Array(Math.ceil(this.#count / 8));
    for (let at = 0; at < documents.length; at++) {
      bits[documents[at]! >>> 3]! |= 1 << (documents[at]! & 7);
      if (at % STEP_PAIRS === STEP_PAIRS - 1) yield;
    }
    return bits;
  }
}
