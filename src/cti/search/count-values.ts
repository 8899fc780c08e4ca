import { dateText, LAST_DAY } from "../_field-kinds.ts";
import { CLASSIFICATIONS, type CtiRecord, isTextField } from "../fields.ts";
import type { RowBits } from "./_row-bits.ts";
import { rangeOf, type SearchSources } from "./find-rows.ts";
import { isSupplied, type NetworkSupply } from "./network-supply.ts";
import { badIndex, firstOf, type IndexedField } from "./search-index.ts";
import { folded, type SearchField } from "./search-fields.ts";

/** A value of a field, and how many of the documents have it. */
export interface ValueCount {
  readonly value: string | number | boolean;
  readonly count: number;
}

/** What the documents say in a field. */
export interface FieldValues {
  /** The most frequent first; of equally frequent ones in their own order. */
  readonly values: readonly ValueCount[];
  /** How many there are in all. */
  readonly distinct: number;
}

/** Values between two interruptions: less than a millisecond. */
const STEP = 4096;

/**
 * The most frequent values of a field in some rows, with the number of rows that have each; texts that differ in case
 * only are one where the field ignores case. O(values of the field and their rows)
 * @throws CtiError for a corrupt file
 */
export function* countingValues(
  sources: SearchSources,
  rows: RowBits,
  field: SearchField,
  limit: number,
): Generator<undefined, FieldValues, undefined> {
  if (field.name === "seen") {
    const count = rows.size();
    return { values: count === 0 ? [] : [{ value: true, count }], distinct: count === 0 ? 0 : 1 };
  }
  const { member } = field;
  if (member === null) return { values: [], distinct: 0 };
  const values = sources.index.field(member);
  const counts = new Uint32Array(values.count);
  const { isOneToOne } = sources.index.rows;
  const ofDocuments = isOneToOne ? null : yield* sources.index.rows.counting(rows);
  yield* values.reading(0, values.count, (i) => {
    counts[i] = ofDocuments === null ? values.countDocuments(i, rows) : values.sumOf(i, ofDocuments);
  });
  const { networks } = sources;
  const others =
    networks === null || !isSupplied(member)
      ? []
      : yield* addingSupplied(sources, networks, rows, field, values, counts);
  const top = new Top(limit);
  for (let i = 0; i < counts.length; i++) {
    // Later values come after earlier ones that are as frequent.
    if (counts[i]! > 0) top.add(counts[i]!, () => shownValue(sources, field, values.keyAt(i)), false);
    if (i % STEP === 0) yield;
  }
  for (const { value, count } of others) top.add(count, () => value, true);
  return { values: top.values, distinct: top.distinct };
}

/** The most frequent values so far. */
class Top {
  readonly values: ValueCount[] = [];
  distinct = 0;
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** `mayPrecede`: it can come before others that are as frequent. */
  add(count: number, valueOf: () => ValueCount["value"], mayPrecede: boolean): void {
    this.distinct++;
    const last = this.values.at(-1);
    const isFull = this.values.length === this.#limit;
    if (isFull && last !== undefined && (count < last.count || (count === last.count && !mayPrecede))) return;
    const value = valueOf();
    let at = this.values.length;
    for (; at > 0; at--) {
      const before = this.values[at - 1]!;
      if (before.count > count || (before.count === count && !(mayPrecede && value < before.value))) break;
    }
    this.values.splice(at, 0, { value, count });
    if (this.values.length > this.#limit) this.values.pop();
  }
}

/** Adds what networks supply to the counts of values that documents have too, and returns the others. */
function* addingSupplied(
  { index }: SearchSources,
  networks: NetworkSupply,
  rows: RowBits,
  field: SearchField,
  values: IndexedField,
  counts: Uint32Array,
): Generator<undefined, readonly ValueCount[], undefined> {
  const others: ValueCount[] = [];
  for (const { value, count } of yield* networks.counting(field, rows)) {
    const [from, to] =
      typeof value === "number"
        ? [
            firstOf(values.count, (i) => values.keyAt(i) >= value),
            firstOf(values.count, (i) => values.keyAt(i) > value),
          ]
        : rangeOf(index, values, field, folded(value, field), "is");
    if (from < to) counts[from]! += count;
    else others.push({ value, count });
    yield;
  }
  return others;
}

function shownValue({ index }: SearchSources, field: SearchField, key: number): ValueCount["value"] {
  const member: keyof CtiRecord = field.member!;
  if (member === "classification") return CLASSIFICATIONS[key] ?? "unknown";
  if (isTextField(member)) return index.dataset.textAt(key);
  if (field.type === "bool") return key === 1;
  if (field.type !== "date") return key;
  if (key > LAST_DAY) throw badIndex(`${field.name} has day ${key}, which is no date`);
  return dateText(key);
}
