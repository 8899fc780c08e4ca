import { addressBits, type Family, type Prefix } from "../address/address.ts";
import { type FamilyIndex, walkSegments } from "./_segment-walk.ts";
import type { PrefixTable, TableEntry } from "./prefix-table.ts";
import { TableError } from "./table-error.ts";

interface OpenPrefix {
  readonly match: number;
  readonly last: bigint;
}

/**
 * Every prefix of a family in order, from the segments alone. No keys are stored, and none are needed: where a lookup's
 * chain names a match of length L, the prefix is the address cut to L bits; and every prefix is in the chain of its own
 * first address. So it is enough to look at the chain wherever one may change: at each segment's start, and inside a
 * segment of equal neighbours (10.0.0.0/24 and 10.0.1.0/24 with one match) wherever its prefix ends.
 */
export function* entriesOf(index: FamilyIndex, table: PrefixTable): Generator<TableEntry> {
  const bits = addressBits(index.family);
  const space = 1n << BigInt(bits);
  const open: OpenPrefix[] = [];
  const segments = walkSegments(index, table.matchCount);
  let segment = segments.next();
  while (!segment.done) {
    const { start, match } = segment.value;
    segment = segments.next();
    const end = segment.done ? space : segment.value.start;
    for (let at = start; at < end; at = match === 0 ? end : open[open.length - 1].last + 1n) {
      while (open.length > 0 && open[open.length - 1].last < at) open.pop();
      yield* openChain(index.family, table, at, match, open);
    }
  }
}

/** Opens the prefixes of `match`'s chain that are not open yet. They must begin at `at`, or the chain does not belong there. */
function* openChain(family: Family, table: PrefixTable, at: bigint, match: number, open: OpenPrefix[]): Generator<TableEntry> {
  const chain = table.chain(match).reverse();
  const known = open.length;
  if (known > chain.length || open.some((prefix, i) => prefix.match !== chain[i])) {
    throw new TableError("bad-match", "matchParent", `the parents of match ${match} are not the prefixes that cover it`);
  }
  const bits = addressBits(family);
  for (const id of chain.slice(known)) {
    const hostBits = BigInt(bits - table.prefixLength(id));
    if (hostBits < 0n || (at >> hostBits) << hostBits !== at) {
      throw new TableError("bad-match", "matchLength", `match ${id} begins where no prefix of length ${table.prefixLength(id)} can`);
    }
    open.push({ match: id, last: at + (1n << hostBits) - 1n });
    yield { prefix: prefixAt(family, at, table.prefixLength(id)), match: id };
  }
}

function prefixAt(family: Family, at: bigint, length: number): Prefix {
  if (family === 4) return { family, w0: Number(at), w1: 0, w2: 0, w3: 0, length };
  const word = (shift: bigint): number => Number((at >> shift) & 0xffff_ffffn);
  return { family, w0: word(96n), w1: word(64n), w2: word(32n), w3: word(0n), length };
}
