import type { LocateField } from "./field-spec.ts";

const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const EQUALS = 0x3d;
const BACKSLASH = 0x5c;

/** Bytes of the name of a key: what comes before `NAME=` must be another. */
const IS_NAME = new Uint8Array(256);
for (const byte of Buffer.from("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_.-")) IS_NAME[byte] = 1;

/** What ends a value without quotes, besides a blank. */
const ENDS_VALUE = new Uint8Array(256);
for (const byte of Buffer.from('\t|;)}>"\\')) ENDS_VALUE[byte] = 1;

/**
 * The value of the first `NAME=` in a line, as CEF, LEEF, logfmt, firewalls and auditd write it: in quotes, or up to the
 * next blank or mark such as `|` and `;`. A list goes on behind a comma and a blank, unless another key follows. Linear.
 */
export function keyedValue(name: string): LocateField {
  const key = Buffer.from(`${name}=`);
  return (bytes, start, end, span) => {
    const line = bytes.subarray(start, end);
    for (let at = line.indexOf(key); at >= 0; at = line.indexOf(key, at + 1)) {
      if (at > 0 && IS_NAME[line[at - 1]!] === 1) continue;
      span.bytes = bytes;
      span.start = start + at + key.length;
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

/** Moves the start behind an opening quote, which may be escaped. */
function valueEnd(bytes: Buffer, span: { start: number }, end: number): number {
  let at = span.start;
  while (at < end && bytes[at] === BACKSLASH) at++;
  if (at < end && bytes[at] === QUOTE) {
    span.start = at + 1;
    at = bytes.subarray(0, end).indexOf(QUOTE, at + 1);
    if (at < 0) return end;
    while (at > span.start && bytes[at - 1] === BACKSLASH) at--;
    return at;
  }
  for (at = span.start; at < end; at++) {
    const byte = bytes[at]!;
    if (ENDS_VALUE[byte] === 1) break;
    if (byte === SPACE && (bytes[at - 1] !== COMMA || isKey(bytes, at + 1, end))) break;
  }
  while (at > span.start && (bytes[at - 1] === COMMA || bytes[at - 1] === SPACE)) at--;
  return at;
}

function isKey(bytes: Buffer, at: number, end: number): boolean {
  const from = at;
  while (at < end && IS_NAME[bytes[at]!] === 1) at++;
  return at > from && at < end && bytes[at] === EQUALS;
}
