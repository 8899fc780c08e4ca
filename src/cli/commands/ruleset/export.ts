import { extname } from "node:path";
import { NAMED_FORMATS, RULE_EXPORT_FORMATS, type RuleExportFormat } from "../../../rulesets/export-rules.ts";
import { chosenTarget, TARGET_NOTE } from "../../rulesets/chosen-target.ts";
import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { byteSize } from "../../output/numbers.ts";
import { OUTPUT_OPTION, writeOutput } from "../../output/output-file.ts";
import { printChunks } from "../../output/print-chunks.ts";
import { standardError } from "../../runner/standard-error.ts";
import { isRulesetFile } from "../../rule-lists/rule-source.ts";
import { CONNECTION_OPTIONS, KEY_NOTE } from "../../server/service-connection.ts";
import { UsageError } from "../../runner/usage-error.ts";

export const exportCommand: Command = {
  name: "ruleset export",
  summary: "write the rules of a ruleset to a file or to standard output",
  operands: "RULESET",
  options: [
    {
      name: "format",
      value: "FORMAT",
      choices: RULE_EXPORT_FORMATS,
      help: `${RULE_EXPORT_FORMATS.join(", ")}; default: by the extension of -o (.csv, .ndjson, .jsonl, .mmdb), otherwise text`,
    },
    {
      name: "set-name",
      value: "NAME",
      help: `for ${[...NAMED_FORMATS].join(", ")}: the name of the set, chain, list or resource; default: derived from the ruleset's name and, on a server, its id`,
    },
    { name: "all", help: "include expired rules; only csv and ndjson show when they expired" },
    OUTPUT_OPTION,
    ...CONNECTION_OPTIONS,
  ],
  notes: [
    TARGET_NOTE,
    "If a server cannot be reached or its response is cut short, the old file is kept.",
    KEY_NOTE,
    "Exit code: 0 if the rules were written, 2 if not.",
  ],
  examples: [
    { command: "ipsieve ruleset export Blocklist -o blocklist.csv", what: "addresses, names and expiries" },
    {
      command: "ipsieve ruleset export Blocklist --format nftables --set-name blocklist | nft -f -",
      what: "straight into the kernel",
    },
  ],
  run,
};

async function run(args: Arguments): Promise<number> {
  const output = args.value("output");
  if (output !== undefined && isRulesetFile(output))
    throw new UsageError(
      `-o ${output}: a name that ends in .ipsieve is a ruleset file, which an export is not; choose another name`,
    );
  const format = (args.value("format") as RuleExportFormat | undefined) ?? formatOf(output ?? "");
  const target = await chosenTarget(args, args.operands[0]!);
  const chunks = await target.export({ format, activeOnly: !args.has("all"), setName: args.value("set-name") });
  if (output === undefined) await printChunks(chunks);
  else standardError().write(`${output}: ${byteSize(await writeOutput(output, chunks))}\n`);
  return EXIT.matched;
}

/** Throws UsageError for an extension that promises something else. */
function formatOf(output: string): RuleExportFormat {
  const extension = extname(output).toLowerCase();
  if (extension === ".csv") return "csv";
  if (extension === ".mmdb") return "mmdb";
  if (extension === ".ndjson" || extension === ".jsonl") return "ndjson";
  if ([".json", ".gz", ".zst"].includes(extension))
    throw new UsageError(
      `-o ${output}: no export format has the extension ${extension}; choose another name, or give --format`,
    );
  return "text";
}
