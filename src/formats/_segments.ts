import { addressBits, type Address, type Prefix } from "../address/address.ts";
import type { Entry } from "./entry.ts";

/** Addresses in a row, from `low` to `high`, both as numbers, that have the same most specific entry. */
export interface Segment<Item extends Entry> {
  readonly low: bigint;
  readonly high: bigint;
  readonly entry: Item;
}

interface Open<Item extends Entry> {
  readonly entry: Item;
  readonly last: bigint;
}

/**
 * Entries as segments that do not overlap, in order; entries come by address, the less specific first. O(entries)
 *
 *     entries    10.0.0.0/24 [-----------------------]
 *                10.0.0.64/26        [----]
 *     segments              [--------][----][--------]      the second is of the /26, the others of the /24
 */
export function* segmentsOf<Item extends Entry>(entries: Iterable<Item>): Generator<Segment<Item>> {
  let open: Open<Item>[] = [];
  // All addresses before it are in segments that were given.
  let from = 0n;
  let family = 4;
  const close = function* (before: bigint): Generator<Segment<Item>> {
    for (let top = open.at(-1); top !== undefined && top.last < before; top = open.at(-1)) {
      open.pop();
      // What ends where its last part does has no segment after that part.
      if (from > top.last) continue;
      yield { low: from, high: top.last, entry: top.entry };
      from = top.last + 1n;
    }
  };
  for (const entry of entries) {
    const { prefix } = entry;
    if (prefix.family !== family) {
      yield* close(1n << 128n);
      open = [];
      family = prefix.family;
    }
    const first = numberOf(prefix);
    yield* close(first);
    const around = open.at(-1);
    if (around !== undefined && from < first) yield { low: from, high: first - 1n, entry: around.entry };
    from = first;
    open.push({ entry, last: lastOf(first, prefix) });
  }
  yield* close(1n << 128n);
}

function numberOf({ family, w0, w1, w2, w3 }: Address): bigint {
  if (family === 4) return BigInt(w0);
  return (BigInt(w0) << 96n) | (BigInt(w1) << 64n) | (BigInt(w2) << 32n) | BigInt(w3);
}

function lastOf(first: bigint, { family, length }: Prefix): bigint {
  return first + (1n << BigInt(addressBits(family) - length)) - 1n;
}
