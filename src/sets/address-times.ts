import type { Family, Prefix } from "../address/address.ts";
import { prefixesOf } from "../address/prefixes-of-boundaries.ts";
import { lastAddress } from "../address/range.ts";
import { compareWords, passedAt, STEP, wordsOf } from "./_boundaries.ts";
import { type CoveringEnd, type EndingPrefix, EndingPrefixes } from "./_ending-prefixes.ts";
import { combinedInPairs } from "./_in-pairs.ts";
import { type Steps, StepWriter } from "./_steps.ts";
import { besideMapped } from "./_beside-mapped.ts";
import { type AddressSet, boundariesOf } from "./address-set.ts";

export type { CoveringEnd, EndingPrefix } from "./_ending-prefixes.ts";

/** Prefixes read between two pauses: less than a millisecond. */
const PREFIXES_AT_ONCE = 1 << 10;

/** The later end of two, or the earlier one, which is none where either has none. */
const CHOICES = { latest: Math.max, earliest: Math.min } as const;

/**
 * A set of IPv4 and IPv6 addresses, each with an end: any number above 0, Infinity for none. Exact and immutable; it
 * takes 12 bytes for each IPv4 address at which ends change, and 24 for each of IPv6. The `...ing` forms are generators
 * that can be interrupted every few hundred microseconds.
 */
export class AddressTimes {
  static readonly EMPTY = new AddressTimes(new StepWriter(4).steps(), new StepWriter(6).steps());

  readonly #steps: Readonly<Record<Family, Steps>>;

  private constructor(ipv4: Steps, ipv6: Steps) {
    this.#steps = { 4: ipv4, 6: ipv6 };
  }

  /** The addresses of a set, all without an end. O(n) */
  static of(set: AddressSet): AddressTimes {
    const steps = (family: Family): Steps => {
      const { words } = boundariesOf(set, family);
      const ends = new Float64Array(words.length / wordsOf(family));
      for (let at = 0; at < ends.length; at += 2) ends[at] = Infinity;
      return { family, words, ends };
    };
    return new AddressTimes(steps(4), steps(6));
  }

  /**
   * The addresses of prefixes, which come in order, IPv4 first, the less specific first; undefined stands for one that
   * was looked at and is left out. Prefixes with the end 0 have no addresses. O(n)
   * @throws RangeError for prefixes that are out of order
   */
  static *collecting(
    prefixes: Iterable<EndingPrefix | undefined>,
    covering: CoveringEnd,
  ): Generator<undefined, AddressTimes, undefined> {
    const all = { 4: new EndingPrefixes(4, covering), 6: new EndingPrefixes(6, covering) };
    let count = 0;
    for (const each of prefixes) {
      if (++count % PREFIXES_AT_ONCE === 0) yield;
      if (each !== undefined) all[each.prefix.family].add(each);
    }
    return new AddressTimes(all[4].steps(), all[6].steps());
  }

  /**
   * "latest": the addresses of either, each with the later end of the two. "earliest": the addresses of both, each with
   * the earlier end. O(n + m)
   */
  *combining(choice: keyof typeof CHOICES, other: AddressTimes): Generator<undefined, AddressTimes, undefined> {
    const choose = CHOICES[choice];
    return new AddressTimes(
      yield* combined(choose, this.#steps[4], other.#steps[4]),
      yield* combined(choose, this.#steps[6], other.#steps[6]),
    );
  }

  /** The addresses of any, each with the latest of its ends. O(n log sets) */
  static *uniting(all: readonly AddressTimes[]): Generator<undefined, AddressTimes, undefined> {
    return (yield* combinedInPairs(all, (one, other) => one.combining("latest", other))) ?? AddressTimes.EMPTY;
  }

  /** The latest end of the addresses in a prefix; 0: none of them is in the set. O(log n), and O(changes within it) */
  latestIn(prefix: Prefix): number {
    const steps = this.#steps[prefix.family];
    const end = passedAt(steps, lastAddress(prefix));
    let latest = 0;
    for (let at = Math.max(0, passedAt(steps, prefix) - 1); at < end; at++) latest = Math.max(latest, steps.ends[at]!);
    return latest;
  }

  /**
   * The fewest prefixes, none wider than `shortest`, of which each has addresses of one end, in order. As in
   * `AddressSet.prefixes`, those in ::ffff:0:0/96 are left out.
   */
  *prefixes(family: Family, shortest = 0): Generator<EndingPrefix, void, undefined> {
    const { words, ends } = this.#steps[family];
    const width = wordsOf(family);
    for (const [at, end] of ends.entries()) {
      if (end === 0) continue;
      // After the last boundary there is none: the addresses reach the end of the space.
      const part = words.subarray(at * width, (at + 2) * width);
      for (const prefix of besideMapped(prefixesOf(family, part, shortest))) yield { prefix, end };
    }
  }
}

/** One pass over the boundaries of both. */
function* combined(
  choose: (one: number, other: number) => number,
  first: Steps,
  second: Steps,
): Generator<undefined, Steps, undefined> {
  const { family, words: a } = first;
  const { words: b } = second;
  const width = wordsOf(family);
  const writer = new StepWriter(family);
  // The ends that the addresses after the last boundary have in each.
  let [one, other] = [0, 0];
  for (let i = 0, j = 0, steps = 0; i < first.ends.length || j < second.ends.length;) {
    const order =
      j === second.ends.length ? -1 : i === first.ends.length ? 1 : compareWords(a, i * width, b, j * width, width);
    const [from, at] = order <= 0 ? [a, i * width] : [b, j * width];
    if (order <= 0) one = first.ends[i++]!;
    if (order >= 0) other = second.ends[j++]!;
    writer.write(from, at, choose(one, other));
    if (++steps % STEP === 0) yield;
  }
  return writer.steps();
}
