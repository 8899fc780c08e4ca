import { quoted } from "../address/address-error.ts";
import { isDay } from "../time/is-day.ts";
import { badDocument, type ByteReader, type ByteWriter } from "./_bytes.ts";
import type { TextPool, Texts } from "./_texts.ts";

/** A value of a feed that a field cannot hold; `index` is its index in a list. */
export class FieldProblem extends Error {
  readonly index: number | undefined;

  constructor(problem: string, index?: number) {
    super(problem);
    this.index = index;
  }
}

/** The type of a field: how it is read from feeds, merged and stored. */
export interface FieldKind<Value> {
  /** The value if nothing is known. */
  readonly empty: Value;
  isEmpty(value: Value): boolean;
  /** Merges two non-empty values. Commutative, associative and idempotent. */
  merge(a: Value, b: Value): Value;
  /** @throws FieldProblem. Never called with null. */
  fromJson(json: unknown): Value;
  /** From a non-empty cell of a table. @throws FieldProblem */
  fromCell(cell: string): Value;
  write(value: Value, to: ByteWriter, texts: TextPool): void;
  /** @throws CtiError "bad-document" */
  read(from: ByteReader, texts: Texts): Value;
}

/**
 * How certain it is that an address is an attacker's, the least first: of two feeds, the more severe classification
 * counts.
 */
/** Every `Classification`, the least severe first: of two records for an address, the more severe one counts. */
export const CLASSIFICATIONS = ["unknown", "benign", "promiscuous", "malicious"] as const;
/** How an address is judged: one of `CLASSIFICATIONS`. */
export type Classification = (typeof CLASSIFICATIONS)[number];

export const classification: FieldKind<Classification> = {
  empty: "unknown",
  isEmpty: (value) => value === "unknown",
  merge: (a, b) => CLASSIFICATIONS[Math.max(CLASSIFICATIONS.indexOf(a), CLASSIFICATIONS.indexOf(b))]!,
  fromJson(json) {
    const found = CLASSIFICATIONS.find((name) => name === json);
    if (found === undefined)
      throw new FieldProblem(`${shown(json)} is not a classification; choose one of ${CLASSIFICATIONS.join(", ")}`);
    return found;
  },
  fromCell: (cell) => classification.fromJson(cell),
  write: (value, to) => to.number(CLASSIFICATIONS.indexOf(value)),
  read: (from) => CLASSIFICATIONS[from.number()] ?? refuse("unknown classification"),
};

/** A feed that has seen a complete connection has proof, the others do not: false wins over everything else. */
export const spoofable: FieldKind<boolean | null> = {
  empty: null,
  isEmpty: (value) => value === null,
  merge: (a, b) => a === true && b === true,
  fromJson(json) {
    if (typeof json === "boolean") return json;
    throw new FieldProblem(`expected true, false or null, not ${shown(json)}`);
  },
  fromCell(cell) {
    if (cell === "true" || cell === "false") return cell === "true";
    throw new FieldProblem(`${quoted(cell)} is neither true nor false; leave the cell empty if it is unknown`);
  },
  write: (value, to) => to.number(value === true ? 1 : 0),
  read(from) {
    const value = from.number();
    return value <= 1 ? value === 1 : refuse("spoofable is neither true nor false");
  },
};

export const text: FieldKind<string> = {
  empty: "",
  isEmpty: (value) => value === "",
  merge: (a, b) => (a < b ? a : b),
  fromJson(json) {
    if (typeof json !== "string") throw new FieldProblem(`expected a string, not ${shown(json)}`);
    return checkedText(json);
  },
  fromCell: (cell) => checkedText(cell),
  write: (value, to, texts) => to.number(texts.numberOf(value)),
  read: (from, texts) => texts.textAt(from.number()),
};

/** A set of strings, sorted by UTF-16 code units. */
export const texts: FieldKind<readonly string[]> = {
  empty: [],
  isEmpty: (value) => value.length === 0,
  merge: (a, b) => sortedSet([...a, ...b]),
  fromJson: (json) =>
    sortedSet(
      elements(json, (element) => {
        if (typeof element !== "string" || element === "")
          throw new FieldProblem(`expected a string, not ${shown(element)}`);
        return checkedText(element);
      }),
    ),
  fromCell: (cell) => texts.fromJson(cellList(cell)),
  write: (value, to, pool) =>
    writeList(
      value.map((element) => pool.numberOf(element)),
      to,
    ),
  read: (from, pool) => readList(from, (number) => pool.textAt(number)),
};

const MAX_PORTS = 0xffff;

/** A set of ports, ascending. */
export const ports: FieldKind<readonly number[]> = {
  empty: [],
  isEmpty: (value) => value.length === 0,
  merge: (a, b) => sortedNumbers([...a, ...b]),
  fromJson: (json) => sortedNumbers(elements(json, (element) => whole(element, MAX_PORTS))),
  fromCell: (cell) => ports.fromJson(cellList(cell).map(numberOfCell)),
  write: (value, to) => writeList(value, to),
  read: (from) => readList(from, (port) => (port <= MAX_PORTS ? port : refuse(`invalid port ${port}`))),
};

