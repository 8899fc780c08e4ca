import type { Family } from "../../src/address/address.ts";
import type { Rule } from "../../src/rulesets/rule.ts";
import type { RuleColumns } from "../../src/rulesets/rule-columns.ts";

/** The columns of rules, which are in order, for each family in chunks of `size` rules. */
export function columnsOf(rules: readonly Rule[], size = Number.POSITIVE_INFINITY): RuleColumns[] {
  const chunks: RuleColumns[] = [];
  for (const family of [4, 6] as const) {
    const own = rules.filter(({ prefix }) => prefix.family === family);
    for (let at = 0; at < own.length; at += size) chunks.push(chunkOf(family, own.slice(at, at + size)));
  }
  return chunks;
}

function chunkOf(family: Family, rules: readonly Rule[]): RuleColumns {
  return {
    family,
    words: Uint32Array.from(rules.flatMap(({ prefix: { w0, w1, w2, w3 } }) => (family === 4 ? [w0] : [w0, w1, w2, w3]))),
    lengths: Uint8Array.from(rules, ({ prefix }) => prefix.length),
    names: rules.map(({ name }) => name),
    expiresAt: Float64Array.from(rules, ({ expiresAt }) => expiresAt ?? Number.POSITIVE_INFINITY),
    createdAt: Float64Array.from(rules, ({ createdAt }) => createdAt),
    updatedAt: Float64Array.from(rules, ({ updatedAt }) => updatedAt),
  };
}
