/** A prefix as an oracle sees it: a family, the first address as one number, a length, and values. */
export interface PlainPrefix {
  readonly family: 4 | 6;
  readonly first: bigint;
  readonly length: number;
  readonly values: readonly number[];
}

/** The same prefixes cover every address from `first` up to the next interval's. */
export interface Interval {
  readonly first: bigint;
  readonly last: bigint;
  /** The covering prefixes, most specific first, as "length=values". */
  readonly chain: string;
}

const bitsOf = (family: 4 | 6): bigint => (family === 4 ? 32n : 128n);

function lastOf(prefix: PlainPrefix): bigint {
  return prefix.first + (1n << (bitsOf(prefix.family) - BigInt(prefix.length))) - 1n;
}

/** The text form of an answer, for comparison. */
export function chainText(links: readonly { length: number; values: readonly number[] }[]): string {
  return links.map(({ length, values }) => `${length}=${values.join("+")}`).join(" ");
}

/**
 * The slow answer for one family: the address space is cut wherever a prefix begins or ends, and the prefixes that
 * cover each piece are found by looking at every one. O(n^2), and shares no code with src.
 */
export function intervalsOf(family: 4 | 6, prefixes: readonly PlainPrefix[]): Interval[] {
  const ours = prefixes
    .filter((prefix) => prefix.family === family)
    .map((prefix) => ({ ...prefix, last: lastOf(prefix) }));
  const space = 1n << bitsOf(family);
  const cuts = [...new Set([0n, space, ...ours.flatMap(({ first, last }) => [first, last + 1n])])].sort((a, b) =>
    a < b ? -1 : 1,
  );
  return cuts.slice(0, -1).map((first, i) => {
    const covering = ours.filter((prefix) => prefix.first <= first && first <= prefix.last);
    covering.sort((a, b) => b.length - a.length);
    return { first, last: cuts[i + 1]! - 1n, chain: chainText(covering) };
  });
}
