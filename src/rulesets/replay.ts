import type { Family } from "../address/address.ts";
import type { RuleId } from "./rule-id.ts";
import type { Ruleset } from "./ruleset.ts";

/** Addresses of a log and how many lines each has: IPv4 addresses of one word, IPv6 addresses of four, each once. */
export interface SeenAddresses {
  readonly words4: Uint32Array;
  readonly counts4: Float64Array;
  readonly words6: Uint32Array;
  readonly counts6: Float64Array;
}

/** What a rule, or a list, would have hit. */
export interface Hits {
  readonly lines: number;
  readonly addresses: number;
}

/** What the rules of a list would have done with a log. */
export interface Replay extends Hits {
  /** By the rule that decides; rules that were never hit are missing. */
  readonly byRule: ReadonlyMap<RuleId, Hits>;
  /** The deciding rule of each address, in the order of `SeenAddresses`; 0 for none. */
  readonly decisions: Readonly<Record<Family, Uint32Array>>;
}

/** Addresses that are decided at a time: a millisecond or two. */
const STEP = 4096;

/** Which rule would have decided about each address of a log at `now`. O(addresses). Can be interrupted. */
export function* replaying(
  ruleset: Pick<Ruleset, "decideWordsInto">,
  seen: SeenAddresses,
  now: number,
): Generator<undefined, Replay, undefined> {
  const byRule = new Map<RuleId, { lines: number; addresses: number }>();
  const decisions = { 4: new Uint32Array(seen.counts4.length), 6: new Uint32Array(seen.counts6.length) };
  const total = { lines: 0, addresses: 0 };
  for (const family of [4, 6] as const) {
    const [words, counts] = family === 4 ? [seen.words4, seen.counts4] : [seen.words6, seen.counts6];
    const width = family === 4 ? 1 : 4;
    for (let from = 0; from < counts.length; from += STEP) {
      const count = Math.min(STEP, counts.length - from);
      const decided = decisions[family].subarray(from, from + count);
      ruleset.decideWordsInto(family, words.subarray(from * width), decided, now, count);
      for (let at = 0; at < count; at++) {
        if (decided[at] === 0) continue;
        const lines = counts[from + at]!;
        add(total, lines);
        add(hitsOf(byRule, decided[at] as RuleId), lines);
      }
      yield;
    }
  }
  return { ...total, byRule, decisions };
}

function hitsOf(byRule: Map<RuleId, { lines: number; addresses: number }>, id: RuleId) {
  let hits = byRule.get(id);
  if (hits === undefined) byRule.set(id, (hits = { lines: 0, addresses: 0 }));
  return hits;
}

function add(hits: { lines: number; addresses: number }, lines: number): void {
  hits.lines += lines;
  hits.addresses++;
}

/** What only one of two lists would have hit. */
export interface ReplayDifference {
  readonly onlyFirst: Hits;
  readonly onlySecond: Hits;
}

/** How two replays of the same addresses differ. O(addresses) */
export function replayDifference(first: Replay, second: Replay, seen: SeenAddresses): ReplayDifference {
  const [onlyFirst, onlySecond] = [
    { lines: 0, addresses: 0 },
    { lines: 0, addresses: 0 },
  ];
  for (const family of [4, 6] as const) {
    const counts = family === 4 ? seen.counts4 : seen.counts6;
    const [ones, others] = [first.decisions[family], second.decisions[family]];
    for (let at = 0; at < counts.length; at++)
      if ((ones[at] === 0) !== (others[at] === 0)) add(ones[at] === 0 ? onlySecond : onlyFirst, counts[at]!);
  }
  return { onlyFirst, onlySecond };
}
