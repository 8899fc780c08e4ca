import type { Family } from "../address/address.ts";

/**
 * Is called for a prefix: its words (those that IPv4 does not have are 0), its length, its smallest value id and, only
 * where there are several, all of them in ascending order.
 */
export type PrefixVisitor = (
  w0: number,
  w1: number,
  w2: number,
  w3: number,
  length: number,
  value: number,
  more: readonly number[] | null,
) => void;

/** Prefixes with their values, in order: what `freeze` makes a table of. A `PrefixTrie` is one. */
export interface PrefixSource {
  /** The number of prefixes of one family. */
  sizeOf(family: Family): number;
  /** Calls `visit` for every prefix of a family, by address, the less specific first. */
  forEach(family: Family, visit: PrefixVisitor): void;
}
