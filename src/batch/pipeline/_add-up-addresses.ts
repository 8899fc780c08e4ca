import type { AddressCounts } from "../engine/address-counts.ts";
import { AddressCounter } from "../engine/address-counter.ts";

/**
 * Adds up what all threads have counted by address. If there are more than `max` distinct ones, `onTooMany` is called,
 * and if it does not throw, the rarest are dropped. Can be interrupted after each step.
 */
export function* addUpAddresses(
  parts: readonly AddressCounts[],
  max: number,
  onTooMany: () => void,
): Generator<undefined, AddressCounts, undefined> {
  const counted = parts.filter((part) => countOf(part) > 0);
  // Of one thread alone: each address is there once, and a table would take as long to fill as the counting.
  const [only] = counted;
  if (counted.length === 1 && parts.every(({ missing }) => missing === 0) && countOf(only!) <= max) return only!;
  const counter = new AddressCounter(max);
  for (const part of parts) {
    yield* counter.adding(part);
    if (!counter.isFull) continue;
    onTooMany();
    counter.makeRoom();
  }
  return counter.counts();
}

function countOf({ counts4, counts6 }: AddressCounts): number {
  return counts4.length + counts6.length;
}
