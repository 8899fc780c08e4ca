import type { LocateField } from "./field-spec.ts";

const ESC = 0x1b;
const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const EQUALS = 0x3d;
const OPEN = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE = 0x5d;
const PIPE = 0x7c;
const LETTER_M = 0x6d;

/** Bytes of the name of a key: what comes before `NAME=` must be another, and none of a URL's query. */
const IS_NAME = new Uint8Array(256);
for (const byte of Buffer.from("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_.-?&"))
  IS_NAME[byte] = 1;

/** What ends a value without quotes, besides a blank: also the `#` of rsyslog's `#011`, and ESC. */
const ENDS_VALUE = new Uint8Array(256);
for (const byte of Buffer.from('\t|;)}>^#"\\\u001b')) ENDS_VALUE[byte] = 1;

/** An escape for a tab or a line break, or a color, before the name of a key. */
// oxlint-disable-next-line no-control-regex -- it is what a color begins with
const ESCAPED = /(?:\\[tnr]|#01[125]|\u001b\[[0-9;]{0,32}m)$/;
const LONGEST_ESCAPE = 36;

/** How many pipes come before the keys of CEF and LEEF. */
const HEADERS = [
  { name: Buffer.from("CEF:"), pipes: 7 },
  { name: Buffer.from("LEEF:"), pipes: 5 },
];

/**
 * The value of the first `NAME=` in a line, as CEF, LEEF, logfmt, firewalls and auditd write it: in quotes, or up to the
 * next blank or mark such as `|` and `;`. A list goes on behind a comma and a blank, unless another key follows. What
 * another key has in double quotes, the header of CEF and LEEF, and the query of a URL hold no keys: they are written by
 * whom the line is about. Linear.
 */
export function keyedValue(name: string): LocateField {
  const key = Buffer.from(name);
  return (bytes, start, end, span) => {
    const line = bytes.subarray(start, end);
    let quotes = { upTo: 0, isOpen: false };
    for (let at = line.indexOf(key, behindHeader(line)); at >= 0; at = line.indexOf(key, at + 1)) {
      const value = valueStart(line, at + key.length);
      if (value < 0 || !isFront(line, at)) continue;
      quotes = quotesUpTo(line, at, quotes);
      if (quotes.isOpen) continue;
      span.bytes = bytes;
      span.start = start + value;
      span.end = valueEnd(bytes, span, end);
      return true;
    }
    return false;
  };
}

/** Whether a line has a value by this name. */
export function hasKey(line: Buffer, name: string): boolean {
  return keyedValue(name)(line, 0, line.length, { bytes: line, start: 0, end: 0 });
}

/** Where keys may begin. */
function behindHeader(line: Buffer): number {
  for (const { name, pipes } of HEADERS) {
    let at = line.indexOf(name);
    if (at < 0) continue;
    for (let left = pipes; left > 0 && at >= 0; left--) {
      do at = line.indexOf(PIPE, at + 1);
      while (at > 0 && line[at - 1] === BACKSLASH);
    }
    if (at >= 0) return at;
  }
  return 0;
}

function isFront(line: Buffer, at: number): boolean {
  if (at === 0 || IS_NAME[line[at - 1]!] === 0) return true;
  return ESCAPED.test(line.toString("latin1", Math.max(0, at - LONGEST_ESCAPE), at));
}

/** Where the value begins behind the name of a key, which may be colored; -1: that is no key. */
function valueStart(line: Buffer, at: number): number {
  const equals = behindColor(line, at);
  return line[equals] === EQUALS ? behindColor(line, equals + 1) : -1;
}

function behindColor(line: Buffer, at: number): number {
  if (line[at] !== ESC || line[at + 1] !== OPEN) return at;
  const end = line.indexOf(LETTER_M, at);
  return end < 0 ? at : end + 1;
}

/** Whether a double quote is open at `at`, with what is known up to an earlier position. */
function quotesUpTo(
  line: Buffer,
  at: number,
  { upTo, isOpen }: { upTo: number; isOpen: boolean },
): { upTo: number; isOpen: boolean } {
  for (let next = upTo; next < at; next++) {
    if (line[next] === BACKSLASH) next++;
    else if (line[next] === QUOTE) isOpen = !isOpen;
  }
  return { upTo: at, isOpen };
}

/** Moves the start behind an opening quote. */
function valueEnd(bytes: Buffer, span: { start: number }, end: number): number {
  if (span.start < end && bytes[span.start] === QUOTE) {
    let at = ++span.start;
    for (; at < end && bytes[at] !== QUOTE; at++) if (bytes[at] === BACKSLASH) at++;
    return Math.min(at, end);
  }
  let isQuoted = false; // a part of the value is: for="[2001:db8::1]:443"
  let at = span.start;
  for (; at < end; at++) {
    const byte = bytes[at]!;
    if (byte === QUOTE && (isQuoted || bytes[at - 1] === EQUALS)) isQuoted = !isQuoted;
    else if (isQuoted) continue;
    else if (ENDS_VALUE[byte] === 1 || (byte === CLOSE && bytes[span.start] !== OPEN)) break;
    else if (byte === SPACE && (bytes[at - 1] !== COMMA || isKey(bytes, at + 1, end))) break;
    else if (byte === COMMA && isKey(bytes, at + 1, end)) break;
  }
  while (at > span.start && (bytes[at - 1] === COMMA || bytes[at - 1] === SPACE)) at--;
  return at;
}

function isKey(bytes: Buffer, at: number, end: number): boolean {
  const from = at;
  while (at < end && IS_NAME[bytes[at]!] === 1) at++;
  return at > from && at < end && bytes[at] === EQUALS;
}
