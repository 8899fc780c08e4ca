import { addressBits, type Family } from "../address/address.ts";
import { comparePrefixes, formatPrefix } from "../address/prefix.ts";
import type { PrefixTable } from "../table/prefix-table.ts";
import { SortedFreezer } from "../table/sorted-freezer.ts";
import { FamilyRules } from "./_family-rules.ts";
import { addTo, FrozenRules } from "./_frozen-rules.ts";
import { RuleDecider } from "./_rule-decider.ts";
import { maskOf, NO_RULE_HERE, PERMANENT, RuleSlots } from "./_rule-slots.ts";
import { partsOf, RuleIndex } from "./rule-index.ts";
import { namesOf, type PackedNames, packNames } from "./rule-names.ts";
import { indexOf, PURPOSES, type Purpose, restored, type Ruleset } from "./ruleset.ts";
import { RulesetError } from "./ruleset-error.ts";
import { LAST_TIME } from "./timestamp.ts";
import { checkRuleName } from "./validate-rule.ts";

/** The kind of a snapshot that holds a ruleset. */
export const RULESET_KIND = "ruleset";

/** Rules that are looked at between two interruptions. */
const STEP = 1 << 12;

/**
 * What a snapshot of the kind "ruleset" holds beside its table. Rules are numbered in the order of prefixes, IPv4 first,
 * from 1 on; a rule's number is its match id in the table, and its value id. The table says its length and expiry:
 *
 *     table      matchLength[n], expiresAt[n] (no section: none expires), matchParent[n]
 *     columns    words of the prefix; number of the name; numbers of the moments of creation and update
 *
 * Columns are arrays of little-endian numbers, without an element for 0.
 */
export interface RulesetMetadata {
  readonly format: 1;
  readonly name: string;
  readonly purpose: Purpose;
  /** See `PrefixPolicy`. */
  readonly allowSpecialPurpose: boolean;
  /** See `Ruleset.sequence`. */
  readonly sequence: number;
  /** The words of the prefixes: one (IPv4) or four (IPv6) of 32 bits a rule. */
  readonly words4: Uint8Array;
  readonly words6: Uint8Array;
  /** See `PackedNames`; `numbers` is empty where no rule has a name. */
  readonly names: { readonly text: Uint8Array; readonly ends: Uint8Array; readonly numbers: Uint8Array };
  /**
   * The distinct moments of creation and update, ascending, in milliseconds since 1970 (64-bit floats); and which of
   * them each rule has, from 0, in as few bytes as hold them: none for one moment, else 1, 2 or 4.
   */
  readonly times: { readonly moments: Uint8Array; readonly created: Uint8Array; readonly updated: Uint8Array };
}

/** What a snapshot of a ruleset is written of. */
export interface StoredRuleset {
  readonly table: PrefixTable;
  readonly metadata: RulesetMetadata;
}

/** What to store of a ruleset, as it is at the call. In steps, between which it may be written to: they work on a copy. */
export function storingRuleset(ruleset: Ruleset): Generator<undefined, StoredRuleset, undefined> {
  const { name, purpose, allowSpecialPurpose, sequence } = ruleset;
  return storing(indexOf(ruleset).copy(), { format: 1, name, purpose, allowSpecialPurpose, sequence });
}

type About = Pick<RulesetMetadata, "format" | "name" | "purpose" | "allowSpecialPurpose" | "sequence">;

function* storing(index: RuleIndex, about: About): Generator<undefined, StoredRuleset, undefined> {
  const families = partsOf(index);
  const count = index.count;
  const freezer = new SortedFreezer(families[0].count, families[1].count);
  const [expiresAt, createdAt, updatedAt] = [
    new Float64Array(count + 1),
    new Float64Array(count),
    new Float64Array(count),
  ];
  const words = { 4: new Uint32Array(families[0].count), 6: new Uint32Array(4 * families[1].count) };
  const names = new Array<string | null>(count);
  for (const { slots, decider } of families) {
    const order = yield* decider.orderedSlots();
    for (const [at, slot] of order.entries()) {
      if (at % STEP === 0) yield;
      const number = addTo(freezer, slots, slot, freezer.count + 1);
      words[slots.family].set(slots.keys.subarray(slot * slots.words, (slot + 1) * slots.words), at * slots.words);
      expiresAt[number] = slots.expiresAt[slot]!;
      createdAt[number - 1] = slots.createdAt[slot]!;
      updatedAt[number - 1] = slots.updatedAt[slot]!;
      names[number - 1] = slots.names.get(slot);
    }
  }
  const expires = expiresAt.some((time, number) => number > 0 && time !== PERMANENT);
  const table = yield* freezer.freezing(expires ? { expiresAt } : {});
  const { text, ends, numbers } = packNames(names);
  const metadata = {
    ...about,
    words4: bytesOf(words[4]),
    words6: bytesOf(words[6]),
    names: { text, ends: bytesOf(ends), numbers: ends.length === 0 ? new Uint8Array(0) : bytesOf(numbers) },
    times: timesOf(createdAt, updatedAt),
  };
  return { table, metadata };
}

