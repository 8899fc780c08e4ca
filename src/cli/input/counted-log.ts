import { identify } from "../../batch/identify.ts";
import type { IdentifyResult } from "../../batch/identify-result.ts";
import type { AddressCounts } from "../../batch/address-counts.ts";
import type { Address, Family } from "../../address/address.ts";
import { FIELD_SYNTAXES, type FieldSyntax } from "../../batch/identify-options.ts";
import type { Snapshot } from "../../snapshot/snapshot.ts";
import type { Arguments, Option } from "../runner/command.ts";
import { reportMalformed } from "../output/malformed-lines.ts";
import { grouped } from "../output/numbers.ts";
import { createProgress } from "../output/progress.ts";
import { standardError } from "../output/standard-error.ts";

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
