import { LINE_STARTS, MISSING } from "../workspace.ts";
import { countChunk } from "./count.ts";
import { chunkLines, scanChunk } from "./scan.ts";
import { workspace } from "./workspace.ts";

// Whether lines are JSON objects, as far as their first and last byte tell (src/batch/lines/json-line.ts).

const CR: u8 = 0x0d;
const OPEN_OBJECT: u8 = 0x7b;
const CLOSE_OBJECT: u8 = 0x7d;
/**
 * As `countLines` (count.ts), until a chunk has lines that are no objects; returns where the next chunk begins, and the
 * counts have all before it.
 */
export function countObjects(at: usize, end: usize): usize {
  while (at < end) {
    at = scanChunk(at, end);
    countChunk();
    if (!areRegular(chunkLines)) break;
  }
  return at;
}

/** Whether each of the first so many lines of the chunk begins and ends with a brace, without a CR behind it. */
function areRegular(lines: i32): bool {
  const starts = workspace + LINE_STARTS;
  const end = starts + (<usize>lines << 2);
  let others: u32 = 0;
  let start = <usize>load<u32>(starts);
  for (let line = starts; line < end; line += 4) {
    const next = <usize>load<u32>(line, 4);
    others |= (load<u8>(start) ^ OPEN_OBJECT) | (load<u8>(next - 2) ^ CLOSE_OBJECT);
    start = next;
  }
  return others == 0;
}

/**
 * Stores at MISSING the numbers of the lines of the chunk, of the first so many, that do not begin with a brace or do not
 * end with one, and returns how many they are.
 */
export function irregularObjects(lines: i32): i32 {
  if (lines > chunkLines) lines = chunkLines;
  if (areRegular(lines)) return 0;
  const base = workspace;
  let to = base + MISSING;
  for (let line = 0; line < lines; line++) {
    const start = <usize>load<u32>(base + (<usize>line << 2), LINE_STARTS);
    let last = <usize>load<u32>(base + (<usize>line << 2), LINE_STARTS + 4) - 2;
    if (load<u8>(last) == CR) last--;
    store<i32>(to, line);
    to += <usize>(load<u8>(start) != OPEN_OBJECT || load<u8>(last) != CLOSE_OBJECT || last <= start) << 2;
  }
  return <i32>((to - base - MISSING) >>> 2);
}
