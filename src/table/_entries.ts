import { addressBits, type Family } from "../address/address.ts";
import { behind, compareWords, endsAt, type FamilyIndex, SegmentWalk, type Words } from "./_segment-walk.ts";
import type { TableEntry } from "./table-entry.ts";
import { TableError } from "./table-error.ts";

/** What a table says of its matches: how many there are, how long each one's prefix is, and which one covers it. */
interface MatchChains {
  readonly matchCount: number;
  prefixLength(match: number): number;
  parent(match: number): number;
}

interface OpenPrefix {
  readonly match: number;
  /** The first address behind it, null behind the last address. */
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
  const walk = new SegmentWalk(index, table.matchCount);
  let more = walk.advance();
  while (more) {
    const { start, match } = walk;
    more = walk.advance();
    const end = more ? walk.start : null;
    for (
      let at: Words | null = start;
      at !== null && isBefore(at, end);
      at = match === 0 ? end : open[open.length - 1].end
    ) {
      while (open.length > 0 && !isBefore(at, open[open.length - 1].end)) open.pop();
      if (open.length === 0 ? match === 0 : open[open.length - 1].match === match) continue;
      openChain(index.family, table, at, match, open, found);
      for (const entry of found) yield entry;
      found.length = 0;
    }
  }
}

/** `null` is the end of all addresses. */
function isBefore(at: Words, end: Words | null): boolean {
  return end === null || compareWords(at, end) < 0;
}

/**
 * Opens the prefixes of `match`'s chain that are not open yet; those that are were each the parent of the next. They
 * must begin at `at`, or the chain does not belong there.
 */
function openChain(
  family: Family,
  table: MatchChains,
  at: Words,
  match: number,
  open: OpenPrefix[],
  found: TableEntry[],
): void {
  const innermost = open.length === 0 ? 0 : open[open.length - 1].match;
  const chain: number[] = [];
  for (let id = match; id !== innermost; id = table.parent(id)) {
    if (id === 0)
      throw new TableError(
        "bad-match",
        "matchParent",
        `the parents of match ${match} are not the prefixes that cover it`,
      );
    chain.push(id);
  }
  for (let next = chain.length - 1; next >= 0; next--) {
    const id = chain[next];
    const length = table.prefixLength(id);
    if (length > addressBits(family) || !endsAt(at, length)) {
      throw new TableError("bad-match", "matchLength", `match ${id} begins where no prefix of length ${length} can`);
    }
    open.push({ match: id, end: behind(at, length) });
    found.push({ prefix: { family, w0: at[0], w1: at[1], w2: at[2], w3: at[3], length }, match: id });
  }
}
