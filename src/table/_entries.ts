import { addressBits, type Family } from "../address/address.ts";
import { walkOf } from "./_host-walk.ts";
import type { FamilyIndex } from "./_segment-walk.ts";
import { addressAfter, compareWords, endsAt, type Words } from "./_words.ts";
import { type MatchId, NO_MATCH } from "./match-id.ts";
import type { TableEntry } from "./table-entry.ts";
import { TableError } from "./table-error.ts";

/** What a table says of its matches: how many there are, how long each one's prefix is, and which one covers it. */
interface MatchChains {
  readonly matchCount: number;
  prefixLength(match: MatchId): number;
  parent(match: MatchId): MatchId;
}

/** A prefix that contains the current address. */
interface OpenPrefix {
  readonly match: MatchId;
  /** The first address after it, null after the last address. */
  readonly end: Words | null;
}

/**
 * Every prefix of a family in order, from the segments alone. No keys are stored, and none are needed: where a lookup's
 * chain names a match of length L, the prefix is the address cut to L bits; and every prefix is in the chain of its own
 * first address. So it is enough to look at the chain wherever one may change: at each segment's start, and inside a
 * segment of equal neighbours (10.0.0.0/24 and 10.0.1.0/24 with one match) wherever its prefix ends.
 */
export function* entriesOf(index: FamilyIndex, table: MatchChains): Generator<TableEntry> {
  const open: OpenPrefix[] = [];
  const found: TableEntry[] = [];
  const walk = walkOf(index, table.matchCount);
  let more = walk.advance();
  while (more) {
    const { start, match } = walk;
    more = walk.advance();
    const end = more ? walk.start : null;
    // `at` moves to the end of the innermost open prefix, which is after `at` because popping removed the others: so the
    // loop ends, after at most one turn more than prefixes end in the segment.
    //     segment of match m   [a0            a1            a2            a3)     one match, three neighbours of /24
    //     at                    a0, opens /24  a1, opens /24  a2, opens /24
    let at: Words | null = start;
    while (at !== null && isBefore(at, end)) {
      for (let last = open.at(-1); last !== undefined && !isBefore(at, last.end); last = open.at(-1)) open.pop();
      // `open` now holds the prefixes that contain `at`, outermost first, as far as they have been found.
      if ((open.at(-1)?.match ?? NO_MATCH) !== match) {
        openChain(index.family, table, at, match, open, found);
        for (const entry of found) yield entry;
        found.length = 0;
      }
      // Inside the innermost prefix nothing changes before its end.
      at = match === NO_MATCH ? end : (open.at(-1)?.end ?? null);
    }
  }
}

/** `null` is the end of all addresses. */
function isBefore(at: Words, end: Words | null): boolean {
  return end === null || compareWords(at, end) < 0;
}

/**
 * Opens the prefixes of `match`'s chain that are not open yet; those that are were each the parent of the next. They
 * must begin at `at`, or the chain does not belong there. Every chain ends, for `PrefixTable.parent` only returns
 * smaller ids.
 */
function openChain(
  family: Family,
  table: MatchChains,
  at: Words,
  match: MatchId,
  open: OpenPrefix[],
  found: TableEntry[],
): void {
  //     open     10.0.0.0/8 (match 1)
  //     match 3  parents 3 -> 2 -> 1        3 and 2 are new: opened as 2, then 3, both at `at`
  // Had `at` left the innermost one, it would have been popped before: so its match is in the chain, or the table is
  // bad.
  const innermost = open.at(-1)?.match ?? NO_MATCH;
  const chain: MatchId[] = [];
  for (let id = match; id !== innermost; id = table.parent(id)) {
    if (id === 0)
      throw new TableError(
        "bad-match",
        "matchParent",
        `the parents of match ${match} are not the prefixes that cover it`,
      );
    chain.push(id);
  }
  // Outermost first, so that each is pushed onto its parent: `open` stays a chain, and popping from its end removes the
  // innermost prefixes first. In a valid table, lengths ascend along a
  // chain, so a child's end is never after its parent's.
  for (const id of chain.reverse()) {
    const length = table.prefixLength(id);
    if (length > addressBits(family) || !endsAt(at, length)) {
      throw new TableError("bad-match", "matchLength", `match ${id} begins where no prefix of length ${length} can`);
    }
    open.push({ match: id, end: addressAfter(at, length) });
    found.push({ prefix: { family, w0: at[0], w1: at[1], w2: at[2], w3: at[3], length }, match: id });
  }
}
