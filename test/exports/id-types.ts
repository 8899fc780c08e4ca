import { freeze, type MatchId, NO_MATCH, PrefixTrie, type ValueId } from "../../src/index.ts";

// Compiled, never run: correct code must compile, and each line after @ts-expect-error must not.
const table = freeze(new PrefixTrie());
export const match: MatchId = table.lookup("192.0.2.1");
export const value: ValueId = table.value(match);
export const chosen: ValueId = 7;
export const isFound: boolean = match !== NO_MATCH;
export const asNumber: number = match + value;

// @ts-expect-error -- a plain number is no match id: only lookups make one
export const made: MatchId = 7;
// @ts-expect-error -- nor does a table take one
table.value(7);
// @ts-expect-error -- a value is no match
table.value(value);
// @ts-expect-error -- a match is no value
export const mistaken: ValueId = match;
