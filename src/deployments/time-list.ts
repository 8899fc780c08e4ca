import type { Family, Prefix } from "../address/address.ts";
import { AddressTimes, type EndingPrefix } from "../sets/address-times.ts";
import type { CompiledList } from "./compile.ts";
import type { Gathered } from "./gathered.ts";

/** Entries counted between two interruptions: less than a millisecond. */
const COUNTED_AT_ONCE = 1 << 10;

/**
 * When the addresses of a list end: with the last include that lists them. An exclude that ends makes addresses come
 * back, which no end of an entry can say: the list is compiled again then.
 */
function* timesOf(
  { addresses }: CompiledList,
  include: readonly Gathered[],
): Generator<undefined, AddressTimes, undefined> {
  const times = include.map((source) => source.times ?? AddressTimes.of(source.addresses));
  return yield* (yield* AddressTimes.uniting(times)).combining("earliest", AddressTimes.of(addresses));
}

/**
 * Entries as formats with times write them: those that have not ended at `now`, none with a longer time than the format
 * has. Expiries are in milliseconds since 1970; null: never.
 */
export function* expiringEntries(
  entries: Iterable<EndingPrefix>,
  now: number,
  longestTimeout: number,
): Generator<{ readonly prefix: Prefix; readonly expiresAt: number | null }> {
  const latest = now + longestTimeout * 1000;
  for (const { prefix, end } of entries)
    if (end * 1000 > now) yield { prefix, expiresAt: end === Infinity ? null : Math.min(end * 1000, latest) };
}

/** A list with the ends of its addresses: an entry has addresses of one end, so entries are split where ends differ. */
export class TimedList {
  readonly #list: CompiledList;
  /** In seconds since 1970. */
  readonly times: AddressTimes;
  readonly entries: Readonly<Record<Family, number>>;
  /** The latest end of an entry that has one; 0: none has. */
  readonly last: number;
  /** How many entries have no end. */
  readonly permanent: number;

  private constructor(
    list: CompiledList,
    times: AddressTimes,
    { entries, last, permanent }: Pick<TimedList, "entries" | "last" | "permanent">,
  ) {
    this.#list = list;
    this.times = times;
    this.entries = entries;
    this.last = last;
    this.permanent = permanent;
  }

  /** A list that was compiled from these includes, which were gathered with the ends of their addresses. O(sources) */
  static *making(list: CompiledList, include: readonly Gathered[]): Generator<undefined, TimedList, undefined> {
    return yield* TimedList.#counting(list, yield* timesOf(list, include));
  }

  /**
   * The same list in the entries that it has without ends: each ends with the last of its addresses. For a list that
   * would have too many entries.
   */
  static *joining(list: CompiledList, times: AddressTimes): Generator<undefined, TimedList, undefined> {
    const entries = function* (): Generator<EndingPrefix> {
      for (const prefix of list.prefixes()) yield { prefix, end: times.latestIn(prefix) };
    };
    return yield* TimedList.#counting(list, yield* AddressTimes.collecting(entries(), "latest"));
  }

  static *#counting(list: CompiledList, times: AddressTimes): Generator<undefined, TimedList, undefined> {
    const entries = { 4: 0, 6: 0 };
    let [last, permanent, count] = [0, 0, 0];
    for (const family of [4, 6] as const)
      for (const { end } of timedEntries(list, times, family)) {
        entries[family]++;
        if (end === Infinity) permanent++;
        else last = Math.max(last, end);
        if (++count % COUNTED_AT_ONCE === 0) yield;
      }
    return new TimedList(list, times, { entries, last, permanent });
  }

  /** The fewest entries of one end each, none wider than allowed, in order. */
  *prefixes(family?: Family): Generator<EndingPrefix> {
    for (const each of [4, 6] as const)
      if (family === undefined || family === each) yield* timedEntries(this.#list, this.times, each);
  }
}

function timedEntries(
  { families, shortest }: CompiledList,
  times: AddressTimes,
  family: Family,
): Iterable<EndingPrefix> {
  return families.includes(family) ? times.prefixes(family, shortest[family]) : [];
}
