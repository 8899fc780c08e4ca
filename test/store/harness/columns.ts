import type { Family } from "../../../src/address/address.ts";
import { comparePrefixes, parsePrefix } from "../../../src/address/prefix.ts";
import type { RuleColumns } from "../../../src/rulesets/rule-columns.ts";

/** Permanent rules for a replacement, in prefix order. */
export function columnsOfTexts(texts: readonly string[], name: string | null = null): RuleColumns[] {
  const prefixes = texts.map((text) => parsePrefix(text)).sort(comparePrefixes);
  return ([4, 6] as Family[]).flatMap((family): RuleColumns[] => {
    const own = prefixes.filter((prefix) => prefix.family === family);
    if (own.length === 0) return [];
    const words = own.flatMap(({ w0, w1, w2, w3 }) => (family === 4 ? [w0] : [w0, w1, w2, w3]));
    const times = () => new Float64Array(own.length);
    return [
      {
        family,
        words: Uint32Array.from(words),
        lengths: Uint8Array.from(own, ({ length }) => length),
        names: own.map(() => name),
        expiresAt: times().fill(Number.POSITIVE_INFINITY),
        createdAt: times(),
        updatedAt: times(),
      },
    ];
  });
}
