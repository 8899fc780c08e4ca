import { VECTOR_BACKSLASH, VECTOR_CLOSE, VECTOR_LOWER_CASE, VECTOR_OPEN, VECTOR_QUOTE } from "../workspace.ts";
import { workspace } from "./workspace.ts";

// The ends of JSON values, as src/batch/lines/fields/_json-member.ts finds them, which states the rule.

const SPACE: u8 = 0x20;
export const QUOTE: u8 = 0x22;
export const COMMA: u8 = 0x2c;
export const OPEN_ARRAY: u8 = 0x5b;
export const OPEN_OBJECT: u8 = 0x7b;

/** Whether `stringEnd` has come by a backslash since `forgetEscape`. */
export let hasEscape: bool = false;

@inline
export function forgetEscape(): void {
  hasEscape = false;
}

/** The closing quote of the string whose text begins at `at`; 0 if there is none before `end`. */
@inline
export function stringEnd(at: usize, end: usize, quotes: v128, backslashes: v128): usize {
  // `at` is at most end + 1, so that 16 bytes can be read.
  while (at < end) {
    const text = v128.load(at);
    const mask = i8x16.bitmask(v128.or(i8x16.eq(text, quotes), i8x16.eq(text, backslashes)));
    if (mask == 0) {
      at += 16;
      continue;
    }
    at += <usize>ctz(mask);
    if (at >= end) return 0;
    if (load<u8>(at) == QUOTE) return at;
    hasEscape = true;
    at += 2;
  }
  return 0;
}

/** The position after a number, true, false or null at `at`; 0 if there is none, or it ends with the line. */
@inline
export function scalarEnd(at: usize, end: usize, commas: v128, closes: v128, cases: v128): usize {
  const start = at;
  while (at < end) {
    // What may end it: all bytes up to the comma, which are few in a number, and closing brackets, "]" | 0x20 = "}".
    const text = v128.load(at);
    const mask = i8x16.bitmask(v128.or(i8x16.le_u(text, commas), i8x16.eq(v128.or(text, cases), closes)));
    if (mask == 0) {
      at += 16;
      continue;
    }
    at += <usize>ctz(mask);
    if (at >= end) return 0;
    const byte = load<u8>(at);
    if (byte == COMMA || byte > COMMA || isBlank(byte)) return at > start ? at : 0;
    at++;
  }
  return 0;
}

/** The position after the object or array at `at`, of which only brackets and strings are read; 0 if it has no end. */
export function skipNested(at: usize, end: usize): usize {
  const quotes = v128.load(workspace, VECTOR_QUOTE);
  const backslashes = v128.load(workspace, VECTOR_BACKSLASH);
  const opens = v128.load(workspace, VECTOR_OPEN);
  const closes = v128.load(workspace, VECTOR_CLOSE);
  const cases = v128.load(workspace, VECTOR_LOWER_CASE);
  let depth = 0;
  while (at < end) {
    const text = v128.load(at);
    const lower = v128.or(text, cases); // "[" | 0x20 = "{", "]" | 0x20 = "}"
    const mask = i8x16.bitmask(v128.or(i8x16.eq(text, quotes), v128.or(i8x16.eq(lower, opens), i8x16.eq(lower, closes))));
    if (mask == 0) {
      at += 16;
      continue;
    }
    at += <usize>ctz(mask);
    if (at >= end) return 0;
    const byte = load<u8>(at);
    if (byte == QUOTE) {
      at = stringEnd(at + 1, end, quotes, backslashes);
      if (at == 0) return 0;
    } else if (byte == OPEN_OBJECT || byte == OPEN_ARRAY) {
      depth++;
    } else if (--depth == 0) {
      return at + 1;
    }
    at++;
  }
  return 0;
}

@inline
export function skipBlanks(at: usize, end: usize): usize {
  while (at < end && isBlank(load<u8>(at))) at++;
  return at;
}

@inline
export function isBlank(byte: u8): bool {
  return byte == SPACE || byte == 0x09 || byte == 0x0d;
}
