import type { CompactAnswer } from "../../../client/client.ts";
import { chosenTarget, TARGET_NOTE } from "../../rulesets/chosen-target.ts";
import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { confirm } from "../../runner/confirm.ts";
import { KEEP_OPTION } from "../../rulesets/kept-versions.ts";
import { counted } from "../../../words/numbers.ts";
import { printText } from "../../runner/standard-output.ts";
import { printPlan } from "../../rulesets/planned-replacement.ts";
import { replacedText } from "../../rulesets/rule-replacement.ts";
import { CONNECTION_OPTIONS, KEY_NOTE } from "../../server/service-connection.ts";

export const compactCommand: Command = {
  name: "ruleset compact",
  summary: "show which rules are redundant, and remove and unite them after confirmation",
  operands: "RULESET",
  options: [
    { name: "yes", help: "change the rules without asking" },
    { name: "ignore-names", help: "unite rules with different names too; the united rule has no name" },
    KEEP_OPTION,
    ...CONNECTION_OPTIONS,
  ],
  notes: [
    TARGET_NOTE,
    "The same addresses stay covered at every moment. A rule is removed if an active rule that covers it expires no earlier, whatever their names. Two halves of a prefix become one rule if they expire at the same moment and have the same name; this is repeated until no more can be united.",
    "The plan lists every change: + added, - removed, ~ changed. Lines with = are rules that are redundant only until the rule that covers them expires; they are kept. If the ruleset changes after the plan was made, nothing is written.",
    'The previous version is kept, so "ipsieve ruleset restore" can undo this.',
    KEY_NOTE,
    "Exit code: 0 if the ruleset is compact now, 1 if it was not changed because you did not agree, 2 after an error.",
  ],
  examples: [
    { command: "ipsieve ruleset compact blocklist.ipsieve", what: "review the plan, then answer y" },
    {
      command: "ipsieve ruleset compact Blocklist --ignore-names --yes",
      what: "on a server, as few rules as possible",
    },
  ],
  run,
};

async function run(args: Arguments): Promise<number> {
  const target = await chosenTarget(args, args.operands[0]!);
  const how = { ignore_names: args.has("ignore-names") };
  const tag = await target.tag();
  const report = await target.compact({ ...how, dry_run: true }, tag);
  await printText(keptLines(report));
  await printPlan(target.name, report);
  if (report.added + report.updated + report.removed === 0) return EXIT.matched;
  if (!args.has("yes") && !(await confirm(`Compact the rules of ${target.name}?`, "--yes"))) return EXIT.nothing;
  const done = await target.compact({ ...how, dry_run: false }, tag);
  await printText(`${target.name}: ${replacedText(done)}; ${foundText(done)}\n`);
  return EXIT.matched;
}

/** The rules that are redundant for now. */
function keptLines({ plan }: CompactAnswer): string {
  const kept = plan!.redundant.filter(({ removed }) => !removed);
  return kept
    .map(({ rule, covered_by: by, until }) => `= ${rule.ip}\tredundant until ${until}, within ${by.ip}\n`)
    .join("");
}

function foundText({ superfluous, united }: CompactAnswer): string {
  return `${counted(superfluous, "rule")} superfluous, ${counted(united, "rule")} united from others`;
}
