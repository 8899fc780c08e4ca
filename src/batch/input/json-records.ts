import { BatchError } from "../batch-error.ts";
import type { FieldSpec } from "../lines/fields/field-spec.ts";
import { locateField } from "../lines/fields/locate-field.ts";

const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** JSON whose records are not one a line. `member`: of each outermost object, the one that is an array of records. */
export interface JsonLayout {
  readonly member: string | null;
}

/**
 * How the records of a JSON text lie that begins with `head[start, ...)`; null: an object a line, or too little to see
 * anything else. Objects after each other, an array of them, objects of several lines, and an array in a member, as in
 * CloudTrail: that if the field is in its records and not beside it or, without a field, if there is nothing beside it.
 */
export function jsonLayout(head: Buffer, from: number, end: number, field: FieldSpec | null): JsonLayout | null {
  const start = skipBlanks(head, from, end);
  if (head[start] === OPEN_ARRAY)
    return head[skipSpace(head, start + 1, head.length)] === OPEN_OBJECT ? { member: null } : null;
  if (head[start] !== OPEN_OBJECT) return null;
  const whole = valueEnd(head, start, head.length);
  const isOneLine = whole > 0 && whole <= end;
  const first = head.subarray(start, whole > 0 ? whole : head.length);
  const member = arrayMember(first, field);
  if (member !== null && (whole < 0 || (isJson(first) && areAlike(head, whole, member)))) return { member };
  // With a field, objects without anything between them are taken apart line by line.
  if (isOneLine && field !== null && head[whole] === OPEN_OBJECT) return null;
  if (isOneLine) return head[skipBlanks(head, whole, end)] === OPEN_OBJECT ? { member: null } : null;
  return whole > 0 && isJson(first) ? { member: null } : null;
}

/** Whether the beginning shows how records lie: a whole object, or more than one is looked for in. */
export function showsJsonLayout(start: number): (head: Buffer) => boolean {
  return (head) => head.length - start >= LAYOUT_BYTES || valueEnd(head, start, head.length) > 0;
}

const LAYOUT_BYTES = 128 * 1024;

/** Whether the next object, if the beginning has it, has the array of records as well: others are records themselves. */
function areAlike(head: Buffer, from: number, member: string): boolean {
  const start = skipSpace(head, from, head.length);
  const end = head[start] === OPEN_OBJECT ? valueEnd(head, start, head.length) : -1;
  if (end < 0) return true;
  for (const { name, at } of membersOf(head.subarray(start, end)))
    if (name === member) return head[start + at] === OPEN_ARRAY;
  return false;
}

function isJson(text: Buffer): boolean {
  try {
    JSON.parse(text.toString("utf8"));
    return true;
  } catch {
    return false;
  }
}

/** The name of the member of an object, which may be cut off, that is an array of the records. */
function arrayMember(text: Buffer, field: FieldSpec | null): string | null {
  const object = Buffer.from(text.map((byte) => (byte === LF || byte === CR ? SPACE : byte)));
  const span = { bytes: object, start: 0, end: 0 };
  const locate = field === null ? null : locateField(field);
  if (locate?.(object, 0, object.length, span) === true) return null;
  const found: string[] = [];
  let members = 0;
  for (const { name, at } of membersOf(object)) {
    members++;
    if (object[at] !== OPEN_ARRAY) continue;
    for (const record of elementsOf(object, at)) {
      if (locate !== null && !locate(record, 0, record.length - 1, span)) continue;
      found.push(name);
      break;
    }
  }
  // Of several, or beside others without a field, none is surely the one.
  const isKnown = members === 1 || locate !== null || WRAPPERS.has(found[0]?.toLowerCase() ?? "");
  return found.length === 1 && isKnown ? found[0]! : null;
}

/** What the array of records is called by services whose exports have other members beside it. */
const WRAPPERS: ReadonlySet<string> = new Set([
  "records",
  "findings",
  "logevents",
  "events",
  "value",
  "results",
  "hits",
  "entries",
]);

/** The objects in an array, as far as it goes, each with a line feed behind it. */
function* elementsOf(object: Buffer, array: number): Generator<Buffer> {
  for (let at = skipSpace(object, array + 1, object.length); object[at] === OPEN_OBJECT;) {
    const end = valueEnd(object, at, object.length);
    yield Buffer.concat([object.subarray(at, end > 0 ? end : object.length), Buffer.from("\n")]);
    if (end < 0 || object[skipSpace(object, end, object.length)] !== COMMA) return;
    at = skipSpace(object, skipSpace(object, end, object.length) + 1, object.length);
  }
}

