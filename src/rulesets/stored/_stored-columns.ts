import { addressBits, type Family, type Prefix } from "../../address/address.ts";
import type { MatchId } from "../../table/match-id.ts";
import type { PrefixTable } from "../../table/prefix-table.ts";
import { inPieces } from "../index/_column.ts";
import { type FileColumns, maskOf, PERMANENT, RuleSlots, type WriteTimes } from "../index/_rule-slots.ts";
import { array, badMetadata, badRules, bytesOf, type Numbers, type RulesetMetadata } from "./_stored-metadata.ts";
import type { PackedNames } from "../rule-names.ts";
import { LAST_TIME } from "../timestamp.ts";
import { CONTROL, MAX_NAME_LENGTH } from "../validate-rule.ts";

// Opening a million rules consists mostly of these loops: each does one thing, over one array.
//
//     number   1 ... count4 | count4 + 1 ... count     rules in the order of their prefixes, IPv4 first; 0 is none.
//                           |                          The match of a rule, its value and its number are the same.
//     slot     1 ... count4 | 1 ... count6             of a family: the number less `first`, which is 0 or count4
//
// A file can come from anyone, so each column is checked before it is relied on: lengths, canonical prefixes in order,
// that the table has just these prefixes, numbers that name something that is there.

/** The slots of the rules of one family, the `first` of all rules being the one before them. @throws RulesetError */
export function readSlots(
  family: Family,
  stored: RulesetMetadata,
  table: PrefixTable,
  { first, expiresAt, names, guard }: SharedColumns,
): RuleSlots {
  const count = table.prefixCount(family);
  const all = table.matchCount;
  const width = family === 4 ? 1 : 4;
  const words = bytesOf(`words${family}`, stored[`words${family}`], 4 * width * count);
  const file: FileColumns = {
    count,
    keys: () => guarded(readKeys(family, words, table, first), guard),
    lengths: lengthsIn(table).subarray(first, first + 1 + count),
    expiresAt: expiresAt?.subarray(first, first + 1 + count) ?? new Float64Array(count + 1).fill(PERMANENT),
    created: () => guard(() => readTimes(stored.times, "created", all, first)),
    updated: () => guard(() => readTimes(stored.times, "updated", all, first)),
    names: () => {
      const { numbers, ...texts } = names();
      return { ...texts, numbers: numbers.subarray(first, first + count) };
    },
  };
  return RuleSlots.of(family, file);
}

/** The prefix of one rule, by its number among all; its host bits are not checked. @throws RulesetError */
export function readPrefix(stored: RulesetMetadata, table: PrefixTable, number: number): Prefix {
  const count4 = table.prefixCount(4);
  const family: Family = number <= count4 ? 4 : 6;
  const width = family === 4 ? 1 : 4;
  const words = bytesOf(`words${family}`, stored[`words${family}`], 4 * width * table.prefixCount(family));
  const length = table.prefixLength(number as MatchId);
  if (length > addressBits(family))
    throw badRules("matchLength", `rule ${number} of IPv${family} has the length ${length}`);
  const view = new DataView(words.buffer, words.byteOffset, words.byteLength);
  const first = (family === 4 ? number - 1 : number - count4 - 1) * width;
  const word = (at: number): number => (at < width ? view.getUint32(4 * (first + at), true) : 0);
  return { family, w0: word(0), w1: word(1), w2: word(2), w3: word(3), length };
}

/** The columns that both families share. */
interface SharedColumns {
  readonly first: number;
  readonly expiresAt: Float64Array | undefined;
  names(): PackedNames;
  readonly guard: Guard;
}

/** Runs code that reads a file later on, and makes its errors name the file. */
export type Guard = <Result>(read: () => Result) => Result;

function* guarded<Result>(
  work: Generator<undefined, Result, undefined>,
  guard: Guard,
): Generator<undefined, Result, undefined> {
  for (;;) {
    const { done, value } = guard(() => work.next());
    if (done === true) return value;
    yield;
  }
}

