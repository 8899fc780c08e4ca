import type { LookupCosts } from "../../src/table/lookup-costs.ts";

export const PARTS = [
  "lookup",
  "bitmap",
  "list",
  "tree",
  "wide",
  "skip",
  "points",
  "hashed",
  "hosts",
  "doubling",
] as const;

/** How often each part occurs in a lookup of a table, and how long a lookup took. */
export interface Measurement {
  readonly shares: Readonly<Record<keyof LookupCosts, number>>;
  readonly nanoseconds: number;
}

const SWEEPS = 20_000;
/** The minimum cost of a part: with free parts, a table could get any number of nodes of that kind. */
const MIN = 0.1;

/**
 * The costs with the least sum of squared relative errors, none below `MIN`: by coordinate descent, which finds the
 * minimum as the sum is convex. A part that occurs nowhere keeps `MIN`.
 */
export function fitCosts(measurements: readonly Measurement[]): LookupCosts {
  const rows = measurements.map(({ shares, nanoseconds }) => PARTS.map((part) => shares[part] / nanoseconds));
  const costs = PARTS.map(() => MIN);
  const left = rows.map((row) => 1 - row.reduce((sum, share) => sum + share * MIN, 0));
  for (let sweep = 0; sweep < SWEEPS; sweep++)
    for (let part = 0; part < PARTS.length; part++) {
      const squares = rows.reduce((sum, row) => sum + row[part]! ** 2, 0);
      if (squares === 0) continue;
      const step = rows.reduce((sum, row, i) => sum + row[part]! * left[i]!, 0) / squares;
      const change = Math.max(MIN, costs[part]! + step) - costs[part]!;
      costs[part]! += change;
      for (const [i, row] of rows.entries()) left[i]! -= row[part]! * change;
    }
  return Object.fromEntries(PARTS.map((part, i) => [part, costs[i]!])) as unknown as LookupCosts;
}
