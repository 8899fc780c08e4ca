import { type Address, addressBits, type Family, notAnAddress, type Prefix } from "../address/address.ts";
import { prefixesOf, visitingIpv4Prefixes } from "../address/prefixes-of-boundaries.ts";
import { lastAddress } from "../address/range.ts";
import { finished } from "../turns/finished.ts";
import {
  addressesIn,
  type Boundaries,
  boundariesWithin,
  combined,
  holdsAt,
  type SetOperation,
  wordsOf,
} from "./_boundaries.ts";
import { Ipv4Collector } from "./_boundaries-of-ipv4.ts";
import { RangeCollector } from "./_boundaries-of-ranges.ts";
import { besideMapped } from "./_beside-mapped.ts";
import { combinedInPairs } from "./_in-pairs.ts";
import { splittingIpv4 } from "./_split-ipv4.ts";
import { votedFor } from "./_votes.ts";

export type { SetOperation } from "./_boundaries.ts";

/** First and last address of a range, both in it. */
export interface AddressRange {
  readonly first: Address;
  readonly last: Address;
}

let createSet: (ipv4: Boundaries, ipv6: Boundaries) => AddressSet;
/** The boundaries of a set, which are its internal form. */
export let boundariesOf: (set: AddressSet, family: Family) => Boundaries;

/**
 * A set of IPv4 and IPv6 addresses, exact and immutable. Its methods are named as those of ECMAScript's Set. It takes 8
 * bytes for each range of IPv4 addresses and 32 for each of IPv6, ranges that touch counting as one.
 *
 * The `...ing` forms are generators that can be interrupted every few hundred microseconds, for programs that must stay
 * responsive; they return the same as the methods without `ing`.
 */
export class AddressSet {
  /** The set without addresses. */
  static readonly EMPTY = new AddressSet(emptyBoundaries(4), emptyBoundaries(6));

  // For this room only: the internal form is not part of the API.
  static {
    createSet = (ipv4, ipv6) => new AddressSet(ipv4, ipv6);
    boundariesOf = (set, family) => set.#of(family);
  }

  readonly #ipv4: Boundaries;
  readonly #ipv6: Boundaries;

  private constructor(ipv4: Boundaries, ipv6: Boundaries) {
    this.#ipv4 = ipv4;
    this.#ipv6 = ipv6;
  }

  /**
   * The addresses of all prefixes and ranges, in any order, overlapping or not. O(n); unless they come in order, with a
   * radix sort of 3 passes over IPv4 ranges and 6 over IPv6 ranges, or 18 if many of these begin in the same /64.
   */
  static of(parts: Iterable<Prefix | AddressRange>): AddressSet {
    return finished(AddressSet.collecting(parts));
  }

  /**
   * `of`, which can be interrupted. An undefined part has no addresses: iterables that search many items for few parts
   * yield one per item, so that they can be interrupted, too.
   */
  static *collecting(parts: Iterable<Prefix | AddressRange | undefined>): Generator<undefined, AddressSet, undefined> {
    const ipv4 = new RangeCollector(4);
    const ipv6 = new RangeCollector(6);
    let count = 0;
    for (const part of parts) {
      if (++count % PARTS_AT_ONCE === 0) yield;
      if (part === undefined) continue;
      const { first, last } = "first" in part ? part : { first: part, last: lastAddress(part) };
      (first.family === 4 ? ipv4 : ipv6).add(first, last);
    }
    return new AddressSet(yield* ipv4.boundaries(), yield* ipv6.boundaries());
  }

  /** The union of any number of sets, which can be interrupted. O(n log sets) */
  static *uniting(sets: readonly AddressSet[]): Generator<undefined, AddressSet, undefined> {
    return (yield* combinedInPairs(sets, (one, other) => one.combining("union", other))) ?? AddressSet.EMPTY;
  }

  /** The addresses that at least `least` of the sets hold. O(n log sets). @throws RangeError as `voting` */
  static atLeast(least: number, sets: readonly AddressSet[], weights?: readonly number[]): AddressSet {
    return finished(AddressSet.voting(least, sets, weights));
  }