/** The keys from slot 0 on, whose key has no meaning. */
function* readKeys(
  family: Family,
  words: Uint8Array,
  table: PrefixTable,
  first: number,
): Generator<undefined, Uint32Array, undefined> {
  const count = table.prefixCount(family);
  const width = family === 4 ? 1 : 4;
  const keys = new Uint32Array((count + 1) * width);
  new Uint8Array(keys.buffer).set(words, 4 * width);
  const lengths = lengthsIn(table).subarray(first, first + 1 + count);
  yield* inPieces(1, count + 1, (from, to) => checkValues(table, first + from, first + to));
  yield* inPieces(1, count + 1, (from, to) => checkLengths(family, lengths, from, to));
  const checkOrder = family === 4 ? checkOrder4 : checkOrder6;
  yield* inPieces(1, count + 1, (from, to) => checkOrder(keys, lengths, from, to));
  yield* checkMatches(family, keys, table, first);
  return keys;
}

/** Rules that are looked up between two interruptions. */
const STEP = 1 << 14;

/**
 * Checks that the table decides by the prefixes in the columns: the match of the first address of each rule is that
 * rule, or lies in it. So the table has every rule of the columns, each under its own prefix. Parents are smaller than
 * their children, and the rule itself is one of those of its first address, so the loop ends at it.
 */
function* checkMatches(
  family: Family,
  keys: Uint32Array,
  table: PrefixTable,
  first: number,
): Generator<undefined, void, undefined> {
  const width = family === 4 ? 1 : 4;
  const { byteOffset, byteLength } = table.sections.matchParent;
  const parents = new Int32Array(table.buffer, byteOffset, byteLength / 4);
  const found = new Uint32Array(STEP);
  for (let slot = 1, end = keys.length / width; slot < end; slot += STEP) {
    const count = Math.min(STEP, end - slot);
    table.lookupBatchInto(family, keys.subarray(slot * width, (slot + count) * width), found, count);
    for (let at = 0; at < count; at++) {
      const rule = first + slot + at;
      let match = found[at]!;
      // Where nothing is nested, the section is empty: undefined | 0 is 0.
      while (match > rule) match = parents[match]! | 0;
      if (match !== rule) throw badRules(`words${family}`, `rule ${slot + at} has another prefix than in the table`);
    }
    yield;
  }
}

/** Checks that rule n has value n. */
function checkValues(table: PrefixTable, from: number, to: number): void {
  const { byteOffset, byteLength } = table.sections.matchValue;
  const values = new Int32Array(table.buffer, byteOffset, byteLength / 4);
  for (let match = from; match < to; match++)
    if (values[match] !== match) throw badRules("matchValue", `rule ${match} has the number ${values[match]}`);
}

function checkLengths(family: Family, lengths: Uint8Array, from: number, to: number): void {
  const bits = addressBits(family);
  for (let slot = from; slot < to; slot++)
    if (lengths[slot]! > bits)
      throw badRules("matchLength", `rule ${slot} of IPv${family} has the length ${lengths[slot]}`);
}

/**
 * Checks that each rule has a match of its own, whose parent is a match of the same family with a smaller number and a
 * shorter prefix. @throws RulesetError
 */
export function checkParents(table: PrefixTable): void {
  const [count4, count] = [table.prefixCount(4), table.prefixCount(4) + table.prefixCount(6)];
  if (table.matchCount !== count) throw badRules("header", `${table.matchCount} matches for ${count} rules`);
  const { byteOffset, byteLength } = table.sections.matchParent;
  const parents = new Int32Array(table.buffer, byteOffset, byteLength / 4);
  const lengths = lengthsIn(table);
  // Where nothing is nested, the section is empty.
  for (let match = 1; match < parents.length; match++) {
    const parent = parents[match]!;
    if (parent === 0) continue;
    const isOlder = parent > 0 && parent < match && parent > (match <= count4 ? 0 : count4);
    if (!isOlder || lengths[parent]! >= lengths[match]!)
      throw badRules("matchParent", `rule ${match} lies in rule ${parent}, which is not before and around it`);
  }
}

