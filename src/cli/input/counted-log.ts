import { identify } from "../../batch/identify.ts";
import type { IdentifyResult } from "../../batch/identify-result.ts";
import type { AddressCounts } from "../../batch/engine/address-counts.ts";
import type { Address, Family } from "../../address/address.ts";
import { FIELD_SYNTAXES, type FieldSyntax } from "../../batch/lines/fields/resolve-field.ts";
import type { PrefixTable } from "../../table/prefix-table.ts";
import type { Snapshot } from "../../snapshot/snapshot.ts";
import type { Arguments, Option } from "../runner/command.ts";
import { reportMalformed } from "../output/malformed-lines.ts";
import { grouped } from "../../words/numbers.ts";
import { createProgress } from "../output/progress.ts";
import { standardError } from "../runner/standard-error.ts";

/** Where the addresses of a log are; as for identify. */
export const LOG_OPTIONS: readonly Option[] = [
  {
    name: "field",
    value: "N|NAME",
    help: "where the address of a log line is: a column number from 1, or the name of a column, JSON member or key",
  },
  {
    name: "input",
    value: "FORMAT",
    choices: FIELD_SYNTAXES,
    help: "the format of the log: csv, tsv, jsonl, space, or keys; default: detected",
  },
];

/** Distinct addresses that are counted exactly, at up to 64 bytes each. */
const MAX_ADDRESSES = 20_000_000;

/** How often each address occurs in a log. */
export interface CountedLog extends Pick<IdentifyResult, "lines" | "addresses" | "withoutAddress"> {
  readonly counts: AddressCounts;
  /** The lines that are counted, if only those of some addresses are. */
  readonly within?: number;
}

/**
 * Counts the addresses of a log, in any format that identify reads, by all threads; `snapshot` is one that is open
 * anyway. Throws BatchError.
 */
export async function countedLog(args: Arguments, path: string, snapshot: Snapshot): Promise<CountedLog> {
  const field = args.value("field");
  const fieldSyntax = args.value("input") as FieldSyntax | undefined;
  const progress = createProgress("auto", false);
  try {
    const result = await identify({
      inputs: [path],
      snapshot,
      format: "none",
      keptAddresses: MAX_ADDRESSES,
      ...(field !== undefined && { field: /^\d+$/.test(field) ? Number(field) : field }),
      ...(fieldSyntax !== undefined && { fieldSyntax }),
      ...(progress && { onProgress: progress.update }),
    });
    const { lines, addresses, withoutAddress, addressCounts } = result;
    if (result.malformed > 0) reportMalformed(result);
    const counts = addressCounts!;
    if (counts.missing > 0)
      standardError().write(
        `warning: ${path} has more than ${grouped(MAX_ADDRESSES)} addresses; rare ones are not counted\n`,
      );
    return { lines, addresses, withoutAddress, counts };
  } finally {
    progress?.end();
  }
}

/** The same log with the counts of those addresses alone that have a match in a table. O(addresses) */
export function countedWithin(log: CountedLog, table: PrefixTable, now: number): CountedLog {
  const { counts } = log;
  const isInside = (family: Family, words: Uint32Array, { length }: Float64Array): Uint32Array => {
    const matches = new Uint32Array(length);
    table.lookupBatchInto(family, words, matches, length, now);
    return matches;
  };
  const inside4 = isInside(4, counts.words4, counts.counts4);
  const inside6 = isInside(6, counts.words6, counts.counts6);
  const kept: AddressCounts = {
    ...counts,
    words4: counts.words4.filter((_, at) => inside4[at] !== 0),
    counts4: counts.counts4.filter((_, at) => inside4[at] !== 0),
    words6: counts.words6.filter((_, at) => inside6[at >> 2] !== 0),
    counts6: counts.counts6.filter((_, at) => inside6[at] !== 0),
  };
  const linesOf = (own: Float64Array): number => own.reduce((sum, lines) => sum + lines, 0);
  return { ...log, counts: kept, within: linesOf(kept.counts4) + linesOf(kept.counts6) };
}

/** Each address with its number of lines, in no order. */
export function* countedAddresses(counts: AddressCounts): Generator<[Address, number]> {
  for (const [at, lines] of counts.counts4.entries()) yield [countedAddress(counts, 4, at), lines];
  for (const [at, lines] of counts.counts6.entries()) yield [countedAddress(counts, 6, at), lines];
}

/** The address of a family at an index of the counts. */
export function countedAddress({ words4, words6 }: AddressCounts, family: Family, at: number): Address {
  if (family === 4) return { family, w0: words4[at]!, w1: 0, w2: 0, w3: 0 };
  return {
    family,
    w0: words6[4 * at]!,
    w1: words6[4 * at + 1]!,
    w2: words6[4 * at + 2]!,
    w3: words6[4 * at + 3]!,
  };
}
