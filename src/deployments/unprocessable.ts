import type { Prefix } from "../address/address.ts";
import { type RuleExportFormat, unprocessableReason } from "../rulesets/export-rules.ts";

/** Prefixes of a list that its format cannot express. */
export interface Unprocessable {
  readonly count: number;
  /** The first hundred. */
  readonly named: readonly { readonly prefix: Prefix; readonly reason: string }[];
}

/** Further ones are only counted. */
const MAX_NAMED = 100;

/** The prefixes that a format can express, in the same order, and those that it cannot. O(prefixes) */
export function partitioned(
  prefixes: Iterable<Prefix>,
  format: RuleExportFormat,
): { written: Prefix[]; unprocessable: Unprocessable } {
  const written: Prefix[] = [];
  const named: { prefix: Prefix; reason: string }[] = [];
  let count = 0;
  for (const prefix of prefixes) {
    const reason = unprocessableReason(format, prefix);
    if (reason === undefined) written.push(prefix);
    else if (count++ < MAX_NAMED) named.push({ prefix, reason });
  }
  return { written, unprocessable: { count, named } };
}
