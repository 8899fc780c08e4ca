import type { Family, Prefix } from "../address/address.ts";
import type { Catalogue } from "./catalogue.ts";
import type { InParts } from "./in-parts.ts";

/**
 * All prefixes of one family of a table, in its order, with their matches; in flat arrays, because reading each from
 * the table takes a microsecond.
 */
export interface PrefixList {
  readonly family: Family;
  readonly count: number;
  /** One word per prefix (IPv4) or four. */
  readonly words: Uint32Array;
  readonly lengths: Uint8Array;
  readonly matches: Uint32Array;
}

const PREFIXES_AT_ONCE = 1000;

/** Room for so many prefixes. */
function emptyList(family: Family, count: number) {
  return {
    family,
    count,
    words: new Uint32Array(count * (family === 4 ? 1 : 4)),
    lengths: new Uint8Array(count),
    matches: new Uint32Array(count),
  };
}

/** The prefixes that have not expired. O(n). @throws TableError for a corrupt table. */
export function* listPrefixes(catalogue: Catalogue, family: Family): InParts<PrefixList> {
  const { table } = catalogue;
  const count = table.prefixCount(family);
  const list = emptyList(family, count);
  let at = 0;
  for (const { prefix, match } of table.entries(family)) {
    if (at === count) break;
    if (table.hasExpiries && catalogue.valuesOf(match).length === 0) continue;
    put(list, at, prefix);
    list.matches[at++] = match;
    if (at % PREFIXES_AT_ONCE === 0) yield;
  }
  return at === count ? list : { ...list, count: at };
}

/** A list of these prefixes, with no matches. */
export function* prefixList(family: Family, prefixes: readonly Prefix[]): InParts<PrefixList> {
  const count = prefixes.length;
  const list = emptyList(family, count);
  for (const [at, prefix] of prefixes.entries()) {
    put(list, at, prefix);
    if (at % PREFIXES_AT_ONCE === 0) yield;
  }
  return list;
}

function put({ family, words, lengths }: PrefixList, at: number, { w0, w1, w2, w3, length }: Prefix): void {
  words[family === 4 ? at : 4 * at] = w0;
  if (family === 6) words.set([w1, w2, w3], 4 * at + 1);
  lengths[at] = length;
}

export function prefixAt({ family, words, lengths }: PrefixList, at: number): Prefix {
  const length = lengths[at]!;
  if (family === 4) return { family, w0: words[at]!, w1: 0, w2: 0, w3: 0, length };
  const word = at * 4;
  return { family, w0: words[word]!, w1: words[word + 1]!, w2: words[word + 2]!, w3: words[word + 3]!, length };
}
