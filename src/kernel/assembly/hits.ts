import { CHUNK_BYTES, CHUNK_LINES, HIT_ENTRIES, HITS, VECTOR_DOT, VECTOR_IS_COLON, VECTOR_LF } from "../workspace.ts";
import { HIT_BYTES, hitsOf } from "./find.ts";
import { workspace } from "./workspace.ts";

const LF: u8 = 0x0a;

/** All hits of the chunk before this position are at HITS, in order. After the last hit at HITS is -1. */
export let hitsKnown: usize = 0;

/*
 * A step reads the masks of 64 bytes and takes newlines and hits from the first 48 of them. What the last 16 have is
 * carried to the next step:
 *
 *     at        16        32        48        64
 *     | carried |        three vectors        |
 *     |     newlines and hits      | lookahead|     hits look 15 bytes ahead (find.ts)
 *
 * Bounds: as for `findLines`, a step begins with at most CHUNK_LINES starts after the first. It begins with at most
 * HIT_ENTRIES hits, and finds 48 newlines and 48 hits at most. Once there are HIT_ENTRIES hits, the chunk ends after the
 * line at hand: until then further hits are written over each other, from HIT_ENTRIES on, and count as not known.
 */
/** As `findLines`, and finds the hits in these lines. */
export function findLinesAndHits(at: usize, end: usize, starts: usize): i32 {
  if (load<u8>(end - 1) != LF) end++;
  const most = starts + (CHUNK_LINES << 2);
  const mostHits = workspace + HITS + (HIT_ENTRIES << 2);
  let bytesEnd: usize = end - at > <usize>CHUNK_BYTES ? at + CHUNK_BYTES : end;
  const lf = v128.load(workspace, VECTOR_LF);
  const dot = v128.load(workspace, VECTOR_DOT);
  const colon = v128.load(workspace, VECTOR_IS_COLON);
  let out = starts + 4;
  let hit = workspace + HITS;
  store<u32>(starts, at);
  let text = v128.load(at);
  let lfs = <u64>(<u32>i8x16.bitmask(i8x16.eq(text, lf)));
  let dots = <u64>(<u32>i8x16.bitmask(i8x16.eq(text, dot)));
  let colons = <u64>(<u32>i8x16.bitmask(i8x16.eq(text, colon)));
  while (at < end) {
    lfs |= lastThree(at, lf);
    dots |= lastThree(at, dot);
    colons |= lastThree(at, colon);

    let newlines = lfs & (((<u64>1) << HIT_BYTES) - 1);
    // Newlines past `end` do not belong to this text. Here the shift is one of 1 to 47.
    if (end - at < HIT_BYTES) newlines &= ((<u64>1) << (end - at)) - 1;
    for (; newlines != 0; newlines &= newlines - 1, out += 4) store<u32>(out, at + <usize>ctz(newlines) + 1);
    for (let hits = hitsOf(dots, colons); hits != 0; hits &= hits - 1, hit += 4) store<u32>(hit, at + <usize>ctz(hits));

    if (hit >= mostHits) {
      hit = mostHits;
      if (at < bytesEnd) bytesEnd = at; // what this step found may lie beyond HIT_ENTRIES
    }
    at += HIT_BYTES;
    lfs >>>= HIT_BYTES;
    dots >>>= HIT_BYTES;
    colons >>>= HIT_BYTES;
    if (out > most || at >= bytesEnd) {
      if (out > starts + 4) break;
    }
  }
  store<u32>(hit, -1);
  hitsKnown = bytesEnd;
  return <i32>((out - starts) >>> 2) - 1;
}

/** Bit i is set where bytes[at + i] is this byte, 16 <= i < 64. */
@inline
function lastThree(at: usize, byte: v128): u64 {
  const m1 = <u32>i8x16.bitmask(i8x16.eq(v128.load(at, 16), byte));
  const m2 = <u32>i8x16.bitmask(i8x16.eq(v128.load(at, 32), byte));
  const m3 = <u32>i8x16.bitmask(i8x16.eq(v128.load(at, 48), byte));
  return (<u64>(m1 | (m2 << 16)) << 16) | (<u64>m3 << 48);
}