function timesOf(createdAt: Float64Array, updatedAt: Float64Array): RulesetMetadata["times"] {
  const moments = Float64Array.from(new Set([...createdAt, ...updatedAt])).sort();
  const places = new Map(Array.from(moments, (moment, at) => [moment, at]));
  const column = (times: Float64Array): Uint8Array => {
    const numbers = new (numbersOf(moments.length))(moments.length > 1 ? times.length : 0);
    for (let at = 0; at < numbers.length; at++) numbers[at] = places.get(times[at]!)!;
    return bytesOf(numbers);
  };
  return { moments: bytesOf(moments), created: column(createdAt), updated: column(updatedAt) };
}

/** The array whose elements hold the numbers below `count`. */
function numbersOf(count: number): Uint8ArrayConstructor | Uint16ArrayConstructor | Uint32ArrayConstructor {
  return count <= 0x100 ? Uint8Array : count <= 0x1_0000 ? Uint16Array : Uint32Array;
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/**
 * The ruleset that was stored, which can be written to; it answers by the table at once. What is stored may come from a
 * file that anyone has written: all that the answers and the index rely on is checked. O(rules), nanoseconds each.
 * @throws RulesetError
 */
export function rulesetOf(metadata: unknown, table: PrefixTable): Ruleset {
  const stored = checkedMetadata(metadata);
  checkTable(table);
  const [count4, count6] = [table.prefixCount(4), table.prefixCount(6)];
  const times = readTimes(stored.times, count4 + count6);
  const names = readNames(stored.names, count4 + count6);
  const expiresAt = readExpiries(table);
  const parts = ([4, 6] as const).map((family) => {
    const [first, count] = family === 4 ? [0, count4] : [count4, count6];
    const words = array(Uint32Array, `words${family}`, stored[`words${family}`], count * (family === 4 ? 1 : 4));
    const slots = new RuleSlots(family, Math.max(16, count + 1));
    slots.keys.set(words, slots.words);
    slots.lengths.set(bytesIn(table, "matchLength").subarray(first + 1, first + 1 + count), 1);
    if (expiresAt === undefined) slots.expiresAt.fill(PERMANENT, 1, count + 1);
    else slots.expiresAt.set(expiresAt.subarray(first + 1, first + 1 + count), 1);
    times.created(slots.createdAt, first, count);
    times.updated(slots.updatedAt, first, count);
    slots.names.append({ ...names, numbers: names.numbers.subarray(first, first + count) });
    slots.end = count + 1;
    checkOrder(slots);
    return new FamilyRules(
      slots,
      (allRules) => new RuleDecider(slots, allRules, new FrozenRules(family, table, true, first)),
    );
  });
  return restored(stored, RuleIndex.of(parts[0]!, parts[1]!), stored.sequence);
}

/**
 * What `rulesetOf` leaves out, as answers do not rely on it: that the table has just the prefixes of the columns, and
 * that names are such as rules can have. For tables whose `checkStructure` has passed. O(rules). @throws RulesetError
 */
export function checkStoredRuleset(metadata: unknown, table: PrefixTable): void {
  const ruleset = rulesetOf(metadata, table);
  for (const [family, { slots }] of [4, 6].map(
    (family, at) => [family as Family, partsOf(indexOf(ruleset))[at]!] as const,
  )) {
    const first = family === 4 ? 0 : table.prefixCount(4);
    for (const { prefix, match } of table.entries(family)) {
      const slot = match - first;
      if (slot >= 1 && slot < slots.end && comparePrefixes(slots.prefixAt(slot), prefix) === 0) continue;
      throw badRules(`words${family}`, `the table has ${formatPrefix(prefix)} as number ${match}, and they do not`);
    }
  }
  for (const rule of ruleset) if (rule.name !== null) checkName(rule.name);
}

function checkName(name: string): void {
  try {
    checkRuleName(name);
  } catch (error) {
    throw badRules("names", (error as Error).message);
  }
}

function checkedMetadata(metadata: unknown): RulesetMetadata {
  const member = (of: unknown, name: string): Record<string, unknown> => {
    if (typeof of === "object" && of !== null && !Array.isArray(of)) return of as Record<string, unknown>;
    throw badMetadata(name, "it must be an object");
  };
  const stored = member(metadata, "metadata");
  if (stored["format"] !== 1)
    throw badMetadata("format", "it is not 1; this file comes from a newer version, which can read it");
  const { name, purpose, allowSpecialPurpose, sequence } = stored;
  if (typeof name !== "string") throw badMetadata("name", "it is not text");
  checkName(name);
  if (!PURPOSES.some((one) => one === purpose)) throw badMetadata("purpose", `it is not ${PURPOSES.join(" or ")}`);
  if (typeof allowSpecialPurpose !== "boolean") throw badMetadata("allowSpecialPurpose", "it is not true or false");
  if (!Number.isSafeInteger(sequence) || (sequence as number) < 0)
    throw badMetadata("sequence", "it is not a whole number from 0 on");
  member(stored["names"], "names");
  member(stored["times"], "times");
  return stored as unknown as RulesetMetadata;
}

/** Rule n has match n and value n, parents are older and shorter, and of the own family. */
function checkTable(table: PrefixTable): void {
  const [count4, count] = [table.prefixCount(4), table.prefixCount(4) + table.prefixCount(6)];
  if (table.matchCount !== count) throw badRules("header", `${table.matchCount} matches for ${count} rules`);
  const { matchValue, matchParent, matchLength } = table.sections;
  const values = new Int32Array(table.buffer, matchValue.byteOffset, matchValue.byteLength / 4);
  const parents = new Int32Array(table.buffer, matchParent.byteOffset, matchParent.byteLength / 4);
  const lengths = new Uint8Array(table.buffer, matchLength.byteOffset, matchLength.byteLength);
  for (let match = 1; match <= count; match++) {
    if (values[match] !== match) throw badRules("matchValue", `rule ${match} has the number ${values[match]}`);
    const family = match <= count4 ? 4 : 6;
    if (lengths[match]! > addressBits(family))
      throw badRules("matchLength", `rule ${match} of IPv${family} has the length ${lengths[match]}`);
    const parent = parents.length === 0 ? 0 : parents[match]!;
    if (parent === 0) continue;
    const isOlder = parent > 0 && parent < match && parent > (family === 4 ? 0 : count4);
    if (!isOlder || lengths[parent]! >= lengths[match]!)
      throw badRules("matchParent", `rule ${match} lies in rule ${parent}, which is not before and around it`);
  }
}

/** Undefined where no rule expires. */
function readExpiries(table: PrefixTable): Float64Array | undefined {
  const { byteOffset, byteLength } = table.sections.expiresAt;
  if (byteLength === 0) return undefined;
  const expiresAt = new Float64Array(table.buffer, byteOffset, byteLength / 8);
  for (let number = 1; number <= table.matchCount; number++) {
    const time = expiresAt[number]!;
    if (time !== PERMANENT && !(time > NO_RULE_HERE && time >= 0 && time <= LAST_TIME))
      throw badRules("expiresAt", `rule ${number} expires at ${time}, which is no time from 1970 to 9999`);
  }
  return expiresAt;
}

/** Writes the times of `count` rules from the one at `first` on into a column, from index 1 on. */
type WriteTimes = (column: Float64Array, first: number, count: number) => void;

interface Times {
  readonly created: WriteTimes;
  readonly updated: WriteTimes;
}

function readTimes(times: RulesetMetadata["times"], count: number): Times {
  const moments = array(Float64Array, "times", times.moments, undefined);
  for (let at = 0; at < moments.length; at++) {
    if (!Number.isFinite(moments[at]) || (at > 0 && moments[at]! <= moments[at - 1]!))
      throw badRules("times", `moment ${at} is ${moments[at]}, which does not follow the one before`);
  }
  if (moments.length === 0 && count > 0) throw badRules("times", "there is no moment");
  const column = (bytes: Uint8Array): WriteTimes => {
    const size = moments.length > 1 ? count : 0;
    const numbers = array<Uint8Array | Uint16Array | Uint32Array>(
      numbersOf(moments.length) as Numbers<Uint8Array | Uint16Array | Uint32Array>,
      "times",
      bytes,
      size,
    );
    for (let at = 0; at < numbers.length; at++)
      if (numbers[at]! >= moments.length) throw badRules("times", `rule ${at + 1} names moment ${numbers[at]}`);
    return (times, first, count) => {
      if (size === 0) return void times.fill(moments[0] ?? 0, 1, count + 1);
      for (let at = 0; at < count; at++) times[at + 1] = moments[numbers[first + at]!]!;
    };
  };
  return { created: column(times.created), updated: column(times.updated) };
}

function readNames({ text, ends, numbers }: RulesetMetadata["names"], count: number): PackedNames {
  if (!(text instanceof Uint8Array)) throw badMetadata("names", "its text is not bytes");
  const names = {
    text,
    ends: array(Uint32Array, "names", ends, undefined),
    numbers:
      numbers instanceof Uint8Array && numbers.length === 0 && ends.length === 0
        ? new Uint32Array(count)
        : array(Uint32Array, "names", numbers, count),
  };
  for (let at = 1; at < names.ends.length; at++)
    if (names.ends[at]! < names.ends[at - 1]!) throw badRules("names", `name ${at + 1} ends before it begins`);
  for (let at = 0; at < count; at++)
    if (names.numbers[at]! > names.ends.length) throw badRules("names", `rule ${at + 1} has a name that is not there`);
  if (decoded(text).length !== (names.ends.at(-1) ?? 0)) throw badRules("names", "they do not end where the text does");
  return names;
}

function decoded(text: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(text);
  } catch {
    throw badRules("names", "their text is not UTF-8");
  }
}

