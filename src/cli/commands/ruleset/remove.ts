import { changeRules } from "../../rulesets/change-rules.ts";
import { TARGET_NOTE } from "../../rulesets/chosen-target.ts";
import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { KEEP_OPTION } from "../../rulesets/kept-versions.ts";
import { counted, grouped } from "../../../words/numbers.ts";
import { CONNECTION_OPTIONS, KEY_NOTE } from "../../server/service-connection.ts";

export const removeCommand: Command = {
  name: "ruleset remove",
  summary: "remove rules from a ruleset",
  operands: "RULESET ADDRESS|PREFIX|-...",
  options: [
    { name: "json", help: "print the result for each rule as JSON, one per line" },
    KEEP_OPTION,
    ...CONNECTION_OPTIONS,
  ],
  notes: [
    TARGET_NOTE,
    '"-" is standard input, the lines of a list; of a range, each of its prefixes.',
    'A rule is removed only if it is for exactly this address or prefix; "ipsieve ruleset check --all" shows the wider rules that cover it.',
    KEY_NOTE,
    "Exit code: 0 if at least one rule was removed, 1 if there was none to remove, 2 after an error (nothing is removed then).",
  ],
  examples: [{ command: "ipsieve ruleset remove Blocklist 1.2.4.9 1.2.4.0/24", what: "two rules" }],
  run,
};

async function run(args: Arguments): Promise<number> {
  const removed = await changeRules(
    args,
    (ip) => ({ op: "delete", ip }),
    (name, of) => `${name}: ${counted(of("deleted"), "rule")} removed, ${grouped(of("absent"))} not in the ruleset`,
  );
  return removed("deleted") > 0 ? EXIT.matched : EXIT.nothing;
}
