import type { MatchId } from "../../table/match-id.ts";

/**
 * A column that is added to the input's: the prefix that covers the address, a text of its match, or a list of texts. A
 * row without a match has null, or an empty list.
 */
export type ResultColumn =
  | { readonly name: string; readonly kind: "prefix" }
  | { readonly name: string; readonly kind: "text"; readonly valueOf: (match: MatchId) => string | null }
  | { readonly name: string; readonly kind: "list"; readonly valueOf: (match: MatchId) => readonly string[] };
