import { skipMark } from "./byte-order-mark.ts";
import { FIELD_START, PLAIN, QUOTE_SEEN, QUOTED } from "../../kernel/workspace.ts";

const LF = 0x0a;
const QUOTE = 0x22;
const COMMA = 0x2c;
const TAB = 0x09;

/** The end of the last record in a piece of text (0: none), and the state at the end of the piece. */
export interface CutRecords {
  readonly end: number;
  readonly state: number;
}

/**
 * As `CsvRecordCutter.lastEnd` for the bytes [from, to) of those that it is called with, which begin in the state
 * `state`; null: cannot.
 */
export type CutNatively = (from: number, to: number, state: number) => CutRecords | null;

/** Finds the ends of lines in bytes that grow at their end and lose what was cut off at their start. */
export interface LineCutter {
  /** The position after the last line break in `bytes[0, fill)`, 0 without one. Bytes are examined once. */
  lastEnd(bytes: Buffer, fill: number): number;
  /** The first `end` bytes have been removed. */
  cut(end: number): void;
  /** Whether the bytes so far end within quotes. */
  readonly isOpen: boolean;
}

/** Lines end with LF. */
export class PlainLineCutter implements LineCutter {
  readonly isOpen = false;
  #searched = 0;
  #end = 0;

  lastEnd(bytes: Buffer, fill: number): number {
    const found = this.#searched + bytes.subarray(this.#searched, fill).lastIndexOf(LF) + 1;
    if (found > this.#searched) this.#end = found;
    this.#searched = fill;
    return this.#end;
  }

  cut(end: number): void {
    this.#searched -= end;
    this.#end = 0;
  }
}

/**
 * Lines are records of comma-separated values (RFC 4180): an LF between the quotes of a field does not end one. A field
 * is quoted if its first byte is a quote; a quote within another field is an ordinary character.
 */
export class CsvRecordCutter implements LineCutter {
  readonly #natively: CutNatively | null;
  #state: number = FIELD_START;
  #searched = 0;
  #end = 0;

  /** `natively` is asked where there are quotes. */
  constructor(natively: CutNatively | null = null) {
    this.#natively = natively;
  }

  get isOpen(): boolean {
    return this.#state === QUOTED;
  }

  lastEnd(bytes: Buffer, fill: number): number {
    const cut = this.#hasQuotes(bytes, fill) ? (this.#natively?.(this.#searched, fill, this.#state) ?? null) : null;
    let at = cut === null ? this.#searched : fill;
    if (cut !== null) this.#state = cut.state;
    if (cut !== null && cut.end > 0) this.#end = cut.end;
    while (at < fill)
      at =
        this.#state === QUOTED || this.#state === QUOTE_SEEN
          ? this.#inQuotes(bytes, at, fill)
          : this.#outside(bytes, at, fill);
    this.#searched = fill;
    return this.#end;
  }

  cut(end: number): void {
    this.#searched -= end;
    this.#end = 0;
  }

  /** Whether quotes matter in what is to be searched. */
  #hasQuotes(bytes: Buffer, fill: number): boolean {
    return this.#state === QUOTED || bytes.subarray(this.#searched, fill).includes(QUOTE);
  }

  /** Continues to the next quote that opens a field, or to the end. */
  #outside(bytes: Buffer, from: number, fill: number): number {
    for (let at = from; ; from = ++at) {
      if (this.#state !== FIELD_START || bytes[at] !== QUOTE) at = indexOf(bytes, QUOTE, at, fill);
      if (at > from) {
        const lineEnd = bytes.subarray(from, at).lastIndexOf(LF) + 1;
        if (lineEnd > 0) this.#end = from + lineEnd;
        this.#state = bytes[at - 1] === LF || bytes[at - 1] === COMMA ? FIELD_START : PLAIN;
      }
      if (at >= fill) return fill;
      if (this.#state === FIELD_START) {
        this.#state = QUOTED;
        return at + 1;
      }
      if (at + 1 >= fill) return fill;
    }
  }

