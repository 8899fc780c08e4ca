import { SortedFreezer } from "../../table/sorted-freezer.ts";
import { sorted } from "../index/_expiry-counts.ts";
import type { FamilyMoment } from "../index/_family-rules.ts";
import { NamePacker } from "../index/_name-packer.ts";
import { PERMANENT } from "../index/_rule-slots.ts";
import { numbersOf } from "./_stored-columns.ts";
import type { RulesetMetadata, StoredAbout, StoredRuleset } from "./_stored-metadata.ts";

/** Rules processed between two pauses. */
const STEP = 1 << 12;
/** Numbers copied between two pauses. */
const WIDE_STEP = 1 << 16;

/** The columns of all rules, by number minus 1; expiries by number. */
interface Columns {
  readonly expiresAt: Float64Array;
  readonly createdAt: Float64Array;
  readonly updatedAt: Float64Array;
  readonly nameNumbers: Uint32Array;
  readonly names: NamePacker;
  readonly freezer: SortedFreezer;
}

/** The contents of a file with the rules of both families at their moments. In steps of about a millisecond at most. */
export function* storing(
  families: readonly [FamilyMoment, FamilyMoment],
  about: StoredAbout,
): Generator<undefined, StoredRuleset, undefined> {
  const [count4, count6] = [families[0].count, families[1].count];
  const columns: Columns = {
    expiresAt: new Float64Array(count4 + count6 + 1),
    createdAt: new Float64Array(count4 + count6),
    updatedAt: new Float64Array(count4 + count6),
    nameNumbers: new Uint32Array(count4 + count6),
    names: new NamePacker(),
    freezer: new SortedFreezer(count4, count6),
  };
  const words4 = yield* addFamily(families[0], columns);
  const words6 = yield* addFamily(families[1], columns);
  const { expiresAt, createdAt, updatedAt, nameNumbers, names, freezer } = columns;
  const table = yield* freezer.freezing((yield* hasExpiry(expiresAt)) ? { expiresAt } : {});
  const times = yield* packTimes(createdAt, updatedAt);
  const { text, ends } = yield* names.packing();
  const metadata: RulesetMetadata = {
    format: 1,
    ...about,
    words4: bytesOf(words4),
    words6: bytesOf(words6),
    names: { text, ends: bytesOf(ends), numbers: yield* narrowed(nameNumbers, ends.length) },
    times,
  };
  return { table, metadata };
}

/**
 * Adds the rules of a family to the columns, and returns their words. Rules may change in between: what a write overwrote
 * since the moment began, the moment has kept, and everything else is still in the slots, so the columns are those of the
 * moment. A rule's number is its place in the order of prefixes, IPv4 first, which is also its match in the table.
 */
function* addFamily(
  { family, count, slots: moment, order }: FamilyMoment,
  { expiresAt, createdAt, updatedAt, nameNumbers, names, freezer }: Columns,
): Generator<undefined, Uint32Array, undefined> {
  const width = family === 4 ? 1 : 4;
  const words = new Uint32Array(count * width);
  const ordered = yield* order;
  for (let at = 0; at < ordered.length; at++) {
    if (at % STEP === 0) yield;
    const slot = ordered[at]!;
    const { slots } = moment; // its arrays may have been replaced during an interruption
    const kept = moment.kept(slot);
    const word = at * width;
    for (let w = 0; w < width; w++) words[word + w] = kept?.key[w] ?? slots.keys[slot * width + w]!;
    const length = kept?.length ?? slots.lengths[slot]!;
    const number = freezer.count + 1;
    if (width === 1) freezer.add(4, words[word]!, 0, 0, 0, length, number);
    else freezer.add(6, words[word]!, words[word + 1]!, words[word + 2]!, words[word + 3]!, length, number);
    expiresAt[number] = kept?.expiresAt ?? slots.expiresAt[slot]!;
    createdAt[number - 1] = kept?.createdAt ?? slots.createdAt[slot]!;
    updatedAt[number - 1] = kept?.updatedAt ?? slots.updatedAt[slot]!;
    nameNumbers[number - 1] = names.numberOf(kept === undefined ? slots.names.get(slot) : kept.name);
  }
  return words;
}

function* hasExpiry(expiresAt: Float64Array): Generator<undefined, boolean, undefined> {
  for (let number = 1; number < expiresAt.length; number++) {
    if (number % STEP === 0) yield;
    if (expiresAt[number] !== PERMANENT) return true;
  }
  return false;
}

function* packTimes(
  createdAt: Float64Array,
  updatedAt: Float64Array,
): Generator<undefined, RulesetMetadata["times"], undefined> {
  const indexes = new Map<number, number>();
  for (const times of [createdAt, updatedAt])
    for (let at = 0; at < times.length; at++) {
      indexes.set(times[at]!, 0);
      if (at % STEP === 0) yield;
    }
  const moments = yield* sorted(Float64Array.from(indexes.keys()));
  for (let at = 0; at < moments.length; at++) {
    indexes.set(moments[at]!, at);
    if (at % STEP === 0) yield;
  }
  const created = yield* numbered(createdAt, indexes);
  const updated = yield* numbered(updatedAt, indexes);
  return { moments: bytesOf(moments), created, updated };
}

/** The number of each time; empty if all times are the same. */
function* numbered(
  times: Float64Array,
  indexes: ReadonlyMap<number, number>,
): Generator<undefined, Uint8Array, undefined> {
  const numbers = new (numbersOf(indexes.size))(indexes.size > 1 ? times.length : 0);
  for (let at = 0; at < numbers.length; at++) {
    numbers[at] = indexes.get(times[at]!)!;
    if (at % STEP === 0) yield;
  }
  return bytesOf(numbers);
}

/** Numbers up to `most` in as few bytes as possible; empty if all are 0. */
function* narrowed(wide: Uint32Array, most: number): Generator<undefined, Uint8Array, undefined> {
  const numbers = new (numbersOf(most + 1))(most === 0 ? 0 : wide.length);
  for (let at = 0; at < numbers.length; at += WIDE_STEP) {
    numbers.set(wide.subarray(at, at + WIDE_STEP), at);
    yield;
  }
  return bytesOf(numbers);
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
