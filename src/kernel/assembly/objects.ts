import { LINE_STARTS, MISSING } from "../workspace.ts";
import { chunkLines } from "./scan.ts";
import { workspace } from "./workspace.ts";

// Whether lines are JSON objects, as far as their first and last byte tell (src/batch/lines/json-line.ts), one each.

const CR: u8 = 0x0d;
const OPEN_OBJECT: u8 = 0x7b;
const CLOSE_OBJECT: u8 = 0x7d;
/** `}{`, the first byte lowest. */
const PAIR: i16 = 0x7b7d;

/** Whether an object begins right behind another in the text [at, end), of which 64 bytes more can be read. */
export function hasPairs(at: usize, end: usize): bool {
  // Pairs at even and at odd positions are compared at once; what is read past the end may be one, which is only slow.
  const pair = i16x8.splat(PAIR);
  while (at < end) {
    const stop = end - at > 4096 ? at + 4096 : end;
    let found = i16x8.eq(v128.load(at), pair);
    for (; at < stop; at += 32) {
      const even = v128.or(i16x8.eq(v128.load(at), pair), i16x8.eq(v128.load(at, 16), pair));
      const odd = v128.or(i16x8.eq(v128.load(at, 1), pair), i16x8.eq(v128.load(at, 17), pair));
      found = v128.or(found, v128.or(even, odd));
    }
    if (v128.any_true(found)) return true;
  }
  return false;
}

/**
 * Stores at MISSING the numbers of the lines of the chunk, of the first so many, that do not begin with a brace or do not
 * end with one, and returns how many they are.
 */
export function irregularObjects(lines: i32): i32 {
  const base = workspace;
  let to = base + MISSING;
  if (lines > chunkLines) lines = chunkLines;
  for (let line = 0; line < lines; line++) {
    const start = <usize>load<u32>(base + (<usize>line << 2), LINE_STARTS);
    let last = <usize>load<u32>(base + (<usize>line << 2), LINE_STARTS + 4) - 2;
    if (load<u8>(last) == CR) last--;
    store<i32>(to, line);
    to += <usize>(load<u8>(start) != OPEN_OBJECT || load<u8>(last) != CLOSE_OBJECT || last <= start) << 2;
  }
  return <i32>((to - base - MISSING) >>> 2);
}
