import type { ID_OF } from "../trie/value-id.ts";

/**
 * What a lookup in a `PrefixTable` returns: an integer from 1 to the table's `matchCount`, or 0 for "no match". It means
 * something to that table alone. Only lookups make one; a number read back from where a batch of them was stored is cast.
 */
export type MatchId = number & { readonly [ID_OF]: "match" };

/** No prefix covers the address. */
export const NO_MATCH = 0 as MatchId;
