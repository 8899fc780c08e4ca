import type { Family } from "../address/address.ts";
import type { Rule } from "./rule.ts";

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

/** The columns of rules, which are in the order of prefixes; one for each family that has any. */
export function columnsOf(rules: readonly Rule[]): RuleColumns[] {
  return ([4, 6] as const).map((family) => chunkOf(family, rules.filter(({ prefix }) => prefix.family === family))).filter(({ names }) => names.length > 0);
}

function chunkOf(family: Family, rules: readonly Rule[]): RuleColumns {
  const stride = family === 4 ? 1 : 4;
  const words = new Uint32Array(rules.length * stride);
  for (const [at, { prefix }] of rules.entries()) {
    words[at * stride] = prefix.w0;
    if (family === 6) words.set([prefix.w1, prefix.w2, prefix.w3], at * 4 + 1);
  }
  return {
    family,
    words,
    lengths: Uint8Array.from(rules, ({ prefix }) => prefix.length),
    names: rules.map(({ name }) => name),
    expiresAt: Float64Array.from(rules, ({ expiresAt }) => expiresAt ?? Number.POSITIVE_INFINITY),
    createdAt: Float64Array.from(rules, ({ createdAt }) => createdAt),
    updatedAt: Float64Array.from(rules, ({ updatedAt }) => updatedAt),
  };
}
