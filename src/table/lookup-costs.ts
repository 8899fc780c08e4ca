/**
 * What parts of a batch lookup cost on the machine where `npm run bench -- tune --write` ran last, in nanoseconds; it
 * writes this file.
 */
export interface LookupCosts {
  /** Any lookup. */
  readonly lookup: number;
  /** A node on the way, by its kind. */
  readonly bitmap: number;
  readonly list: number;
  readonly tree: number;
  readonly wide: number;
  readonly skip: number;
  readonly points: number;
  readonly hashed: number;
  readonly hosts: number;
  /** A read (one of the root and one for each node) for every doubling of the index above 1 MiB: misses of caches. */
  readonly doubling: number;
}

export const LOOKUP_COSTS: LookupCosts = {
  lookup: 0.1,
  bitmap: 3.01,
  list: 7.68,
  tree: 12.03,
  wide: 2.72,
  skip: 23.26,
  points: 9.23,
  hashed: 12.5,
  hosts: 1,
  doubling: 2.12,
};
