import type { UpdateExternalList } from "../../client/client.ts";
import { IMPORT_FORMATS } from "../../rulesets/importers/import-rules.ts";
import { UPDATE_FREQUENCIES } from "../../store/records/deployment.ts";
import type { Arguments, Option } from "../runner/command.ts";
import { wholeNumber } from "../runner/parse-arguments.ts";

/** Options of the commands that create or change an external list. */
export const LIST_DEFINITION_OPTIONS: readonly Option[] = [
  { name: "description", value: "TEXT", help: "what it is" },
  { name: "format", value: "FORMAT", choices: IMPORT_FORMATS, help: `${IMPORT_FORMATS.join(", ")}; default: text` },
  {
    name: "schedule",
    value: "TIME",
    choices: Object.keys(UPDATE_FREQUENCIES),
    help: `how often it is fetched: ${Object.keys(UPDATE_FREQUENCIES).join(", ")}; default: 60m`,
  },
  {
    name: "max-change",
    value: "PERCENT",
    help: "refuse a fetch that adds or removes a larger share of the entries; default: 50",
  },
  {
    name: "never-block",
    value: "yes|no",
    choices: ["yes", "no"],
    help: "whether it lists your own networks, which the guards of blocklists protect; default: no",
  },
];

/** What the options say; what is absent has its default, or stays as it is. Throws UsageError. */
export function listDefinitionOf(args: Arguments): UpdateExternalList {
  const change = args.value("max-change");
  const texts = ["description", "format", "schedule"].flatMap((name) =>
    args.has(name) ? [[name, args.value(name)]] : [],
  );
  return {
    ...Object.fromEntries(texts),
    ...(args.has("never-block") && { never_block: args.value("never-block") === "yes" }),
    ...(change !== undefined && { max_change: wholeNumber("max-change", change, 1_000_000, 0) }),
  };
}
