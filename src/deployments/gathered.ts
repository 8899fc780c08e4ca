import { addressBits, type Family, type Prefix } from "../address/address.ts";
import { comparePrefixes } from "../address/prefix.ts";
import { AddressSet } from "../sets/address-set.ts";

/** How many of its widest prefixes a source or a list names. */
const NAMED = 10;

/** What a source of a deployment lists at a moment. It depends on nothing else, so it can be kept for several lists. */
export interface Gathered {
  /** What reports call the source. */
  readonly name: string;
  readonly addresses: AddressSet;
  /** The prefixes as the source has them. */
  readonly prefixes: PrefixTally;
  /** The first moment, in milliseconds since 1970, at which it may list something else by itself; Infinity: never. */
  readonly until: number;
}

/** How many prefixes of each length there are, and which are the widest. */
export class PrefixTally {
  readonly #counts = { 4: new Float64Array(addressBits(4) + 1), 6: new Float64Array(addressBits(6) + 1) } as const;
  readonly #widest: Record<Family, Prefix[]> = { 4: [], 6: [] };

  /** Prefixes come in any order. */
  add(prefix: Prefix): void {
    this.#counts[prefix.family][prefix.length]!++;
    const widest = this.#widest[prefix.family];
    if (widest.length === NAMED && !isBefore(prefix, widest.at(-1)!)) return;
    const at = widest.findIndex((other) => isBefore(prefix, other));
    widest.splice(at < 0 ? widest.length : at, 0, prefix);
    if (widest.length > NAMED) widest.pop();
  }

  count(family: Family): number {
    return this.#counts[family].reduce((sum, count) => sum + count, 0);
  }

  /** How many prefixes are wider than this length. */
  countWiderThan(family: Family, length: number): number {
    return this.#counts[family].subarray(0, length).reduce((sum, count) => sum + count, 0);
  }

  /** How many addresses there are in prefixes of which no two overlap. */
  addresses(family: Family): bigint {
    let sum = 0n;
    for (const [length, count] of this.#counts[family].entries())
      sum += BigInt(count) << BigInt(addressBits(family) - length);
    return sum;
  }

  /** The ten widest prefixes of a family at most, the widest first, by address where they are equally wide. */
  widest(family: Family): readonly Prefix[] {
    return this.#widest[family];
  }
}

/** What prefixes list until a moment; an undefined one stands for something that was looked at and is not listed. */
export function* gathering(
  name: string,
  prefixes: Iterable<Prefix | undefined>,
  until: number,
): Generator<undefined, Gathered, undefined> {
  const tally = new PrefixTally();
  const addresses = yield* AddressSet.collecting(tallied(prefixes, tally));
  return { name, addresses, prefixes: tally, until };
}

function* tallied(prefixes: Iterable<Prefix | undefined>, tally: PrefixTally): Generator<Prefix | undefined> {
  for (const prefix of prefixes) {
    if (prefix !== undefined) tally.add(prefix);
    yield prefix;
  }
}

/** Literal prefixes, in any order. */
export function gatheringPrefixes(name: string, prefixes: Iterable<Prefix>): Generator<undefined, Gathered, undefined> {
  return gathering(name, prefixes, Number.POSITIVE_INFINITY);
}

/** By length, then by address. */
function isBefore(one: Prefix, other: Prefix): boolean {
  return one.length === other.length ? comparePrefixes(one, other) < 0 : one.length < other.length;
}
