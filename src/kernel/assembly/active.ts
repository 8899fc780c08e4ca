import { GROUP } from "../workspace.ts";
import { matchCount } from "./table.ts";
import { queueAt } from "./waiting.ts";

/**
 * `ActiveMatches` of the table: by match id, the id of the match that decides in its place, as words; after them a bit
 * each, whether it has expired. 0 while what has expired counts like everything else. Lookups trap at ids past
 * `matchCount`, so no read leads out of either.
 */
let activeMatches: usize = 0;

export function useActiveMatches(at: usize): void {
  activeMatches = at;
}

/** Puts the match that decides in place of each of `count` ids at `matches`. */
export function skipExpired(matches: usize, count: i32): void {
  if (activeMatches == 0) return;
  const end = matches + (<usize>count << 2);
  for (; matches < end; matches += 4 * GROUP) skipInGroup(matches, min(end, matches + 4 * GROUP));
}

/** First the expired ones become a queue, without a branch, which no one could guess; then these alone are replaced. */
@inline
function skipInGroup(at: usize, end: usize): void {
  const ids = activeMatches;
  const bits = ids + (<usize>(matchCount + 1) << 2);
  const queue = queueAt(0);
  let last = queue;
  for (const whole = end - ((end - at) & 15); at < whole; at += 16) {
    last = appendIfExpired(last, at, bits);
    last = appendIfExpired(last, at + 4, bits);
    last = appendIfExpired(last, at + 8, bits);
    last = appendIfExpired(last, at + 12, bits);
  }
  for (; at < end; at += 4) last = appendIfExpired(last, at, bits);
  for (let one = queue; one < last; one += 4) {
    const expired = <usize>load<u32>(one);
    store<u32>(expired, load<u32>(ids + (<usize>load<u32>(expired) << 2)));
  }
}

/** Always writes the address, and moves the end past it where the match there has expired. */
@inline
function appendIfExpired(last: usize, at: usize, bits: usize): usize {
  const match = load<u32>(at);
  store<u32>(last, <u32>at);
  return last + <usize>(((<u32>load<u8>(bits + (match >>> 3)) >>> (match & 7)) & 1) << 2);
}