/** That prefixes are canonical, and follow each other in order. */
function checkOrder(slots: RuleSlots): void {
  const { family, keys, words, end, lengths } = slots;
  for (let slot = 1; slot < end; slot++) {
    let hostBits = 0;
    for (let word = 0; word < words; word++)
      hostBits |= keys[slot * words + word]! & ~maskOf(lengths[slot]! - 32 * word);
    if (hostBits !== 0) throw badRules(`words${family}`, `rule ${slot} has host bits`);
    if (slot > 1 && slots.compareSlots(slot - 1, slot) >= 0)
      throw badRules(`words${family}`, `rule ${slot} does not follow the one before`);
  }
}

function bytesIn(table: PrefixTable, section: "matchLength"): Uint8Array {
  const { byteOffset, byteLength } = table.sections[section];
  return new Uint8Array(table.buffer, byteOffset, byteLength);
}

interface Numbers<Of> {
  readonly BYTES_PER_ELEMENT: number;
  new (buffer: ArrayBufferLike, byteOffset: number, length: number): Of;
}

/** The numbers in some bytes: as many as are expected. */
function array<Of>(type: Numbers<Of>, member: string, bytes: unknown, count: number | undefined): Of {
  const size = type.BYTES_PER_ELEMENT;
  if (!(bytes instanceof Uint8Array)) throw badMetadata(member, "a column is not bytes");
  if (bytes.length % size !== 0 || (count !== undefined && bytes.length !== count * size))
    throw badRules(
      member,
      `a column has ${bytes.length} bytes${count === undefined ? "" : ` in place of ${count * size}`}`,
    );
  // Where the bytes do not lie as the numbers must, they are copied.
  const aligned = bytes.byteOffset % size === 0 ? bytes : new Uint8Array(bytes);
  return new type(aligned.buffer, aligned.byteOffset, bytes.length / size);
}

function badMetadata(member: string, what: string): RulesetError {
  return new RulesetError("bad-metadata", member, what);
}

function badRules(member: string, what: string): RulesetError {
  return new RulesetError("bad-rules", member, what);
}

/** What rows of logs say about rules, by number. */
export interface StoredLabels {
  nameOf(number: number): string | null;
  /** In milliseconds since 1970; null: never. */
  expiryOf(number: number): number | null;
}

/** The names and expiries of stored rules, without making a ruleset of them. O(rules), a nanosecond each. @throws RulesetError */
export function storedLabels(metadata: unknown, table: PrefixTable): StoredLabels {
  const stored = checkedMetadata(metadata);
  const { text, ends, numbers } = readNames(stored.names, table.matchCount);
  const distinct = namesOf({ text, ends, numbers: Uint32Array.from(ends, (_, at) => at + 1) });
  const expiresAt = readExpiries(table);
  return {
    nameOf: (number) => distinct[numbers[number - 1]! - 1] ?? null,
    expiryOf: (number) => {
      const time = expiresAt?.[number] ?? PERMANENT;
      return time === PERMANENT ? null : time;
    },
  };
}
