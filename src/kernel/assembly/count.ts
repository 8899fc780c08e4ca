import { LINES_4, LINES_6, MATCHES, MATCHES_4, MATCHES_6, WORDS_4, WORDS_6, WORDS_AT } from "../workspace.ts";
import { skipExpired } from "./active.ts";
import { lookupBatch4 } from "./lookup-ipv4.ts";
import { lookupBatch6 } from "./lookup-ipv6.ts";
import { chunkLines, found4, found6, scanChunk } from "./scan.ts";
import { workspace } from "./workspace.ts";

/**
 * The address of the line counters, one 64-bit float per match id (0: addresses without a match); 0: lines are not
 * counted.
 */
let perMatch: usize = 0;

/** Ids up to this are of lines without a match. */
export let lastUnmatched: i32 = 0;

/** What was counted since `resetCounts`. */
let lines: i32 = 0;
let addresses: i32 = 0;
let matched: i32 = 0;

export function countMatches(at: usize): void {
  perMatch = at;
}

export function useUnmatched(last: i32): void {
  lastUnmatched = last;
}

export function resetCounts(): void {
  lines = addresses = matched = 0;
}

export function countedLines(): i32 {
  return lines;
}

export function countedAddresses(): i32 {
  return addresses;
}

export function countedMatched(): i32 {
  return matched;
}

/** Counts the lines of the text [at, end), for which the rules of `scanChunk` hold. */
export function countLines(at: usize, end: usize): void {
  while (at < end) {
    const next = scanChunk(at, end);
    // Each chunk has a line, and a line has its LF, so `next` is past `at`: the loop ends after at most end - at
    // iterations.
    if (next <= at) unreachable(); // no LF ends the text
    countChunk();
    at = next;
  }
}

/** Looks up the addresses of the chunk that was scanned last, and skips what has expired. */
@inline
function lookUpFound(base: usize): void {
  lookupBatch4(base + WORDS_4, base + MATCHES_4, found4);
  skipExpired(base + MATCHES_4, found4);
  if (found6 == 0) return;
  lookupBatch6(base + WORDS_6, base + MATCHES_6, found6);
  skipExpired(base + MATCHES_6, found6);
}

/** Looks up the addresses of the chunk that was scanned last, and counts its lines. */
export function countChunk(): void {
  const base = workspace;
  lookUpFound(base);
  lines += chunkLines;
  addresses += found4 + found6;
  matched += found4 + found6 - unmatchedOf(base + MATCHES_4, found4) - unmatchedOf(base + MATCHES_6, found6);
  if (perMatch != 0) {
    addToCounters(base + MATCHES_4, found4);
    addToCounters(base + MATCHES_6, found6);
  }
}

/** How many of the ids at `matches` are 0. At most LINE_ENTRIES / 4 = 160 a lane: no counter overflows. */
function unmatchedOf(matches: usize, count: i32): i32 {
  // A comparison gives -1 where it is true, so subtracting it counts. Four counters at a time, then up to three ids one
  // by one.
  let zeros = i32x4.splat(0);
  const whole = matches + (<usize>(count & ~3) << 2);
  const end = matches + (<usize>count << 2);
  for (; matches < whole; matches += 16) zeros = i32x4.sub(zeros, i32x4.eq(v128.load(matches), i32x4.splat(0)));
  let unmatched = i32x4.extract_lane(zeros, 0) + i32x4.extract_lane(zeros, 1) + i32x4.extract_lane(zeros, 2) + i32x4.extract_lane(zeros, 3);
  for (; matches < end; matches += 4) unmatched += <i32>(load<i32>(matches) == 0);
  return unmatched;
}

function addToCounters(matches: usize, count: i32): void {
  for (let end = matches + (<usize>count << 2); matches < end; matches += 4) countMatch(load<u32>(matches));
}

/**
 * A float counts exactly up to 2^53. The lookup has checked that the id is at most `matchCount`, and there are
 * matchCount + 1 counters.
 */
@inline
function countMatch(match: u32): void {
  const counter = perMatch + (<usize>match << 3);
  store<f64>(counter, load<f64>(counter) + 1);
}

/** Counts `count` lines by their match ids at `matches`, -1 for no address. */
export function countRange(matches: usize, count: i32): void {
  let withAddress = 0;
  let covered = 0;
  for (let end = matches + (<usize>count << 2), at = matches; at < end; at += 4) {
    const match = load<i32>(at);
    withAddress += <i32>(match >= 0);
    covered += <i32>(match > lastUnmatched);
    if (perMatch != 0 && match >= 0) countMatch(match);
  }
  lines += count;
  addresses += withAddress;
  matched += covered;
}

/**
 * Looks up the addresses of the chunk that was scanned last and stores for each line its match id (0 none, -1 no
 * address) and where the words of its address are.
 */
export function lookupChunk(): void {
  const base = workspace;
  lookUpFound(base);
  if (found4 + found6 != chunkLines) memory.fill(base + MATCHES, 0xff, <usize>chunkLines << 2);
  scatter(MATCHES_4, LINES_4, found4, WORDS_4, 2);
  scatter(MATCHES_6, LINES_6, found6, WORDS_6, 4);
}

/*
 * The lookups wrote ids in the order in which addresses were found, by family; rows need them by line:
 *
 *     LINES_4     |  2  |  0  |             LINES_6     |  3  |
 *     MATCHES_4   | m17 | m4  |             MATCHES_6   | m9  |
 *
 *     MATCHES     | m4  | -1  | m17 | m9  |           -1, all bits set, was filled in before: no address
 *     WORDS_AT    |  .  |  ?  |  .  |  .  |           the address of the words; read only where there is an address
 *
 * A line has one address at most, so no store meets another.
 */
/** Moves `count` match ids, and the addresses of words of 2^`shift` bytes, to their lines. */
@inline
function scatter(matches: usize, lineOf: usize, count: i32, words: usize, shift: usize): void {
  const base = workspace;
  for (let i: usize = 0; i < <usize>count; i++) {
    // Line numbers come from `findAddresses`, and are below `chunkLines`: both stores stay in their arrays by line.
    const line = base + (<usize>load<u32>(base + lineOf + (i << 2)) << 2);
    store<i32>(line, load<i32>(base + matches + (i << 2)), MATCHES);
    store<u32>(line, base + words + (i << shift), WORDS_AT);
  }
}
