import type { ImportAnswer } from "../../../client/client.ts";
import { CONFLICT_MODES, type ConflictMode } from "../../../rulesets/write-rule.ts";
import { chosenTarget } from "../../rulesets/chosen-target.ts";
import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { counted, grouped } from "../../../words/numbers.ts";
import { ALLOW_EMPTY_OPTION, LIST_GUARD_OPTIONS } from "../../rulesets/file-guard.ts";
import { KEEP_OPTION } from "../../rulesets/kept-versions.ts";
import { listNotes, printListChanges } from "../../rulesets/list-changes.ts";
import { LIST_OPTIONS, listReading } from "../../rule-lists/list-options.ts";
import { reportLeftOut } from "../../rule-lists/list-rejection.ts";
import { fileSource } from "../../rule-lists/list-file.ts";
import { CONNECTION_OPTIONS } from "../../server/service-connection.ts";

export const importCommand: Command = {
  name: "ruleset import",
  summary: "add the rules in a list to a ruleset",
  operands: "RULESET FILE|-",
  options: [
    {
      name: "conflict",
      value: "MODE",
      choices: CONFLICT_MODES,
      help: "if a rule already exists: extend (keep the later expiry; default), override it, skip it, or fail",
    },
    ...LIST_OPTIONS,
    { name: "json", help: "print the result as JSON" },
    ...LIST_GUARD_OPTIONS,
    ALLOW_EMPTY_OPTION,
    KEEP_OPTION,
    ...CONNECTION_OPTIONS,
  ],
  notes: listNotes("A list is imported completely or not at all", "Exit code: 0 if the list was imported, 2 if not."),
  examples: [
    { command: "ipsieve ruleset import blocklist.ipsieve feed.csv", what: "to a file, without a server" },
    {
      command: "ipsieve ruleset import 'Blocklist' spamhaus.txt --name spamhaus --expires-in-days 7",
      what: "rules that expire unless they are imported again",
    },
    {
      command: "zcat feed.csv.gz | ipsieve ruleset import 'Blocklist' - --format csv --skip-invalid",
      what: "from a pipe, skipping invalid lines",
    },
  ],
  run,
};

async function run(args: Arguments): Promise<number> {
  const mode = args.value("conflict") as ConflictMode | undefined;
  const how = { ...listReading(args), ...(mode !== undefined && { conflict_resolution: mode }) };
  const [ruleset, file] = args.operands as [string, string];
  const list = fileSource(args, file);
  const target = await chosenTarget(args, ruleset);
  const report = await target.import(list, how);
  reportLeftOut(list, report);
  await printListChanges(args, target.name, report, countsOf(report), report.created + report.updated);
  return EXIT.matched;
}

function countsOf({ created, updated, skipped }: ImportAnswer): string {
  return `${counted(created, "rule")} added, ${grouped(updated)} changed, ${grouped(skipped)} unchanged`;
}
