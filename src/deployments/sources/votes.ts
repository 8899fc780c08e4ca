import { AddressSet } from "../../sets/address-set.ts";
import type { Capability } from "../../sets/capability.ts";
import { type Gathered, gathering } from "../gathered.ts";

/** How many of several sources must list an address, or how much those that do must weigh together. */
export interface Votes {
  readonly least: number;
  /** One for each source; 1 each unless given. */
  readonly weights?: readonly number[];
}

/**
 * The addresses that enough of these sources list, as the fewest prefixes. Without ends: which source drops an address
 * first does not say when too few are left. O(n log sources)
 * @throws RangeError as `AddressSet.voting`
 */
export function* gatheringVotes(
  name: string,
  { least, weights }: Votes,
  voters: readonly Gathered[],
  expresses?: Capability,
): Generator<undefined, Gathered, undefined> {
  const sets = voters.map(({ addresses }) => addresses);
  const addresses = yield* AddressSet.voting(least, sets, weights);
  const until = Math.min(Number.POSITIVE_INFINITY, ...voters.map((voter) => voter.until));
  return yield* gathering(name, addresses.prefixes(), until, expresses);
}
