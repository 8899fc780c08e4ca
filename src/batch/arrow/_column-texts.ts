import { type Data, DataType, type Dictionary, type LargeUtf8, type Utf8, Vector } from "apache-arrow";

/** Texts one after the other: text i is `bytes[offsets[i], offsets[i + 1])`. */
interface Texts {
  readonly bytes: Uint8Array;
  readonly offsets: Int32Array | BigInt64Array;
}

/** The texts of a column of a batch. */
export interface ColumnTexts extends Texts {
  /** The number of a row's text; -1: the row has none. */
  textOf(row: number): number;
}

/** Whether `columnTexts` reads a column of this type: strings in any layout, or nothing at all. */
export function hasTexts(type: DataType): boolean {
  if (DataType.isDictionary(type)) return hasTexts(type.dictionary);
  return DataType.isUtf8(type) || DataType.isLargeUtf8(type) || DataType.isUtf8View(type) || DataType.isNull(type);
}

/** @throws RangeError for a column with less data than rows */
export function columnTexts(column: Data): ColumnTexts {
  checkLength(column);
  if (DataType.isNull(column.type)) return { ...NO_TEXTS, textOf: () => -1 };
  const hasNulls = column.nullCount !== 0;
  if (DataType.isDictionary(column.type)) {
    const { values, dictionary } = column as Data<Dictionary>;
    const { texts, missing } = dictionaryTexts(dictionary!);
    const indexOf = (row: number): number => {
      const index = Number(values[row]);
      return missing.has(index) ? -1 : index;
    };
    return { ...texts, textOf: hasNulls ? (row) => (column.getValid(row) ? indexOf(row) : -1) : indexOf };
  }
  return { ...textsOf(column), textOf: hasNulls ? (row) => (column.getValid(row) ? row : -1) : (row) => row };
}

/** The length comes from the stream, and memory is taken by it. */
function checkLength({ type, length, values, valueOffsets }: Data): void {
  if (DataType.isNull(type) || DataType.isUtf8View(type) || length === 0) return;
  const available = DataType.isDictionary(type) ? values.length : valueOffsets.length - 1;
  if (length > available) throw new RangeError(`a column has data for ${available} of its ${length} rows`);
}

const NO_TEXTS: Texts = { bytes: new Uint8Array(0), offsets: new Int32Array(1) };

function textsOf(column: Data): Texts {
  if (!DataType.isUtf8(column.type) && !DataType.isLargeUtf8(column.type)) return packed([...new Vector([column])]);
  const { values, valueOffsets } = column as Data<Utf8 | LargeUtf8>;
  return column.length === 0 ? NO_TEXTS : { bytes: values, offsets: valueOffsets };
}

interface DictionaryTexts {
  readonly texts: Texts;
  /** The numbers of nulls among the texts. */
  readonly missing: ReadonlySet<number>;
}

/** Batches share a dictionary until the stream has another one. */
const dictionaries = new WeakMap<Vector, DictionaryTexts>();

function dictionaryTexts(dictionary: Vector): DictionaryTexts {
  let found = dictionaries.get(dictionary);
  if (found === undefined) {
    const texts = [...dictionary] as (string | null)[];
    found = { texts: packed(texts), missing: new Set(texts.flatMap((text, index) => (text === null ? index : []))) };
    dictionaries.set(dictionary, found);
  }
  return found;
}

function packed(texts: readonly (string | null)[]): Texts {
  const parts = texts.map((text) => Buffer.from(text ?? ""));
  const offsets = new BigInt64Array(parts.length + 1);
  for (const [index, { length }] of parts.entries()) offsets[index + 1] = offsets[index]! + BigInt(length);
  return { bytes: Buffer.concat(parts), offsets };
}
