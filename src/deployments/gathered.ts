import { addressBits, type Family, type Prefix } from "../address/address.ts";
import { comparePrefixes } from "../address/prefix.ts";
import { AddressSet, AddressSetBuilder } from "../sets/address-set.ts";
import { type Capability, entriesFor } from "../sets/capability.ts";
import type { AddressTimes } from "../sets/address-times.ts";

/** How many of its widest prefixes a source or a list names. */
const NAMED = 10;

/** What a source of a deployment lists at a moment. It depends on nothing else, so it can be kept for several lists. */
export interface Gathered {
  /** What reports call the source. */
  readonly name: string;
  readonly addresses: AddressSet;
  /** The prefixes as the source has them. */
  readonly prefixes: PrefixTally;
  /** The first time, in milliseconds since 1970, at which what it lists may change by itself; Infinity: never. */
  readonly until: number;
  /** When each of its addresses ends, in seconds: see `endSecondOf`. Absent: none does, or no one has asked. */
  readonly times?: AddressTimes;
  /** The addresses of those of its prefixes that a list can express. Absent: no one has asked. */
  readonly expressible?: AddressSet;
}

/**
 * A time in milliseconds since 1970 as the end of addresses: the whole second at which they have gone, as formats count
 * in seconds.
 */
export function endSecondOf(time: number): number {
  return Math.ceil(time / 1000);
}

/** How many prefixes of each length there are, and which are the widest. */
export class PrefixTally {
  readonly #counts4 = new Float64Array(addressBits(4) + 1);
  readonly #counts6 = new Float64Array(addressBits(6) + 1);
  readonly #widest: Record<Family, Prefix[]> = { 4: [], 6: [] };

  /** Of those that are named, the IPv4 prefix that one more would push out; none while there are fewer. */
  #narrowest4: Prefix | undefined;

  readonly #expresses: Capability | undefined;
  /** The prefixes that can be expressed. */
  readonly #expressible: AddressSetBuilder | undefined;

  /** `expresses`: what `Gathered.expressible` is to be about. */
  constructor(expresses?: Capability) {
    this.#expresses = expresses;
    if (expresses !== undefined) this.#expressible = new AddressSetBuilder();
  }

  /** `Gathered.expressible` of all prefixes; nothing can be added afterwards. */
  *finishing(): Generator<undefined, Pick<Gathered, "expressible">, undefined> {
    return this.#expressible === undefined ? {} : { expressible: yield* this.#expressible.finishing() };
  }

  /** As `add`, for the first address and the length of a prefix: nearly none of many needs an object. */
  addIpv4(first: number, length: number): void {
    const last = this.#narrowest4;
    if (this.#expressible !== undefined && this.#canExpress(4, length)) this.#expressible.addIpv4(first, length);
    if (last !== undefined && (length > last.length || (length === last.length && first >= last.w0)))
      this.#counts4[length]!++;
    else this.#count({ family: 4, w0: first, w1: 0, w2: 0, w3: 0, length });
  }

  /** Prefixes come in any order. */
  add(prefix: Prefix): void {
    if (this.#expressible !== undefined && this.#canExpress(prefix.family, prefix.length))
      this.#expressible.add(prefix);
    this.#count(prefix);
  }

  #canExpress(family: Family, length: number): boolean {
    return entriesFor(this.#expresses!, family, length) > 0;
  }

  #count(prefix: Prefix): void {
    this.#countsOf(prefix.family)[prefix.length]!++;
    const widest = this.#widest[prefix.family];
    if (widest.length === NAMED && !isBefore(prefix, widest.at(-1)!)) return;
    const at = widest.findIndex((other) => isBefore(prefix, other));
    widest.splice(at < 0 ? widest.length : at, 0, prefix);
    if (widest.length > NAMED) widest.pop();
    this.#narrowest4 = this.#widest[4][NAMED - 1];
  }

  count(family: Family): number {
    return this.#countsOf(family).reduce((sum, count) => sum + count, 0);
  }

  /** How many prefixes are wider than this length. */
  countWiderThan(family: Family, length: number): number {
    return this.#countsOf(family)
      .subarray(0, length)
      .reduce((sum, count) => sum + count, 0);
  }

  /** How many entries the prefixes are written as. */
  entriesAs(capability: Capability, family: Family): number {
    return this.#countsOf(family).reduce(
      (sum, count, length) => sum + (count === 0 ? 0 : count * entriesFor(capability, family, length)),
      0,
    );
  }

  /** How many addresses there are in prefixes of which no two overlap. */
  addresses(family: Family): bigint {
    let sum = 0n;
    for (const [length, count] of this.#countsOf(family).entries())
      sum += BigInt(count) << BigInt(addressBits(family) - length);
    return sum;
  }

  /** The ten widest prefixes of a family at most, the widest first, by address where they are equally wide. */
  widest(family: Family): readonly Prefix[] {
    return this.#widest[family];
  }

  #countsOf(family: Family): Float64Array {
    return family === 4 ? this.#counts4 : this.#counts6;
  }
}

/** What prefixes list until a moment; an undefined one stands for something that was looked at and is not listed. */
export function* gathering(
  name: string,
  prefixes: Iterable<Prefix | undefined>,
  until: number,
  expresses?: Capability,
): Generator<undefined, Gathered, undefined> {
  const tally = new PrefixTally(expresses);
  const addresses = yield* AddressSet.collecting(tallied(prefixes, tally));
  return { name, addresses, prefixes: tally, until, ...(yield* tally.finishing()) };
}

function* tallied(prefixes: Iterable<Prefix | undefined>, tally: PrefixTally): Generator<Prefix | undefined> {
  for (const prefix of prefixes) {
    if (prefix !== undefined) tally.add(prefix);
    yield prefix;
  }
}

/** Literal prefixes, in any order. */
export function gatheringPrefixes(
  name: string,
  prefixes: Iterable<Prefix>,
  expresses?: Capability,
): Generator<undefined, Gathered, undefined> {
  return gathering(name, prefixes, Number.POSITIVE_INFINITY, expresses);
}

/** By length, then by address. */
function isBefore(one: Prefix, other: Prefix): boolean {
  return one.length === other.length ? comparePrefixes(one, other) < 0 : one.length < other.length;
}
