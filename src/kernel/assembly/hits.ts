import {
  CHUNK_BYTES,
  CHUNK_LINES,
  HIT_ENTRIES,
  HITS,
  VECTOR_COLON_BITS,
  VECTOR_DOT_TABLE,
  VECTOR_LOW_NIBBLE,
  VECTOR_TEN,
} from "../workspace.ts";
import { maskOf4 } from "./byte-masks.ts";
import { HIT_BYTES, hitsOf } from "./find.ts";
import { workspace } from "./workspace.ts";

const LF: u8 = 0x0a;

/** All hits of the chunk before this position are at HITS, in order. After the last hit at HITS is -1. */
export let hitsKnown: usize = 0;

/*
 * A step reads 64 bytes and takes newlines and hits from the first HIT_BYTES of them; the next step begins there, and
 * reads the last 8 again (find.ts tells why that is enough). Two masks show three kinds of bytes:
 *
 *     dots      . and LF
 *     colons    : and LF, and also * and 0x1a, which differ from them in the same two bits
 *     both      LF
 *
 * So some hits are none. They cost time but change nothing, since whatever is at a hit is read by the rule.
 *
 * Bounds: as for `findLines`, a step begins with at most CHUNK_LINES starts after the first. It begins with at most
 * HIT_ENTRIES hits, and finds HIT_BYTES newlines and HIT_BYTES hits at most. Once there are HIT_ENTRIES hits, the chunk
 * ends after the line at hand: until then further hits are written over each other, from HIT_ENTRIES on, and count as
 * not known.
 */
/** As `findLines`, and finds the hits in these lines. */
export function findLinesAndHits(at: usize, end: usize, starts: usize): i32 {
  if (load<u8>(end - 1) != LF) end++;
  const most = starts + (CHUNK_LINES << 2);
  const mostHits = workspace + HITS + (HIT_ENTRIES << 2);
  let known: usize = end - at > <usize>CHUNK_BYTES ? at + CHUNK_BYTES : end;
  let stop = known; // the step that reaches this is the last if there is a line
  const table = v128.load(workspace, VECTOR_DOT_TABLE);
  const low = v128.load(workspace, VECTOR_LOW_NIBBLE);
  const bits = v128.load(workspace, VECTOR_COLON_BITS);
  const ten = v128.load(workspace, VECTOR_TEN);
  let out = starts + 4;
  let hit = workspace + HITS;
  store<u32>(starts, at);
  while (true) {
    const text0 = v128.load(at);
    const text1 = v128.load(at, 16);
    const text2 = v128.load(at, 32);
    const text3 = v128.load(at, 48);
    const dots = maskOf4(dotsIn(text0, table, low), dotsIn(text1, table, low), dotsIn(text2, table, low), dotsIn(text3, table, low));
    const colons = maskOf4(colonsIn(text0, bits, ten), colonsIn(text1, bits, ten), colonsIn(text2, bits, ten), colonsIn(text3, bits, ten));

    // Most steps find no newline, and fewer find a hit: what only these change is compared only there.
    let newlines = dots & colons & (((<u64>1) << HIT_BYTES) - 1);
    if (newlines != 0) {
      // Newlines past `end` do not belong to this text. Here the shift is one of 1 to 55.
      if (end - at < HIT_BYTES) newlines &= ((<u64>1) << (end - at)) - 1;
      for (; newlines != 0; newlines &= newlines - 1, out += 4) store<u32>(out, at + <usize>ctz(newlines) + 1);
      if (out > most) stop = at;
    }
    let hits = hitsOf(dots, colons);
    if (hits != 0) {
      for (; hits != 0; hits &= hits - 1, hit += 4) store<u32>(hit, at + <usize>ctz(hits));
      if (hit >= mostHits) {
        hit = mostHits;
        stop = at;
        if (at < known) known = at; // what this step found may lie beyond HIT_ENTRIES
      }
    }
    at += HIT_BYTES;
    if (at >= stop && (out > starts + 4 || at >= end)) break;
  }
  store<u32>(hit, -1);
  hitsKnown = known;
  return <i32>((out - starts) >>> 2) - 1;
}

/** Bytes that are a dot or an LF: 0xff, others 0. The table has, by its lower four bits, the byte that is one. */
@inline
function dotsIn(text: v128, table: v128, low: v128): v128 {
  return i8x16.eq(text, i8x16.relaxed_swizzle(table, v128.and(text, low)));
}

/** Bytes that are a colon or an LF, or * or 0x1a: without the bits in which these four differ they are 0x0a. */
@inline
function colonsIn(text: v128, bits: v128, ten: v128): v128 {
  return i8x16.eq(v128.and(text, bits), ten);
}
