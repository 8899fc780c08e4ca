import { extname } from "node:path";
import { MAX_EXPIRY_DAYS } from "../../rulesets/validate-rule.ts";
import type { Arguments, Option } from "../runner/command.ts";
import { wholeNumber } from "../runner/parse-arguments.ts";
import { unpackedName } from "./read-list.ts";
import { LIST_FORMATS, type ListFormat, type ListReading, type RuleFields } from "./rule-source.ts";
import { UsageError } from "../runner/usage-error.ts";

const BY_EXTENSION: Readonly<Record<string, ListFormat>> = {
  ".csv": "csv",
  ".ndjson": "ndjson",
  ".jsonl": "ndjson",
  ".json": "json",
};

/** For commands that read a list. */
export const LIST_FORMAT_OPTION: Option = {
  name: "format",
  value: "FORMAT",
  choices: LIST_FORMATS,
  help: "the format of the list; default: by the file's extension (.csv, .ndjson, .jsonl, .json), otherwise text",
};

/** For commands that add the rules of a list. */
export const LIST_OPTIONS: readonly Option[] = [
  LIST_FORMAT_OPTION,
  {
    name: "skip-invalid",
    help: "skip and report lines that are invalid, or repeat a prefix with another name or expiry",
  },
  { name: "name", value: "NAME", help: "the name of rules that have none in the list" },
  { name: "expires-in-days", value: "N", help: "days from now after which rules without an expiry in the list expire" },
  {
    name: "expires-at",
    value: "TIME",
    help: "when rules without an expiry in the list expire; ISO 8601 with a time zone",
  },
];

/** Applies to every list. */
export const LIST_NOTE =
  'Formats: text (an address, prefix or FIRST-LAST range per line, or several), csv (columns ip, name, expires_at), ndjson (one JSON object per line), json ({"rules": [...]}). "-" is standard input; gzip and zstd data are unpacked.';

/** How to read a list, according to `LIST_OPTIONS`. Throws UsageError. */
export function listReading(args: Arguments): ListReading {
  return { ...(args.has("skip-invalid") && { skip_invalid: true as const }), ...ruleFields(args) };
}

/** The values of the options `name`, `expires-in-days` and `expires-at`. Throws UsageError. */
export function ruleFields(args: Arguments): RuleFields {
  const [name, days, time] = [args.value("name"), args.value("expires-in-days"), args.value("expires-at")];
  if (days !== undefined && time !== undefined)
    throw new UsageError("--expires-in-days and --expires-at cannot be combined; give one of them");
  return {
    ...(name !== undefined && { name }),
    ...(days !== undefined && { expires_in_days: wholeNumber("expires-in-days", days, MAX_EXPIRY_DAYS) }),
    ...(time !== undefined && { expires_at: time }),
  };
}

/** Why a list that protects addresses is rejected if it is empty. */
export const NO_ENTRIES = "the list has no entries, so it protects nothing; check the file, or add --allow-empty";

/** How messages name a list. */
export function listName(path: string): string {
  return path === "-" ? "standard input" : path;
}

/** The format of the list in a file. */
export function formatOf(args: Arguments, path: string): ListFormat {
  return (
    (args.value("format") as ListFormat | undefined) ??
    BY_EXTENSION[extname(unpackedName(path)).toLowerCase()] ??
    "text"
  );
}
