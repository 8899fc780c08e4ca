import type { Family, Prefix } from "../address/address.ts";
import type { PrefixTable } from "../table/prefix-table.ts";
import type { InParts } from "./in-parts.ts";

/** All prefixes of one family of a table, in its order, with their matches; flat, because reading them out of the table takes a microsecond each. */
export interface PrefixList {
  readonly family: Family;
  readonly count: number;
  /** One word per prefix (IPv4) or four. */
  readonly words: Uint32Array;
  readonly lengths: Uint8Array;
  readonly matches: Uint32Array;
}

const PREFIXES_AT_ONCE = 1000;

/** O(n). @throws TableError for a damaged table. */
export function* listPrefixes(table: PrefixTable, family: Family): InParts<PrefixList> {
  const count = table.prefixCount(family);
  const stride = family === 4 ? 1 : 4;
  const list = { family, count, words: new Uint32Array(count * stride), lengths: new Uint8Array(count), matches: new Uint32Array(count) };
  let at = 0;
  for (const { prefix, match } of table.entries(family)) {
    if (at === count) break;
    list.words[at * stride] = prefix.w0;
    if (family === 6) list.words.set([prefix.w1, prefix.w2, prefix.w3], at * 4 + 1);
    list.lengths[at] = prefix.length;
    list.matches[at++] = match;
    if (at % PREFIXES_AT_ONCE === 0) yield;
  }
  return list;
}

export function prefixAt({ family, words, lengths }: PrefixList, at: number): Prefix {
  const length = lengths[at]!;
  if (family === 4) return { family, w0: words[at]!, w1: 0, w2: 0, w3: 0, length };
  const word = at * 4;
  return { family, w0: words[word]!, w1: words[word + 1]!, w2: words[word + 2]!, w3: words[word + 3]!, length };
}
