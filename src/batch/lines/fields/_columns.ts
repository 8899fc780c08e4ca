import { skipMark } from "../byte-order-mark.ts";
import type { FieldSpan, LocateField } from "./field-spec.ts";

const TAB = 0x09;
const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;

/**
 * A column of comma-separated values, RFC 4180. A record is one line: a quoted field may contain commas and doubled
 * quotes, but ends with its line at the latest. The field is what is between the quotes; doubled quotes stay doubled,
 * which does not affect finding an address.
 */
export function csvColumn(column: number): LocateField {
  return (bytes, start, end, span) => {
    let at = skipMark(bytes, start, end);
    for (let index = 0; ; index++) {
      const quoted = at < end && bytes[at] === QUOTE;
      const from = quoted ? at + 1 : at;
      at = quoted ? closingQuote(bytes, from, end) : next(bytes, COMMA, at, end);
      if (index === column) return setSpan(span, bytes, from, at);
      if (quoted) at = next(bytes, COMMA, at, end);
      if (at >= end) return false;
      at++;
    }
  };
}

/** A column of tab-separated values; there is no quoting. */
export function tsvColumn(column: number): LocateField {
  return (bytes, start, end, span) => {
    let at = start;
    for (let index = 0; ; index++) {
      const from = at;
      at = next(bytes, TAB, at, end);
      if (index === column) return setSpan(span, bytes, from, at);
      if (at >= end) return false;
      at++;
    }
  };
}

/** A column of text separated by runs of spaces and tabs; those before the first column do not count. */
export function spaceColumn(column: number): LocateField {
  return (bytes, start, end, span) => {
    let at = start;
    for (let index = 0; ; index++) {
      while (at < end && isBlank(bytes[at]!)) at++;
      if (at >= end) return false;
      const from = at;
      while (at < end && !isBlank(bytes[at]!)) at++;
      if (index === column) return setSpan(span, bytes, from, at);
    }
  };
}

/**
 * A column of text whose header names `columns` columns. Values in double quotes may hold blanks and, doubled, quotes, as
 * in W3C logs; but a quote may also be a character, as IIS writes what clients send. So quotes count only in a line that
 * has as many columns with them, and another number without.
 */
export function namedSpaceColumn(column: number, columns: number): LocateField {
  return (bytes, start, end, span) => {
    let at = start;
    let hasQuote = false; // in front of this column, or of one before it
    for (let index = 0; ; index++) {
      while (at < end && isBlank(bytes[at]!)) at++;
      if (at >= end) return false;
      const from = at;
      if (bytes[at] === QUOTE) hasQuote = true;
      while (at < end && !isBlank(bytes[at]!)) at++;
      if (index < column) continue;
      setSpan(span, bytes, from, at);
      return (
        !hasQuote ||
        columnCount(bytes, start, end) === columns ||
        quotedColumn(bytes, start, end, span, { column, columns })
      );
    }
  };
}

/** As `namedSpaceColumn`, for columns that are separated by one tab each and may be empty. */
export function namedTabColumn(column: number, columns: number): LocateField {
  const plainColumn = tsvColumn(column);
  return (bytes, start, end, span) => {
    const isPlain = tabCount(bytes, start, end) + 1 === columns || !bytes.subarray(start, end).includes(QUOTE);
    return isPlain
      ? plainColumn(bytes, start, end, span)
      : quotedTabColumn(bytes, start, end, span, { column, columns });
  };
}

function tabCount(bytes: Buffer, start: number, end: number): number {
  let count = 0;
  for (let at = start; at < end; at++) if (bytes[at] === TAB) count++;
  return count;
}

/** As `tsvColumn`, with quotes, in a line of so many columns; false for any other line. */
function quotedTabColumn(
  bytes: Buffer,
  start: number,
  end: number,
  span: FieldSpan,
  { column, columns }: { readonly column: number; readonly columns: number },
): boolean {
  let at = start;
  for (let index = 0; ; index++) {
    const isQuoted = at < end && bytes[at] === QUOTE;
    const from = isQuoted ? at + 1 : at;
    at = isQuoted ? closingQuote(bytes, from, end) : next(bytes, TAB, at, end);
    if (index === column) setSpan(span, bytes, from, at);
    if (isQuoted && at++ >= end) return false; // it is not closed
    if (at >= end) return index + 1 === columns;
    if (bytes[at++] !== TAB) return false;
  }
}

function columnCount(bytes: Buffer, start: number, end: number): number {
  let count = 0;
  for (let at = start; at < end; at++) if (!isBlank(bytes[at]!) && (at === start || isBlank(bytes[at - 1]!))) count++;
  return count;
}

/** As `spaceColumn`, with quotes, in a line of so many columns; false for any other line. */
function quotedColumn(
  bytes: Buffer,
  start: number,
  end: number,
  span: FieldSpan,
  { column, columns }: { readonly column: number; readonly columns: number },
): boolean {
  let at = start;
  for (let index = 0; ; index++) {
    while (at < end && isBlank(bytes[at]!)) at++;
    if (at >= end) return index === columns;
    const isQuoted = bytes[at] === QUOTE;
    const from = isQuoted ? at + 1 : at;
    if (isQuoted) at = closingQuote(bytes, from, end);
    else while (at < end && !isBlank(bytes[at]!)) at++;
    if (index === column) setSpan(span, bytes, from, at);
    if (isQuoted && at++ >= end) return false; // it is not closed
    if (at < end && !isBlank(bytes[at]!)) return false;
  }
}

function isBlank(byte: number): boolean {
  return byte === SPACE || byte === TAB;
}

/** The position of the byte, or `end`. */
function next(bytes: Buffer, byte: number, at: number, end: number): number {
  while (at < end && bytes[at] !== byte) at++;
  return at;
}

function closingQuote(bytes: Buffer, at: number, end: number): number {
  for (;;) {
    at = next(bytes, QUOTE, at, end);
    if (at >= end || at + 1 >= end || bytes[at + 1] !== QUOTE) return at;
    at += 2;
  }
}

function setSpan(span: FieldSpan, bytes: Buffer, start: number, end: number): true {
  span.bytes = bytes;
  span.start = start;
  span.end = end;
  return true;
}
