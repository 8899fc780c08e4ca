import type { FieldSpan, LocateField } from "./field-spec.ts";

const LF = 0x0a;
const QUOTE = 0x22;
const COMMA = 0x2c;
const DOT = 0x2e;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Results of the search inside one object other than a position, which means "not here, and the object ends there". */
const FOUND = -1;
const MALFORMED = -2;

/**
 * Results of comparing a key with the name other than a position above 0, which means "the key is the part before the
 * dot, and the rest begins there".
 */
const WHOLE = 0;
const OTHER = -1;

/**
 * The property of the line's JSON object that has the given name, or that a dotted name leads to: `client.ip` is the
 * property "client.ip" as well as the property "ip" of the object "client". The first match in the line counts.
 *
 * The field is the text of a string with its escapes decoded, and the JSON text of any other value (so the addresses of
 * an array are found). The object begins at the first brace of the line. Reading stops at the property; a line that is
 * not JSON up to there has no such field.
 */
export function jsonMember(member: string): LocateField {
  const name = Buffer.from(member, "utf8");
  return (bytes, start, end, span) => {
    while (start < end && bytes[start] !== OPEN_OBJECT) start++;
    return start < end && searchObject(bytes, start, end, name, 0, span) === FOUND;
  };
}

/**
 * Searches the object at `bytes[at]` for the property `name[from, ...)`. Recursion is bounded by the dots of the name.
 */
function searchObject(bytes: Buffer, at: number, end: number, name: Buffer, from: number, span: FieldSpan): number {
  at = skipBlanks(bytes, at + 1, end);
  if (bytes[at] === CLOSE_OBJECT) return at + 1;
  for (;;) {
    // A key and its colon.
    if (at >= end || bytes[at] !== QUOTE) return MALFORMED;
    const keyEnd = closingQuote(bytes, at + 1, end);
    if (keyEnd === MALFORMED) return MALFORMED;
    const rest = restOfName(bytes, at + 1, keyEnd, name, from);
    at = skipBlanks(bytes, keyEnd + 1, end);
    if (at >= end || bytes[at] !== COLON) return MALFORMED;
    at = skipBlanks(bytes, at + 1, end);

    // Its value: the property itself, an object on the way to it, or something else.
    if (rest === WHOLE) return takeValue(bytes, at, end, span);
    at =
      rest > 0 && bytes[at] === OPEN_OBJECT && at < end
        ? searchObject(bytes, at, end, name, rest, span)
        : skipValue(bytes, at, end);
    if (at < 0) return at;

    at = skipBlanks(bytes, at, end);
    if (at >= end) return MALFORMED;
    if (bytes[at] === CLOSE_OBJECT) return at + 1;
    if (bytes[at] !== COMMA) return MALFORMED;
    at = skipBlanks(bytes, at + 1, end);
  }
}

/** WHOLE if the key is `name[from, ...)`, the position after the dot if it is the part before one, OTHER otherwise. */
function restOfName(bytes: Buffer, start: number, end: number, name: Buffer, from: number): number {
  let key = bytes;
  if (hasEscape(bytes, start, end)) {
    const text = unescaped(bytes, start, end);
    if (text === null) return OTHER;
    key = text;
    start = 0;
    end = text.length - 1;
  }
  const nameEnd = from + end - start;
  if (nameEnd > name.length || (nameEnd < name.length && name[nameEnd] !== DOT)) return OTHER;
  for (let at = start; at < end; at++) if (key[at] !== name[from + at - start]) return OTHER;
  return nameEnd === name.length ? WHOLE : nameEnd + 1;
}

function takeValue(bytes: Buffer, at: number, end: number, span: FieldSpan): number {
  const valueEnd = skipValue(bytes, at, end);
  if (valueEnd < 0) return MALFORMED;
  span.bytes = bytes;
  span.start = at;
  span.end = valueEnd;
  if (bytes[at] !== QUOTE) return FOUND;
  span.start = at + 1;
  span.end = valueEnd - 1;
  if (!hasEscape(bytes, span.start, span.end)) return FOUND;
  const text = unescaped(bytes, span.start, span.end);
  if (text === null) return MALFORMED;
  span.bytes = text;
  span.start = 0;
  span.end = text.length - 1;
  return FOUND;
}

/** The position after the value at `bytes[at]`. Inside an object or array, only brackets and strings are checked. */
function skipValue(bytes: Buffer, at: number, end: number): number {
  let depth = 0;
  const start = at;
  while (at < end) {
    const byte = bytes[at]!;
    if (byte === QUOTE) {
      at = closingQuote(bytes, at + 1, end);
      if (at === MALFORMED) return MALFORMED;
    } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      depth++;
    } else if (depth === 0) {
      return skipScalar(bytes, start, end);
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      depth--;
    }
    at++;
    if (depth === 0) return at;
  }
  return MALFORMED;
}

/** A number, true, false or null. */
function skipScalar(bytes: Buffer, start: number, end: number): number {
  let at = start;
  while (
    at < end &&
    !isBlank(bytes[at]!) &&
    bytes[at] !== COMMA &&
    bytes[at] !== CLOSE_OBJECT &&
    bytes[at] !== CLOSE_ARRAY
  )
    at++;
  return at === start || at === end ? MALFORMED : at;
}

function closingQuote(bytes: Buffer, at: number, end: number): number {
  while (at < end && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at < end ? at : MALFORMED;
}

function skipBlanks(bytes: Buffer, at: number, end: number): number {
  while (at < end && isBlank(bytes[at]!)) at++;
  return at;
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d;
}

function hasEscape(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (bytes[at] === BACKSLASH) return true;
  return false;
}

/**
 * The text of a string with escapes in UTF-8, and an LF after it as a delimiter; null if an escape is invalid. Rare, so
 * the platform does it.
 */
function unescaped(bytes: Buffer, start: number, end: number): Buffer | null {
  try {
    const text: string = JSON.parse(bytes.toString("utf8", start - 1, end + 1));
    return Buffer.from(`${text}${String.fromCharCode(LF)}`, "utf8");
  } catch {
    return null;
  }
}
