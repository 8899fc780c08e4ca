import { CONFLICT_MODES, type ConflictMode } from "../../../rulesets/write-rule.ts";
import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { changeRules } from "../../rulesets/change-rules.ts";
import { TARGET_NOTE } from "../../rulesets/chosen-target.ts";
import { GUARD_OPTIONS } from "../../rulesets/file-guard.ts";
import { KEEP_OPTION } from "../../rulesets/kept-versions.ts";
import { counted, grouped } from "../../../words/numbers.ts";
import { ruleFields } from "../../rule-lists/list-options.ts";
import { CONNECTION_OPTIONS, KEY_NOTE } from "../../server/service-connection.ts";

export const addCommand: Command = {
  name: "ruleset add",
  summary: "add rules to a ruleset",
  operands: "RULESET ADDRESS|PREFIX|-...",
  options: [
    { name: "name", value: "NAME", help: "the name of the rules" },
    { name: "expires-in-days", value: "N", help: "days from now after which the rules expire; default: never" },
    { name: "expires-at", value: "TIME", help: "when the rules expire; ISO 8601 with a time zone" },
    {
      name: "conflict",
      value: "MODE",
      choices: CONFLICT_MODES,
      help: "if a rule already exists: extend (keep the later expiry; default), override it, skip it, or fail",
    },
    { name: "json", help: "print the result for each rule as JSON, one per line" },
    ...GUARD_OPTIONS,
    KEEP_OPTION,
    ...CONNECTION_OPTIONS,
  ],
  notes: [
    TARGET_NOTE,
    `"-" is standard input, the lines of a list; of a range, each of its prefixes. For lists in other formats, or with names and expiries of their own, use "ipsieve ruleset import".`,
    "All rules are added or, after an error, none.",
    KEY_NOTE,
    "Exit code: 0 if the rules are in the ruleset now, 2 if not.",
  ],
  examples: [
    { command: "ipsieve ruleset add blocklist.ipsieve 1.2.4.0/24", what: "to a file, without a server" },
    {
      command: "ipsieve ruleset add Blocklist 1.2.4.9 --name 'ssh scan' --expires-in-days 7",
      what: "block one address for a week",
    },
    {
      command: "fail2ban-client get sshd banip | tr ' ' '\\n' | ipsieve ruleset add Blocklist -",
      what: "from a program",
    },
  ],
  run,
};

async function run(args: Arguments): Promise<number> {
  const mode = args.value("conflict") as ConflictMode | undefined;
  const rule = { ...ruleFields(args), ...(mode !== undefined && { mode }) };
  await changeRules(
    args,
    (ip) => ({ op: "add", ip, ...rule }),
    (name, of) =>
      `${name}: ${counted(of("created"), "rule")} added, ${grouped(of("updated"))} changed, ${grouped(of("skipped"))} unchanged`,
  );
  return EXIT.matched;
}
