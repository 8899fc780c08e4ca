import type { Address, Family } from "../../../src/address/address.ts";
import { prefixContains } from "../../../src/address/prefix.ts";
import type { PrefixTable } from "../../../src/table/prefix-table.ts";
import type { TableEntry } from "../../../src/table/table-entry.ts";
import { TableError } from "../../../src/table/table-error.ts";
import type { Random } from "./sample.ts";

/** Two ways to look up the same thing in a table gave two answers. */
export class DisagreementError extends Error {}

function sampleAddress(random: Random, family: Family, entries: readonly TableEntry[]): Address {
  const noise: Address =
    family === 4
      ? { family, w0: random.word(), w1: 0, w2: 0, w3: 0 }
      : { family, w0: random.word(), w1: random.word(), w2: random.word(), w3: random.word() };
  if (entries.length === 0 || random.below(4) === 0) return noise;
  // The first address of a prefix, one after its first word, or noise in its lower half.
  const { prefix } = entries[random.below(entries.length)]!;
  const { w0, w1, w2, w3 } = prefix;
  if (family === 4)
    return { family, w0: (w0 + [0, 1, -1, random.below(65_536)][random.below(4)]!) >>> 0, w1: 0, w2: 0, w3: 0 };
  return random.below(2) === 0
    ? { family, w0, w1, w2, w3 }
    : { family, w0, w1: (w1 + random.below(3)) >>> 0, w2: noise.w2, w3: noise.w3 };
}

/**
 * Looks up many addresses in a table that has not been verified: every answer is an integer, or a `TableError` is
 * thrown.
 */
export function checkLookups(table: PrefixTable, random: Random, matchCount: number): number {
  const addresses = ([4, 6] as const).flatMap((family) =>
    Array.from({ length: 20 }, () => sampleAddress(random, family, [])),
  );
  for (const address of addresses) {
    const match = typed(() => table.lookupAddress(address));
    if (!Number.isInteger(match)) throw new DisagreementError(`a lookup gave ${match}`);
    if (match !== 0 && match >= 1 && match <= matchCount) {
      for (const told of [
        table.prefixLength(match),
        typed(() => table.parent(match)),
        typed(() => table.value(match)),
        typed(() => table.chain(match).length),
      ]) {
        if (!Number.isInteger(told)) throw new DisagreementError(`match ${match} told ${told}`);
      }
    }
  }
  return addresses.length;
}

function typed<Answer>(ask: () => Answer): Answer | 0 {
  try {
    return ask();
  } catch (error) {
    if (error instanceof TableError) return 0;
    throw error;
  }
}

/** Compares single lookups, batch lookups and chains with the table's own list of prefixes, searched one by one. */
export function checkCovering(table: PrefixTable, random: Random): void {
  for (const family of [4, 6] as const) {
    const entries = [...table.entries(family)];
    const addresses = Array.from({ length: 20 }, () => sampleAddress(random, family, entries));
    const words = Uint32Array.from(addresses.flatMap(({ w0, w1, w2, w3 }) => (family === 4 ? [w0] : [w0, w1, w2, w3])));
    const batch = new Uint32Array(addresses.length);
    table.lookupBatchInto(family, words, batch);
    for (const [i, address] of addresses.entries()) checkAddress(table, entries, address, batch[i]!);
  }
}

function checkAddress(table: PrefixTable, entries: readonly TableEntry[], address: Address, fromBatch: number): void {
  const host = { ...address, length: address.family === 4 ? 32 : 128 };
  const covering = entries
    .filter(({ prefix }) => prefixContains(prefix, host))
    .sort((a, b) => b.prefix.length - a.prefix.length);
  const expected = covering.map(({ match }) => match);
  const match = table.lookupAddress(address);
  const told = table.chain(match);
  if (match !== fromBatch) throw new DisagreementError(`one by one ${match}, in a batch ${fromBatch}`);
  if (told.join() !== expected.join())
    throw new DisagreementError(`the chain is ${told.join()}, the covering prefixes have ${expected.join()}`);
  for (const [i, id] of told.entries()) {
    if (table.prefixLength(id) !== covering[i]!.prefix.length)
      throw new DisagreementError(`match ${id} tells another length than its prefix has`);
    const values = table.values(id);
    if (values.length === 0 || values[0] !== table.value(id) || values.some((value) => !(value >= 1)))
      throw new DisagreementError(`match ${id} has the values ${values.join()}`);
  }
}
