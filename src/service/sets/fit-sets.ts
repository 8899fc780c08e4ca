import type { Address } from "../../address/address.ts";
import { parseAddress } from "../../address/parse-address.ts";
import { AddressSet } from "../../sets/address-set.ts";
import { type Fit, FitError, type FitLoss, fitting } from "../../sets/fit.ts";
import { inSlices } from "../../turns/in-slices.ts";
import { withField } from "../rules/read-address.ts";
import { invalid } from "../service-error.ts";

/** An address of a request, and how often it was seen. */
export interface SeenLines {
  readonly ip: string;
  readonly lines: number;
}

export interface FitRequest {
  /** Their union is fitted. */
  readonly sets: readonly AddressSet[];
  readonly entries: number;
  readonly loss: FitLoss;
  readonly never: readonly AddressSet[];
  /** Undefined: every address costs the same. */
  readonly seen: readonly SeenLines[] | undefined;
  readonly shortest: Readonly<Record<4 | 6, number>>;
}

/** Addresses read or prefixes counted between two interruptions. */
const AT_ONCE = 1024;
/** Each needs some hundred bytes; collecting the garbage of a million blocked all requests for 0.2 s. */
const MAX_PREFIXES = 200_000;

/**
 * The best list of at most so many prefixes for the sets, as `fit`. In slices; rejects with the reason of the signal
 * once it is aborted, and with ServiceError "invalid" where the sets do not fit, for sets that are too large, and for
 * malformed addresses.
 */
export async function fitSets(
  { sets, entries, loss, never, seen, shortest }: FitRequest,
  signal: AbortSignal,
  maxPrefixes = MAX_PREFIXES,
): Promise<Fit> {
  const addresses = await inSlices(united(sets, "sets", maxPrefixes), signal);
  const options = {
    loss,
    never: await inSlices(united(never, "never", maxPrefixes), signal),
    shortest,
    ...(seen && { seen: await inSlices(readSeen(seen), signal) }),
  };
  try {
    return await inSlices(fitting(addresses, entries, options), signal);
  } catch (error) {
    throw error instanceof FitError ? invalid({ entries: [error.message] }) : error;
  }
}

function* united(
  sets: readonly AddressSet[],
  field: string,
  maxPrefixes: number,
): Generator<undefined, AddressSet, undefined> {
  const union = yield* AddressSet.uniting(sets);
  let count = 0;
  for (const _prefix of union.prefixes()) {
    if (++count > maxPrefixes)
      throw invalid({
        [field]: [`the addresses take more than ${maxPrefixes} prefixes; fit fewer, or use "ipsieve sets fit"`],
      });
    if (count % AT_ONCE === 0) yield;
  }
  return union;
}

function* readSeen(seen: readonly SeenLines[]): Generator<undefined, [Address, number][], undefined> {
  const read: [Address, number][] = [];
  for (const [index, { ip, lines }] of seen.entries()) {
    read.push([withField(`seen[${index}].ip`, () => parseAddress(ip)), lines]);
    if (index % AT_ONCE === 0) yield;
  }
  return read;
}
