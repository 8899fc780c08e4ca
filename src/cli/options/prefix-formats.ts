import type { Prefix } from "../../address/address.ts";
import { formatPrefix, rejectMappedBlock } from "../../address/prefix.ts";
import { SET_NAME, SET_NAME_RULE } from "../../formats/set-name.ts";
import {
  expressionOf,
  NAMED_FORMATS,
  rejectInexpressible,
  RULE_EXPORT_FORMATS,
  type RuleExportFormat,
} from "../../rulesets/export-rules.ts";
import type { AddressSet } from "../../sets/address-set.ts";
import { expressing } from "../../sets/capability.ts";
import type { Rule } from "../../rulesets/rule.ts";
import type { Arguments, Option } from "../runner/command.ts";
import { UsageError } from "../runner/usage-error.ts";

/** Formats of prefixes alone: a set of addresses has no names and expiries for the others. */
export const PREFIX_FORMATS = RULE_EXPORT_FORMATS.filter((format) => format !== "csv" && format !== "ndjson");

export const SET_NAME_OPTION: Option = {
  name: "set-name",
  value: "NAME",
  help: `for ${[...NAMED_FORMATS].join(", ")}: the name of the set, chain, list or resource; default: ipsieve`,
};

/** Throws UsageError. */
export function setNameFor(args: Arguments, format: RuleExportFormat): string {
  return checkedSetName(args.value("set-name"), format) ?? "ipsieve";
}

/** Throws UsageError for a name that is not valid, or that the format cannot contain. */
export function checkedSetName(name: string | undefined, format: RuleExportFormat): string | undefined {
  if (name === undefined) return undefined;
  if (!NAMED_FORMATS.has(format))
    throw new UsageError(
      `--set-name: the format ${format} cannot contain a name; leave it out, or choose one of ${[...NAMED_FORMATS].join(", ")}`,
    );
  if (SET_NAME.test(name)) return name;
  throw new UsageError(`--set-name: ${SET_NAME_RULE}, not ${JSON.stringify(name)}`);
}

/**
 * The fewest prefixes of a set as a format can express them, all of them before the first is printed. `given`: the
 * addresses of what was read that it can express. Throws UnexportableError for a prefix that it
 * cannot express, and AddressError for one that covers the block of IPv4-mapped addresses.
 */
export function expressed(merged: Iterable<Prefix>, given: AddressSet, format: RuleExportFormat): Prefix[] {
  const { expresses } = expressionOf(format);
  const prefixes = [...(expresses === undefined ? merged : expressing(merged, given, expresses))];
  for (const prefix of prefixes) {
    rejectMappedBlock(prefix, formatPrefix(prefix));
    rejectInexpressible(format, prefix);
  }
  return prefixes;
}

/** Prefixes as the writers of formats read them. */
export function* rulesOf(prefixes: Iterable<Prefix>): Generator<Rule> {
  for (const prefix of prefixes) yield { prefix, name: null, expiresAt: null, createdAt: 0, updatedAt: 0 };
}
