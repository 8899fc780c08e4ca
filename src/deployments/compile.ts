import type { Family, Prefix } from "../address/address.ts";
import { AddressSet } from "../sets/address-set.ts";
import { finished } from "../turns/finished.ts";
import { type Gathered, PrefixTally } from "./gathered.ts";

/** Prefixes between two interruptions: less than a millisecond. */
const PREFIXES_AT_ONCE = 1 << 11;

/** What a list is made of. All sources were gathered at one moment. */
export interface ListContent {
  readonly include: readonly Gathered[];
  /** Excludes always win. */
  readonly exclude: readonly Gathered[];
  /** Both, unless given. */
  readonly families?: readonly Family[];
  /** The shortest prefix length of each family: a wider prefix of an include is reported, and nothing is joined beyond it. */
  readonly shortest?: Readonly<Record<Family, number>>;
}

/** Prefixes wider than these are more likely mistakes than meant. */
export const SHORTEST_LENGTHS: Readonly<Record<Family, number>> = { 4: 8, 6: 19 };

/** A prefix of an include that is wider than the list allows. */
export interface WidePrefix {
  readonly source: string;
  readonly prefix: Prefix;
}

/** A compiled list: the addresses of all includes that are in no exclude. */
export class CompiledList {
  readonly #addresses: AddressSet;
  readonly families: readonly Family[];
  /** The shortest prefix length of each family. */
  readonly shortest: Readonly<Record<Family, number>>;
  /** The prefixes of the list. */
  readonly tally: PrefixTally;
  /** What the excludes removed, as the fewest prefixes. */
  readonly removed: PrefixTally;
  /** Prefixes of includes that are too wide, ten of each source and family at most, and how many there are. */
  readonly tooWide: readonly WidePrefix[];
  readonly tooWideCount: number;
  /** The first time, in milliseconds since 1970, at which the list may change by itself; Infinity: never. */
  readonly until: number;

  constructor(
    {
      addresses,
      families,
      shortest,
    }: { addresses: AddressSet; families: readonly Family[]; shortest: Readonly<Record<Family, number>> },
    { tally, removed }: { tally: PrefixTally; removed: PrefixTally },
    { include, exclude }: ListContent,
  ) {
    this.#addresses = addresses;
    this.families = families;
    this.shortest = shortest;
    this.tally = tally;
    this.removed = removed;
    this.until = Math.min(Number.POSITIVE_INFINITY, ...[...include, ...exclude].map(({ until }) => until));
    this.tooWide = include.flatMap((source) =>
      families.flatMap((family) => widerThan(source, family, shortest[family])),
    );
    this.tooWideCount = sum(include, (source) =>
      sum(families, (family) => source.prefixes.countWiderThan(family, shortest[family])),
    );
  }

  get addresses(): AddressSet {
    return this.#addresses;
  }

  /** How many prefixes of each family it has. */
  get entries(): Readonly<Record<Family, number>> {
    return { 4: this.tally.count(4), 6: this.tally.count(6) };
  }

  /** The fewest prefixes, none wider than allowed, in order, IPv4 first; of one family if one is given. */
  *prefixes(family?: Family): Generator<Prefix, void, undefined> {
    for (const each of this.families)
      if (family === undefined || family === each) yield* this.#addresses.prefixes(each, this.shortest[each]);
  }
}

/** The list of this content. O(n) for n ranges of all sources. */
export function compileList(content: ListContent): CompiledList {
  return finished(compilingList(content));
}

/** As `compileList`; can be interrupted every millisecond or so. */
export function* compilingList(content: ListContent): Generator<undefined, CompiledList, undefined> {
  const { families = [4, 6], shortest = SHORTEST_LENGTHS } = content;
  const included = yield* AddressSet.uniting(addressesOf(content.include));
  const excluded = yield* AddressSet.uniting(addressesOf(content.exclude));
  const { outside: addresses, inside } = yield* included.splitting(excluded);
  const removed = yield* tallying(inside, families, { 4: 0, 6: 0 });
  const tally = yield* tallying(addresses, families, shortest);
  return new CompiledList({ addresses, families, shortest }, { tally, removed }, content);
}

function addressesOf(sources: readonly Gathered[]): AddressSet[] {
  return sources.map(({ addresses }) => addresses);
}

function* tallying(
  addresses: AddressSet,
  families: readonly Family[],
  shortest: Readonly<Record<Family, number>>,
): Generator<undefined, PrefixTally, undefined> {
  const tally = new PrefixTally();
  if (families.includes(4)) yield* addresses.visitingIpv4(shortest[4], (first, length) => tally.addIpv4(first, length));
  let count = 0;
  for (const prefix of families.includes(6) ? addresses.prefixes(6, shortest[6]) : []) {
    tally.add(prefix);
    if (++count % PREFIXES_AT_ONCE === 0) yield;
  }
  return tally;
}

function widerThan({ name, prefixes }: Gathered, family: Family, shortest: number): WidePrefix[] {
  const wide = prefixes.widest(family).filter(({ length }) => length < shortest);
  return wide.map((prefix) => ({ source: name, prefix }));
}

function sum<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}
