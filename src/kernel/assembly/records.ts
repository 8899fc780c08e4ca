import { FIELD_START, PLAIN, QUOTE_SEEN, QUOTED, VECTOR_COMMA, VECTOR_LF, VECTOR_QUOTE } from "../workspace.ts";
import { bytesIn, parities, upTo } from "./byte-masks.ts";
import { workspace } from "./workspace.ts";

// Records of CSV, as `CsvRecordCutter` finds them (src/batch/lines/csv-records.ts), by the masks that columns.ts draws.

const LF: u8 = 0x0a;
const QUOTE: u8 = 0x22;
const COMMA: u8 = 0x2c;

/** The state at the end of the text that was cut last. */
let state: i32 = FIELD_START;

export function stateOfRecords(): i32 {
  return state;
}

/**
 * The position after the last LF in [at, end) that ends a record, 0 without one; `before` is the state at `at`. The
 * byte at `end` and 63 more can be read.
 */
export function cutRecords(at: usize, end: usize, before: i32): usize {
  const quotes = v128.load(workspace, VECTOR_QUOTE);
  const commas = v128.load(workspace, VECTOR_COMMA);
  const newlines = v128.load(workspace, VECTOR_LF);
  let recordEnd: usize = 0;
  state = before;
  for (; at < end; at += 64) {
    const bits = end - at;
    const quoted = upTo(bits, bytesIn(at, quotes));
    const inside = parities(quoted) ^ (state == QUOTED ? -1 : 0);
    const outside = ~inside;
    const ends = upTo(bits, bytesIn(at, newlines)) & outside;
    const fronts = ends | (upTo(bits, bytesIn(at, commas)) & outside);
    const mayOpen = <u64>(state == FIELD_START || state == QUOTE_SEEN);
    if ((quoted & inside & ~(((fronts | quoted) << 1) | mayOpen)) != 0) {
      // A quote is an ordinary character.
      const last = cutByBytes(at, bits < 64 ? end : at + 64);
      if (last != 0) recordEnd = last;
      continue;
    }
    if (ends != 0) recordEnd = at + 64 - <usize>clz(ends);
    const last = <u64>1 << (bits < 64 ? bits - 1 : 63);
    state = (inside & last) != 0 ? QUOTED : (quoted & last) != 0 ? QUOTE_SEEN : (fronts & last) != 0 ? FIELD_START : PLAIN;
  }
  return recordEnd;
}

/** As `cutRecords`, byte by byte from `state` on. */
function cutByBytes(at: usize, end: usize): usize {
  let recordEnd: usize = 0;
  for (; at < end; at++) {
    const byte = load<u8>(at);
    if (state == QUOTED) {
      if (byte == QUOTE) state = QUOTE_SEEN;
    } else if (byte == QUOTE && state != PLAIN) {
      state = QUOTED;
    } else {
      state = byte == COMMA || byte == LF ? FIELD_START : PLAIN;
      if (byte == LF) recordEnd = at + 1;
    }
  }
  return recordEnd;
}