/** The members of an object with their names and the positions of their values, up to where it is cut off. */
function* membersOf(object: Buffer): Generator<{ name: string; at: number }> {
  for (let at = skipSpace(object, 1, object.length); object[at] === QUOTE;) {
    const close = stringEnd(object, at + 1, object.length);
    if (close < 0) return;
    const name = nameOf(object.subarray(at, close));
    const colon = skipSpace(object, close, object.length);
    const value = skipSpace(object, colon + 1, object.length);
    if (name === null || object[colon] !== COLON || value >= object.length) return;
    yield { name, at: value };
    const end = valueEnd(object, value, object.length);
    if (end < 0) return;
    const comma = skipSpace(object, end, object.length);
    if (object[comma] !== COMMA) return;
    at = skipSpace(object, comma + 1, object.length);
  }
}

function nameOf(text: Buffer): string | null {
  try {
    return JSON.parse(text.toString("utf8")) as string;
  } catch {
    return null;
  }
}

/** The position after the value at `at`, of which only brackets and strings are read; -1 if it does not end. */
function valueEnd(bytes: Buffer, at: number, end: number): number {
  let depth = 0;
  const start = at;
  for (; at < end; at++) {
    const byte = bytes[at]!;
    if (byte === QUOTE) {
      at = stringEnd(bytes, at + 1, end) - 1;
      if (at < 0) return -1;
    } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth++;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) depth--;
    else if (depth === 0 && at > start && (byte === COMMA || isSpace(byte))) return at;
    else continue;
    if (depth <= 0) return depth < 0 ? at : at + 1;
  }
  return -1;
}

/** The position after the closing quote of the string whose text is at `at`; -1 if there is none. */
function stringEnd(bytes: Buffer, at: number, end: number): number {
  for (; at < end; at++) {
    if (bytes[at] === BACKSLASH) at++;
    else if (bytes[at] === QUOTE) return at + 1;
  }
  return -1;
}

function isSpace(byte: number): boolean {
  return byte === SPACE || byte === TAB || byte === LF || byte === CR;
}

function skipSpace(bytes: Buffer, at: number, end: number): number {
  while (at < end && isSpace(bytes[at]!)) at++;
  return at;
}

function skipBlanks(bytes: Buffer, at: number, end: number): number {
  while (at < end && isSpace(bytes[at]!) && bytes[at] !== LF) at++;
  return at;
}

/** Where in the text the next byte is. */
const BETWEEN = 0; // records: outside all, or in the array of them
const IN_RECORD = 1;
const IN_OTHER = 2; // something that is no record, up to the end of its line or element
const IN_WRAPPER = 3; // the outermost object, beside its array of records

/**
 * Writes each record of a JSON text into a line of its own, as it arrives. What is no record becomes a line as it is, so
 * that it is reported. Line breaks within a record become blanks. An outermost object without the array is a record.
 * @throws BatchError "stream-truncated" if the text ends in the array
 */
export async function* recordLines(
  chunks: AsyncIterable<Buffer>,
  { member }: JsonLayout,
  file: string,
): AsyncGenerator<Buffer> {
  const lines = new RecordLines(member);
  for await (const chunk of chunks) {
    const text = lines.add(chunk);
    if (text.length > 0) yield text;
  }
  const rest = lines.end();
  if (rest.length > 0) yield rest;
  if (lines.isOpen)
    throw new BatchError(
      "stream-truncated",
      "the array of records has no end: the text is cut off; copy or fetch the file again",
      { file },
    );
}

class RecordLines {
  readonly #member: string | null;
  #state = BETWEEN;
  /** Open brackets within the record or, in the outermost object, within that. */
  #depth = 0;
  #isText = false;
  #isEscaped = false;
  /** In the outermost object: everything up to here, in case that it is a record; null: its array has been found. */
  #wrapper: Buffer[] | null = null;
  /** In the outermost object: the name that is being read, and the last one, whose value comes next. */
  #key: number[] | null = null;
  #name: string | null = null;
  #isInArray = false;
  #isInWrapper = false;
  /** Of the chunk at hand: where the text begins that is not written yet. */
  #from = 0;
  #out: Buffer[] = [];

  constructor(member: string | null) {
    this.#member = member;
  }

