import { GROUP } from "../workspace.ts";
import { matchCount } from "./table.ts";
import { queueAt } from "./waiting.ts";

/**
 * The address of the table's `ActiveMatches`: for each match id, the id of the match that decides instead (words), then
 * one bit per match that says whether it has expired. 0: expiries are ignored. Lookups trap on ids above `matchCount`,
 * so reads stay inside both.
 */
let activeMatches: usize = 0;

export function useActiveMatches(at: usize): void {
  activeMatches = at;
}

/** Replaces each of `count` ids at `matches` by the match that decides. */
export function skipExpired(matches: usize, count: i32): void {
  if (activeMatches == 0) return;
  const end = matches + (<usize>count << 2);
  for (; matches < end; matches += 4 * GROUP) skipInGroup(matches, min(end, matches + 4 * GROUP));
}

/** First the expired ids are queued, without a branch, which could not be predicted; then only these are replaced. */
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

/** Always writes the address, and moves the end past it only if the match there has expired. */
@inline
function appendIfExpired(last: usize, at: usize, bits: usize): usize {
  const match = load<u32>(at);
  store<u32>(last, <u32>at);
  return last + <usize>(((<u32>load<u8>(bits + (match >>> 3)) >>> (match & 7)) & 1) << 2);
}