const MAX_NUMBER = 0xffff_ffff;

/** A count, which feeds can underestimate but not overestimate: the larger one wins. */
export const count: FieldKind<number | null> = {
  empty: null,
  isEmpty: (value) => value === null,
  merge: (a, b) => Math.max(a!, b!),
  fromJson: (json) => whole(json, MAX_NUMBER),
  fromCell: (cell) => whole(numberOfCell(cell), MAX_NUMBER),
  write: (value, to) => to.number(value!),
  read: (from) => from.number(),
};

/** A number that is an identifier. */
export const number: FieldKind<number | null> = { ...count, merge: (a, b) => Math.min(a!, b!) };

const MILLISECONDS = 86_400_000;
/** 9999-12-31. */
export const LAST_DAY = 2_932_896;
const DATE = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d:\d\d)?)?$/;

/** A day in UTC, as the number of days since 1970-01-01. */
export const firstDay: FieldKind<number | null> = {
  ...number,
  fromJson(json) {
    if (typeof json !== "string") throw new FieldProblem(`expected a date such as "2026-06-17", not ${shown(json)}`);
    return dayOf(json);
  },
  fromCell: (cell) => dayOf(cell),
  read(from) {
    const day = from.number();
    return day <= LAST_DAY ? day : refuse(`day ${day} is not a date`);
  },
};

export const lastDay: FieldKind<number | null> = { ...firstDay, merge: count.merge };

/** Days whose text is cached: documents share a few hundred. */
const MAX_DATES = 4096;
const dates = new Map<number, string>();
/** The hash of a number in a `Map` is the same in every process: with this, nobody can choose days that share a slot. */
const MASK = Math.floor(Math.random() * 2 ** 30);

/** A day as `2026-06-17`. */
export function dateText(day: number): string {
  const key = day ^ MASK;
  const known = dates.get(key);
  if (known !== undefined) return known;
  const text = new Date(day * MILLISECONDS).toISOString().slice(0, 10);
  if (dates.size === MAX_DATES) dates.clear();
  dates.set(key, text);
  return text;
}

function dayOf(written: string): number {
  const [, date, time = "00:00", zone = "Z"] = DATE.exec(written) ?? [];
  const day = Math.floor(Date.parse(`${date}T${time}${zone}`) / MILLISECONDS);
  if (date !== undefined && isDay(date) && day >= 0 && day <= LAST_DAY) return day;
  throw new FieldProblem(`${quoted(written)} is not a date since 1970; write it as 2026-06-17 or 2026-06-17T12:00:00Z`);
}

function checkedText(written: string): string {
  if (!written.isWellFormed())
    throw new FieldProblem(`${quoted(written)} contains half a surrogate pair; it cannot be stored`);
  return written;
}

function whole(json: unknown, most: number): number {
  if (typeof json === "number" && Number.isInteger(json) && json >= 0 && json <= most) return json;
  throw new FieldProblem(`expected a whole number from 0 to ${most}, not ${shown(json)}`);
}

function numberOfCell(cell: string): number | string {
  return /^\d{1,10}$/.test(cell) ? Number(cell) : cell;
}

/** Cells separate list items by `|`; a list of texts that contain `|` is written as a JSON array. */
function cellList(cell: string): string[] {
  if (!cell.startsWith("["))
    return cell
      .split("|")
      .map((part) => part.trim())
      .filter((part) => part !== "");
  try {
    return JSON.parse(cell) as string[];
  } catch {
    throw new FieldProblem(
      `${quoted(cell)} begins like a JSON array but is not one; separate the items of a list with "|"`,
    );
  }
}

function elements<Element>(json: unknown, read: (element: unknown) => Element): Element[] {
  if (!Array.isArray(json)) throw new FieldProblem(`expected an array, not ${shown(json)}`);
  return json.map((element, index) => {
    try {
      return read(element);
    } catch (error) {
      throw error instanceof FieldProblem ? new FieldProblem(error.message, index) : error;
    }
  });
}

function sortedSet(values: readonly string[]): readonly string[] {
  return [...new Set(values)].sort();
}

function sortedNumbers(values: readonly number[]): readonly number[] {
  return [...new Set(values)].sort((a, b) => a - b);
}

function writeList(numbers: readonly number[], to: ByteWriter): void {
  to.number(numbers.length);
  for (const element of numbers) to.number(element);
}

function readList<Element>(from: ByteReader, read: (number: number) => Element): Element[] {
  const length = from.number();
  if (length > from.left) throw badDocument(`a list of ${length} has ${from.left} bytes`);
  const list: Element[] = [];
  for (let i = 0; i < length; i++) list.push(read(from.number()));
  return list;
}

function refuse(what: string): never {
  throw badDocument(what);
}

/** The type of a JSON value, for an error. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object" && value !== null) return "an object";
  return typeof value === "string" ? quoted(value) : String(value);
}
