import type { Family } from "../../address/address.ts";
import type { PrefixTable } from "../../table/prefix-table.ts";

/**
 * Looks up `count` addresses of a family, of one word or four: the match of each, equal to that of the table itself.
 */
export interface RuleBatchLookup {
  /** Writes the matches to `out`. */
  lookupBatchInto(family: Family, words: Uint32Array, out: Uint32Array, count: number): void;
}

/**
 * An engine that looks up many addresses in the tables of frozen rules faster than TypeScript. Callers pass one,
 * because this room does not know any.
 */
export interface RuleEngine {
  /** Allocates zeroed bytes, in which a table is built. @throws RangeError without memory */
  allocate(byteLength: number): ArrayBufferLike;
  /** What looks addresses up in a table in such bytes. */
  batchesOver(table: PrefixTable): RuleBatchLookup;
}