/** The expiries by number; undefined if no rule expires. @throws RulesetError */
export function readExpiries(table: PrefixTable): Float64Array | undefined {
  const { byteOffset, byteLength } = table.sections.expiresAt;
  if (byteLength === 0) return undefined;
  const expiresAt = new Float64Array(table.buffer, byteOffset, byteLength / 8);
  const count = table.matchCount;
  // The index of the wrong expiry is looked for only if there is one.
  let right = 0;
  for (let number = 1; number <= count; number++) right += isExpiry(expiresAt[number]!);
  const wrong = right === count ? 0 : expiresAt.findIndex((time, number) => number > 0 && isExpiry(time) === 0);
  if (wrong > 0)
    throw badRules("expiresAt", `rule ${wrong} expires at ${expiresAt[wrong]}, which is no time from 1970 to 9999`);
  return expiresAt;
}

/** 1 for an expiry, 0 for another number. Without a branch, which half of all rules would take. NaN is not at least 0. */
function isExpiry(time: number): number {
  return +(time >= 0) & (+(time <= LAST_TIME) | +(time === PERMANENT));
}

/** Writes times by slot, slot 1 being the rule after the first `first` rules. @throws RulesetError */
function readTimes(
  times: RulesetMetadata["times"],
  which: "created" | "updated",
  count: number,
  first: number,
): WriteTimes {
  const moments = array(Float64Array, "times", times.moments, undefined);
  for (let at = 0; at < moments.length; at++) {
    if (!Number.isFinite(moments[at]) || (at > 0 && moments[at]! <= moments[at - 1]!))
      throw badRules("times", `moment ${at} is ${moments[at]}, which does not follow the one before`);
  }
  if (moments.length === 0 && count > 0) throw badRules("times", "there is no moment");
  const size = moments.length > 1 ? count : 0;
  const numbers = narrow("times", times[which], moments.length, size);
  for (let at = 0; at < numbers.length; at++)
    if (numbers[at]! >= moments.length) throw badRules("times", `rule ${at + 1} names moment ${numbers[at]}`);
  return (column, from, to) => {
    if (size === 0) return void column.fill(moments[0] ?? 0, from, to);
    for (let slot = from; slot < to; slot++) column[slot] = moments[numbers[first + slot - 1]!]!;
  };
}

/** The array whose elements hold the numbers below `count`. */
export function numbersOf(count: number): Uint8ArrayConstructor | Uint16ArrayConstructor | Uint32ArrayConstructor {
  return count <= 0x100 ? Uint8Array : count <= 0x1_0000 ? Uint16Array : Uint32Array;
}

/** `size` numbers below `below`, in as few bytes each as hold them. @throws RulesetError */
function narrow(member: string, bytes: unknown, below: number, size: number): Uint8Array | Uint16Array | Uint32Array {
  const type = numbersOf(below) as Numbers<Uint8Array | Uint16Array | Uint32Array>;
  return array<Uint8Array | Uint16Array | Uint32Array>(type, member, bytes, size);
}

/** @throws RulesetError */
export function readNames({ text, ends, numbers }: RulesetMetadata["names"], count: number): PackedNames {
  if (!(text instanceof Uint8Array)) throw badMetadata("names", "its text is not bytes");
  const distinct = array(Uint32Array, "names", ends, undefined);
  const stored = narrow("names", numbers, distinct.length + 1, distinct.length === 0 ? 0 : count);
  const names = {
    text: new Uint8Array(text), // a copy: browsers do not decode shared memory
    ends: distinct,
    numbers: distinct.length === 0 ? new Uint8Array(count) : stored,
  };
  for (let at = 1; at < names.ends.length; at++)
    if (names.ends[at]! < names.ends[at - 1]!) throw badRules("names", `name ${at + 1} ends before it begins`);
  for (let at = 0; at < count; at++)
    if (names.numbers[at]! > names.ends.length) throw badRules("names", `rule ${at + 1} has a name that is not there`);
  if (unitsIn(names.text) !== (names.ends.at(-1) ?? 0)) throw badRules("names", "they do not end where the text does");
  checkLongest(names.ends);
  return names;
}

