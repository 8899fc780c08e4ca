import { skipMark } from "./byte-order-mark.ts";

const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Where the line `bytes[start, end)` stops being a JSON object, as far as its first and last byte tell; -1: it may be
 * one, or it is blank.
 */
export function notAnObject(bytes: Uint8Array, start: number, end: number): number {
  const first = skipBlanks(bytes, skipMark(bytes, start, end), end);
  if (first === end) return -1;
  if (bytes[first] !== OPEN_OBJECT) return first;
  let last = end - 1;
  while (isBlank(bytes[last]!)) last--;
  return bytes[last] === CLOSE_OBJECT && last > first ? -1 : last + 1;
}

/** Whether an object begins right behind another in these lines of JSON, in a text perhaps. */
export function hasPairs(bytes: Buffer, start: number, end: number): boolean {
  return bytes.subarray(start, end).indexOf("}{") >= 0;
}

/**
 * Where the object at the front of the line `bytes[start, end)` ends, if another begins right behind it; otherwise `end`.
 * Only brackets and strings are read.
 */
export function endOfObject(bytes: Uint8Array, start: number, end: number): number {
  let at = skipBlanks(bytes, start, end);
  if (at === end || bytes[at] !== OPEN_OBJECT) return end;
  let depth = 0;
  for (; at < end; at++) {
    const byte = bytes[at]!;
    if (byte === QUOTE) {
      for (at++; at < end && bytes[at] !== QUOTE; at++) if (bytes[at] === BACKSLASH) at++;
    } else if (byte === OPEN_OBJECT || byte === 0x5b) depth++;
    else if ((byte === CLOSE_OBJECT || byte === 0x5d) && --depth === 0)
      return at + 1 < end && bytes[at + 1] === OPEN_OBJECT ? at + 1 : end;
  }
  return end;
}

function skipBlanks(bytes: Uint8Array, at: number, end: number): number {
  while (at < end && isBlank(bytes[at]!)) at++;
  return at;
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d;
}
