import type { Family } from "../address/address.ts";

/**
 * Rules of one family in columns, in the order of prefixes, to fill a `RuleIndex` with at once: the rule at i is made of what
 * every column has at i, `words` at i (IPv4) or 4 i to 4 i + 3 (IPv6). The arrays are copied.
 */
export interface RuleColumns {
  readonly family: Family;
  /** The words of the prefixes, host bits zero: one per rule (IPv4) or four. */
  readonly words: Uint32Array;
  readonly lengths: Uint8Array;
  readonly names: readonly (string | null)[];
  /** Milliseconds since 1970 UTC; `Infinity` for a permanent rule. */
  readonly expiresAt: Float64Array;
  /** Milliseconds since 1970 UTC. */
  readonly createdAt: Float64Array;
  readonly updatedAt: Float64Array;
}