  add(chunk: Buffer): Buffer {
    this.#out = [];
    this.#from = 0;
    const bytes = Buffer.from(chunk); // line breaks are replaced in it
    for (let at = 0; at < bytes.length; at++) {
      if (this.#state === BETWEEN) this.#between(bytes, at);
      else if (this.#state === IN_OTHER) this.#inOther(bytes, at);
      else if (this.#state === IN_WRAPPER) this.#inWrapper(bytes, at);
      else this.#inRecord(bytes, at);
    }
    if (this.#state === IN_WRAPPER) this.#wrapper?.push(bytes.subarray(this.#from));
    else if (this.#state !== BETWEEN) this.#out.push(bytes.subarray(this.#from));
    return this.#out.length === 1 ? this.#out[0]! : Buffer.concat(this.#out);
  }

  /** Whether the text ended in the array of records, or beside it. */
  get isOpen(): boolean {
    return this.#isInArray || this.#isInWrapper;
  }

  /** What the text ended in. */
  end(): Buffer {
    const isOpen = this.#state === IN_RECORD || this.#state === IN_OTHER;
    return Buffer.concat([...(this.#wrapper ?? []), ...(isOpen || this.#wrapper !== null ? [LINE_END] : [])]);
  }

  #begin(state: number, at: number): void {
    this.#state = state;
    this.#from = at;
    this.#depth = 1;
  }

  #between(bytes: Buffer, at: number): void {
    const byte = bytes[at]!;
    if (isSpace(byte) || MARK.includes(byte) || (byte === COMMA && this.#isInArray)) return;
    if (byte === OPEN_OBJECT) {
      const isOutermost = this.#member !== null && !this.#isInArray;
      this.#begin(isOutermost ? IN_WRAPPER : IN_RECORD, at);
      if (isOutermost) this.#wrapper = [];
      this.#key = this.#name = null;
    } else if (byte === OPEN_ARRAY && !this.#isInArray) {
      this.#isInArray = true;
    } else if (byte === CLOSE_ARRAY && this.#isInArray) {
      this.#isInArray = false;
      if (this.#isInWrapper) this.#begin(IN_WRAPPER, at + 1);
    } else {
      this.#begin(IN_OTHER, at);
    }
  }

  #inOther(bytes: Buffer, at: number): void {
    const byte = bytes[at]!;
    if (byte !== LF && !(this.#isInArray && (byte === COMMA || byte === CLOSE_ARRAY))) return;
    this.#write(bytes, at, BETWEEN);
    this.#between(bytes, at);
  }

  /** Writes the line up to here. */
  #write(bytes: Buffer, end: number, state: number): void {
    this.#out.push(bytes.subarray(this.#from, end), LINE_END);
    this.#state = state;
    this.#from = end;
  }

  #inRecord(bytes: Buffer, at: number): void {
    if (bytes[at] === LF || bytes[at] === CR) bytes[at] = SPACE;
    if (this.#closes(bytes[at]!)) this.#write(bytes, at + 1, BETWEEN);
  }

  /** Whether this byte closes the last open bracket. */
  #closes(byte: number): boolean {
    if (this.#isText) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === BACKSLASH) this.#isEscaped = true;
      else if (byte === QUOTE) this.#isText = false;
    } else if (byte === QUOTE) this.#isText = true;
    else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) this.#depth++;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) return --this.#depth === 0;
    return false;
  }

  #inWrapper(bytes: Buffer, at: number): void {
    const byte = bytes[at]!;
    if (byte === LF || byte === CR) bytes[at] = SPACE;
    if (this.#depth === 1 && byte === OPEN_ARRAY && !this.#isText && this.#name === this.#member) {
      this.#wrapper = null;
      this.#state = BETWEEN;
      this.#isInArray = this.#isInWrapper = true;
      return;
    }
    if (this.#closes(bytes[at]!)) {
      this.#isInWrapper = false;
      if (this.#wrapper === null) {
        this.#state = BETWEEN;
        this.#from = at + 1;
        return;
      }
      this.#out.push(...this.#wrapper);
      this.#wrapper = null;
      this.#write(bytes, at + 1, BETWEEN);
    } else if (this.#depth === 1) this.#readKey(byte);
  }

  /** Follows the names of the outermost object: a text before a colon. */
  #readKey(byte: number): void {
    if (this.#isText) {
      if (this.#key === null) this.#key = [];
      this.#key.push(byte);
    } else if (byte === QUOTE) this.#key?.push(byte);
    else if (byte === COLON) {
      this.#name = this.#key && nameOf(Buffer.from(this.#key));
      this.#key = null;
    } else if (byte === COMMA) this.#key = this.#name = null;
  }
}

const LINE_END = Buffer.from("\n");
/** The bytes of a byte order mark. */
const MARK = Buffer.from("\u{feff}");