  /**
   * `atLeast`, which can be interrupted. With `weights`, one for each set, an address counts as much as the sets that
   * hold it weigh together.
   * @throws RangeError unless `least` and the weights are whole numbers from 1 to 2^31, and there is a weight per set
   */
  static *voting(
    least: number,
    sets: readonly AddressSet[],
    weights: readonly number[] = sets.map(() => 1),
  ): Generator<undefined, AddressSet, undefined> {
    for (const number of [least, ...weights])
      if (!Number.isInteger(number) || number < 1 || number > MAX_WEIGHT)
        throw new RangeError(`${number} is not a whole number from 1 to ${MAX_WEIGHT}`);
    if (weights.length !== sets.length)
      throw new RangeError(`there are ${weights.length} weights for ${sets.length} sets; give one for each`);
    return new AddressSet(
      yield* votedFor(
        4,
        sets.map((set) => set.#ipv4),
        weights,
        least,
      ),
      yield* votedFor(
        6,
        sets.map((set) => set.#ipv6),
        weights,
        least,
      ),
    );
  }

  /** Whether the set has no addresses. O(1) */
  get isEmpty(): boolean {
    return this.#ipv4.words.length === 0 && this.#ipv6.words.length === 0;
  }

  /** Whether the set contains the address. O(log n). Throws TypeError for anything but an address, such as a text. */
  has(address: Address): boolean {
    if (typeof address !== "object") throw notAnAddress(address);
    return holdsAt(this.#of(address.family), address);
  }

  /** The addresses in either set. O(n + m), as all operations on two sets. */
  union(other: AddressSet): AddressSet {
    return finished(this.combining("union", other));
  }

  /** The addresses in both sets. */
  intersection(other: AddressSet): AddressSet {
    return finished(this.combining("intersection", other));
  }

  /** The addresses in this set that are not in the other. */
  difference(other: AddressSet): AddressSet {
    return finished(this.combining("difference", other));
  }

  /** The addresses in one of the sets only. */
  symmetricDifference(other: AddressSet): AddressSet {
    return finished(this.combining("symmetricDifference", other));
  }

  /** Any of these operations, which can be interrupted. */
  *combining(operation: SetOperation, other: AddressSet): Generator<undefined, AddressSet, undefined> {
    return new AddressSet(
      yield* combined(operation, this.#ipv4, other.#ipv4),
      yield* combined(operation, this.#ipv6, other.#ipv6),
    );
  }

  /**
   * The addresses that are also in the other set, and those that are not: `intersection` and `difference` at once; can
   * be interrupted.
   */
  *splitting(other: AddressSet): Generator<undefined, { inside: AddressSet; outside: AddressSet }, undefined> {
    const ipv4 = yield* splittingIpv4(this.#ipv4.words, other.#ipv4.words);
    const inside6 = yield* combined("intersection", this.#ipv6, other.#ipv6);
    const outside6 = yield* combined("difference", this.#ipv6, other.#ipv6);
    return {
      inside: new AddressSet({ family: 4, words: ipv4.inside }, inside6),
      outside: new AddressSet({ family: 4, words: ipv4.outside }, outside6),
    };
  }

  /** Whether the other set has all addresses of this one. O(n + m) */
  isSubsetOf(other: AddressSet): boolean {
    return this.difference(other).isEmpty;
  }

  /** Whether this set has all addresses of the other. O(n + m) */
  isSupersetOf(other: AddressSet): boolean {
    return other.isSubsetOf(this);
  }

  /** Whether no address is in both sets. O(n + m) */
  isDisjointFrom(other: AddressSet): boolean {
    return this.intersection(other).isEmpty;
  }

  /** Whether both sets have the same addresses. O(n) */
  equals(other: AddressSet): boolean {
    return areEqual(this.#ipv4.words, other.#ipv4.words) && areEqual(this.#ipv6.words, other.#ipv6.words);
  }

  /** The exact number of addresses of the family. O(ranges) */
  size(family: Family): bigint {
    return addressesIn(this.#of(family));
  }

  /** The number of ranges of the family; no two of them touch. O(1) */
  rangeCount(family: Family): number {
    return Math.ceil(this.#of(family).words.length / (2 * wordsOf(family)));
  }

  /** Its addresses in a prefix. O(log n), and O(ranges in the prefix) */
  within(prefix: Prefix): AddressSet {
    const { family } = prefix;
    const part = boundariesWithin(this.#of(family), prefix, lastAddress(prefix));
    return family === 4 ? new AddressSet(part, emptyBoundaries(6)) : new AddressSet(emptyBoundaries(4), part);
  }

  /**
   * The fewest prefixes that cover exactly these addresses, in order, IPv4 first; only of `family` if it is given. At
   * most 62 for a range of IPv4 addresses and 254 for one of IPv6. With `shortest`, the fewest of that length or
   * longer. Addresses in ::ffff:0:0/96 are left out, except by ::/0: they are IPv4 addresses, and a prefix there or
   * around it would be read as one of IPv4. Throws RangeError for a length that the family does not have.
   */
  *prefixes(family?: Family, shortest = 0): Generator<Prefix, void, undefined> {
    if (family === undefined) {
      yield* this.prefixes(4, shortest);
      yield* this.prefixes(6, shortest);
      return;
    }
    const prefixes = prefixesOf(family, this.#of(family).words, checkedLength(family, shortest));
    if (family === 4) yield* prefixes;
    else yield* besideMapped(prefixes);
  }

  /**
   * As `prefixes(4, shortest)`, without an object for each: calls `visit` with its first address and its length. Can be
   * interrupted. Throws RangeError for a length that the family does not have.
   */
  visitingIpv4(
    shortest: number,
    visit: (first: number, length: number) => void,
  ): Generator<undefined, void, undefined> {
    return visitingIpv4Prefixes(this.#ipv4.words, checkedLength(4, shortest), visit);
  }

  #of(family: Family): Boundaries {
    return family === 4 ? this.#ipv4 : this.#ipv6;
  }
}

/**
 * Builds a set from prefixes given as words, in any order, overlapping or not: for long lists, without an object for
 * each IPv4 prefix.
 */
export class AddressSetBuilder {
  readonly #ipv4 = new Ipv4Collector();
  readonly #ipv6 = new RangeCollector(6);

  /** Adds a prefix without host bits; `words[0]` is that of IPv4, `words[0..3]` are those of IPv6. */
  addWords(family: Family, words: Uint32Array, length: number): void {
    if (family === 4) this.addIpv4(words[0]!, length);
    else this.#ipv6.addWords(words, length);
  }

  add(prefix: Prefix): void {
    if (prefix.family === 4) this.addIpv4(prefix.w0, prefix.length);
    else this.#ipv6.add(prefix, lastAddress(prefix));
  }

  /** Adds a prefix by its first address and its length. */
  addIpv4(first: number, length: number): void {
    this.#ipv4.add(first, first + 2 ** (32 - length) - 1);
  }

  /** The addresses of all prefixes that were added. Nothing can be added afterwards. O(n) */
  finish(): AddressSet {
    return finished(this.finishing());
  }

  /** As `finish`; can be interrupted. */
  *finishing(): Generator<undefined, AddressSet, undefined> {
    return createSet(yield* this.#ipv4.boundaries(), yield* this.#ipv6.boundaries());
  }
}

/** Parts between two pauses: a few hundred microseconds. */
const PARTS_AT_ONCE = 1 << 12;
/** So that the weights of a few million sets add up exactly. */
const MAX_WEIGHT = 2 ** 31;

function emptyBoundaries(family: Family): Boundaries {
  return { family, words: new Uint32Array(0) };
}

function checkedLength(family: Family, length: number): number {
  if (Number.isInteger(length) && length >= 0 && length <= addressBits(family)) return length;
  throw new RangeError(`the shortest prefix length must be 0 to ${addressBits(family)}, not ${length}`);
}

function areEqual(one: Uint32Array, other: Uint32Array): boolean {
  return one.length === other.length && one.every((word, at) => word === other[at]);
}
