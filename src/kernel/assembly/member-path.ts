import {
  NOTED_VALUES,
  PATH_VALUES,
  PATH_STEPS,
  STEP_BYTES,
  STEP_KIND,
  STEP_LENGTH,
  STEP_MASK,
  STEPS,
  VECTOR_BACKSLASH,
  VECTOR_COMMA,
  VECTOR_LOWER_CASE,
  VECTOR_OPEN,
  VECTOR_QUOTE,
} from "../workspace.ts";
import { OPEN_ARRAY, OPEN_OBJECT, QUOTE, skipNested } from "./json-values.ts";
import { workspace } from "./workspace.ts";

/*
 * Lines that one program wrote have the same keys in the same order. So the way to the member in one line is remembered
 * as the texts between the values, with the quotes of these, and what kind of value comes after each:
 *
 *     {"time":"     a string     ","status":     a scalar     ,"client_ip":"     the member
 *
 * What `searchObject` decides depends on these texts and kinds alone. So where another line has the same texts, each at
 * the end of a value of that kind, the member is where they lead. A text has no LF, so that the texts end in their line
 * if all values do. A string ends at its first quote or backslash: after a backslash the text does not match.
 *
 * Two lines are followed side by side: no line waits for where a value in the other ends. A step has 48 bytes, the last
 * eight of them unused:
 *
 *      0   text      up to 16 bytes; a longer text takes several steps
 *     16   mask      of these bytes
 *     32   length    of the text
 *     36   kind      of the value after it
 */
const TEXT: i32 = 0; // no value: the text goes on
const STRING: i32 = 1;
const SCALAR: i32 = 2;
const NESTED: i32 = 3; // an object or array
const MEMBER: i32 = 4;

/** Whether a way is remembered. */
let known: bool = false;

/** How many values were noted. */
let noted: i32 = 0;

/** Where the member of each of the two lines begins, after its quote. */
export let memberOne: usize = 0;
export let memberTwo: usize = 0;

export function forgetPath(): void {
  known = false;
}

export function hasPath(): bool {
  return known;
}

export function forgetValues(): void {
  noted = 0;
}

/** Notes that a value before the member is [begin, end). There is room for one more than counts. */
@inline
export function noteValue(begin: usize, end: usize): void {
  const to = workspace + (<usize>min(noted, PATH_VALUES) << 3);
  store<u32>(to, begin, NOTED_VALUES);
  store<u32>(to, end, NOTED_VALUES + 4);
  noted++;
}

/** Remembers the way from the front of a line over the values that were noted to the member, if that is a string. */
export function learnPath(start: usize, member: usize): void {
  if (noted > PATH_VALUES || load<u8>(member) != QUOTE) return;
  let step = workspace + STEPS;
  let from = start;
  for (let value = 0; value < noted && step != 0; value++) {
    const begin = <usize>load<u32>(workspace + (<usize>value << 3), NOTED_VALUES);
    const end = <usize>load<u32>(workspace + (<usize>value << 3), NOTED_VALUES + 4);
    const kind = kindOf(load<u8>(begin));
    step = addText(step, from, kind == SCALAR ? begin : begin + 1, kind);
    from = kind == STRING ? end - 1 : end;
  }
  known = step != 0 && addText(step, from, member + 1, MEMBER) != 0;
}

function kindOf(byte: u8): i32 {
  if (byte == QUOTE) return STRING;
  return byte == OPEN_OBJECT || byte == OPEN_ARRAY ? NESTED : SCALAR;
}

/** Adds the steps of the text [from, to) at `step`; returns where the next goes, 0 if there is no room. */
function addText(step: usize, from: usize, to: usize, kind: i32): usize {
  const end = workspace + STEPS + PATH_STEPS * STEP_BYTES;
  for (; step < end; step += STEP_BYTES, from += 16) {
    const length = min(to - from, 16);
    memory.fill(step, 0, STEP_BYTES);
    memory.copy(step, from, length);
    memory.fill(step + STEP_MASK, 0xff, length);
    store<u32>(step, length, STEP_LENGTH);
    store<i32>(step, to - from > 16 ? TEXT : kind, STEP_KIND);
    if (to - from <= 16) return step + STEP_BYTES;
  }
  return 0;
}

/** Whether the way leads to the member in both lines; each is [start, newline). */
@inline
export function followPath(start1: usize, newline1: usize, start2: usize, newline2: usize): bool {
  const base = workspace;
  const quotes = v128.load(base, VECTOR_QUOTE);
  const backslashes = v128.load(base, VECTOR_BACKSLASH);
  let at1 = start1;
  let at2 = start2;
  // Both are at most at their newline here, so that a text can be read; the last step is that of the member.
  let step = base + STEPS;
  while (true) {
    const text = v128.load(step);
    const others = v128.or(v128.xor(v128.load(at1), text), v128.xor(v128.load(at2), text));
    if (v128.any_true(v128.and(others, v128.load(step, STEP_MASK)))) return false;
    const length = <usize>load<u32>(step, STEP_LENGTH);
    const kind = load<i32>(step, STEP_KIND);
    at1 += length;
    at2 += length;
    if (kind == STRING) {
      at1 = quoteOrBackslash(at1, newline1, quotes, backslashes);
      at2 = quoteOrBackslash(at2, newline2, quotes, backslashes);
      if (at1 > newline1) return false;
      if (at2 > newline2) return false;
    } else if (kind == MEMBER) {
      memberOne = at1;
      memberTwo = at2;
      return true;
    } else if (kind != TEXT) {
      at1 = kind == SCALAR ? afterScalar(at1, newline1) : skipNested(at1 - 1, newline1);
      at2 = kind == SCALAR ? afterScalar(at2, newline2) : skipNested(at2 - 1, newline2);
      if (at1 == 0 || at2 == 0) return false;
    }
    step += STEP_BYTES;
  }
}

/** The position of the first quote or backslash from `at` on, or a position after `end`, where there may be none. */
@inline
function quoteOrBackslash(at: usize, end: usize, quotes: v128, backslashes: v128): usize {
  while (true) {
    const text = v128.load(at);
    const mask = i8x16.bitmask(v128.or(i8x16.eq(text, quotes), i8x16.eq(text, backslashes)));
    if (mask != 0) return at + <usize>ctz(mask);
    at += 16;
    if (at > end) return at;
  }
}

/**
 * The position after the bytes at `at` that a scalar may have; 0: there are none, or they do not end before `end`. It
 * also stops at bytes that do not end a scalar, before which no text matches: those up to the comma, and from "[" on.
 */
@inline
function afterScalar(at: usize, end: usize): usize {
  const commas = v128.load(workspace, VECTOR_COMMA);
  const opens = v128.load(workspace, VECTOR_OPEN);
  const cases = v128.load(workspace, VECTOR_LOWER_CASE);
  const start = at;
  while (at < end) {
    const text = v128.load(at);
    // "[" | 0x20 = "{"
    const mask = i8x16.bitmask(v128.or(i8x16.le_u(text, commas), i8x16.ge_u(v128.or(text, cases), opens)));
    if (mask == 0) {
      at += 16;
      continue;
    }
    at += <usize>ctz(mask);
    return at > start && at < end ? at : 0;
  }
  return 0;
}