/** @throws RulesetError */
function checkLongest(ends: Uint32Array): void {
  for (let at = 0; at < ends.length; at++) {
    const length = ends[at]! - (ends[at - 1] ?? 0);
    if (length > MAX_NAME_LENGTH)
      throw badRules("names", `name ${at + 1} has ${length} characters; at most ${MAX_NAME_LENGTH} are allowed`);
  }
}

/**
 * The UTF-16 code units of a text of names, which must not contain line breaks, because lists are written with them.
 * Most is ASCII, which need not be decoded.
 */
function unitsIn(text: Uint8Array): number {
  let bits = 0;
  // Negative once there was a control character of ASCII: below a space, or DEL.
  let controls = 0;
  for (let at = 0; at < text.length; at++) {
    const byte = text[at]!;
    bits |= byte;
    // Each term is negative for one kind of control character: below 0x20, and 0x7f, whose difference to itself is 0.
    controls |= (byte - 0x20) | ((byte ^ 0x7f) - 1);
  }
  if (bits < 0x80 && controls >= 0) return text.length;
  const decoded = decodedNames(text);
  if (CONTROL.test(decoded)) throw badRules("names", "a name has a control character");
  return decoded.length;
}

function decodedNames(text: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(text);
  } catch {
    throw badRules("names", "their text is not UTF-8");
  }
}

/**
 * Checks that prefixes are canonical and in order: by address, then by length. No prefix comes twice, and a prefix
 * comes before all that lie in it.
 */
function checkOrder4(keys: Uint32Array, lengths: Uint8Array, from: number, to: number): void {
  let [keyBefore, lengthBefore] = from === 1 ? [0, -1] : [keys[from - 1]!, lengths[from - 1]!];
  for (let slot = from; slot < to; slot++) {
    const [key, length] = [keys[slot]!, lengths[slot]!];
    // A shift takes its count modulo 32: by 32, nothing is left to be a host bit.
    if (length < 32 && key << length !== 0) throw hasHostBits(4, slot);
    if (key < keyBefore || (key === keyBefore && length <= lengthBefore)) throw isOutOfOrder(4, slot);
    keyBefore = key;
    lengthBefore = length;
  }
}

function checkOrder6(keys: Uint32Array, lengths: Uint8Array, from: number, to: number): void {
  for (let slot = from; slot < to; slot++) {
    const [at, length] = [4 * slot, lengths[slot]!];
    let hostBits = 0;
    for (let word = 0; word < 4; word++) hostBits |= keys[at + word]! & ~maskOf(length - 32 * word);
    if (hostBits !== 0) throw hasHostBits(6, slot);
    // Of the first word that differs; unsigned words as doubles, so nothing overflows.
    const difference =
      keys[at]! - keys[at - 4]! ||
      keys[at + 1]! - keys[at - 3]! ||
      keys[at + 2]! - keys[at - 2]! ||
      keys[at + 3]! - keys[at - 1]! ||
      length - lengths[slot - 1]!;
    if (slot > 1 && difference <= 0) throw isOutOfOrder(6, slot);
  }
}

function hasHostBits(family: Family, slot: number): Error {
  return badRules(`words${family}`, `rule ${slot} has host bits`);
}

function isOutOfOrder(family: Family, slot: number): Error {
  return badRules(`words${family}`, `rule ${slot} does not follow the one before`);
}

function lengthsIn(table: PrefixTable): Uint8Array {
  const { byteOffset, byteLength } = table.sections.matchLength;
  return new Uint8Array(table.buffer, byteOffset, byteLength);
}
