import type { Family } from "./address.ts";

/**
 * Throws RangeError unless `words` holds `count` addresses of the family, one word (IPv4) or four (IPv6) each, and `out`
 * has room for a result of each.
 */
export function checkBatch(family: Family, words: Uint32Array, out: Uint32Array, count: number): void {
  if (family !== 4 && family !== 6) throw new RangeError(`the family is 4 or 6, not ${String(family)}`);
  const needed = count * (family === 4 ? 1 : 4);
  // Counts that are not whole numbers fail here: NaN, and fractions of addresses, whose words might exist.
  if (Number.isInteger(count) && count >= 0 && needed <= words.length && count <= out.length) return;
  throw new RangeError(
    `a batch of ${count} IPv${family} addresses needs ${needed} words (given: ${words.length}) and room for ${count} results (given: ${out.length})`,
  );
}