  /** Continues after the closing quote, or to the end. */
  #inQuotes(bytes: Buffer, from: number, fill: number): number {
    let at = from;
    if (this.#state === QUOTED) {
      at = indexOf(bytes, QUOTE, from, fill) + 1;
      if (at > fill) return fill;
      this.#state = QUOTE_SEEN;
      if (at === fill) return fill;
    }
    if (bytes[at] === QUOTE) {
      this.#state = QUOTED;
      return at + 1;
    }
    this.#state = PLAIN;
    return this.#outside(bytes, at, fill);
  }
}

/** The position of the byte, or `end`. */
function indexOf(bytes: Buffer, byte: number, at: number, end: number): number {
  const found = bytes.subarray(at, end).indexOf(byte);
  return found < 0 ? end : at + found;
}

/**
 * The position of the LF that ends the record at `bytes[at]`, as `CsvRecordCutter` finds it; `end` if there is none
 * before that. What precedes the record does not matter: it begins with a field.
 */
export function endOfRecord(bytes: Buffer, at: number, end: number): number {
  let isFront = true;
  for (; at < end; at++) {
    const byte = bytes[at]!;
    if (isFront && byte === QUOTE) {
      at = afterQuotes(bytes, at + 1, end);
      if (at >= end || bytes[at] === LF) return Math.min(at, end);
    }
    if (byte === LF) return at;
    isFront = bytes[at] === COMMA;
  }
  return end;
}

/**
 * Where text begins behind the closing quote of a field of the record `bytes[start, end)`, which RFC 4180 does not allow;
 * -1: nowhere. An unclosed quote that ended at another record's looks like this.
 */
export function textAfterQuotes(bytes: Buffer, start: number, end: number): number {
  let at = skipMark(bytes, start, end);
  if (indexOf(bytes, QUOTE, at, end) === end) return -1;
  while (at < end) {
    if (bytes[at] === QUOTE) {
      at = afterQuotes(bytes, at + 1, end);
      if (at < end && bytes[at] !== COMMA) return at;
    }
    at = indexOf(bytes, COMMA, at, end) + 1;
  }
  return -1;
}

/** The position after the closing quote, or `end`. */
function afterQuotes(bytes: Buffer, at: number, end: number): number {
  for (;;) {
    at = indexOf(bytes, QUOTE, at, end) + 1;
    if (at >= end || bytes[at] !== QUOTE) return Math.min(at, end);
    at++;
  }
}

/** The number of fields of the record `bytes[start, end)`. */
export function countFields(bytes: Buffer, start: number, end: number): number {
  let fields = 1;
  for (let at = nextField(bytes, start, end); at >= 0; at = nextField(bytes, at, end)) fields++;
  return fields;
}

/** Where the field after the one at `bytes[at]` begins; -1: that is the last one of the record. */
function nextField(bytes: Buffer, at: number, end: number): number {
  const from = bytes[at] === QUOTE && at < end ? afterQuotes(bytes, at + 1, end) : at;
  const comma = indexOf(bytes, COMMA, from, end);
  return comma < end ? comma + 1 : -1;
}

export function countTabs(bytes: Buffer, start: number, end: number): number {
  let tabs = 0;
  for (let at = start; at < end; at++) if (bytes[at] === TAB) tabs++;
  return tabs;
}

/** Where the first field after the first `columns` of the record `bytes[start, end)` begins; -1: it has no more. */
export function excessStart(bytes: Buffer, start: number, end: number, columns: number, syntax: "csv" | "tsv"): number {
  const fields = syntax === "csv" ? countFields(bytes, start, end) : countTabs(bytes, start, end) + 1;
  return fields > columns ? fieldStart(bytes, start, end, columns, syntax) : -1;
}

/** Where field `index` (from 0) of `bytes[start, end)` begins. It must have that many. */
export function fieldStart(bytes: Buffer, start: number, end: number, index: number, syntax: "csv" | "tsv"): number {
  let at = start;
  for (let field = 0; field < index; field++)
    at = syntax === "csv" ? nextField(bytes, at, end) : indexOf(bytes, TAB, at, end) + 1;
  return at;
}
