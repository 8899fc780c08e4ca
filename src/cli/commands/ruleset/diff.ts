import { existsSync } from "node:fs";
import { comparePrefixes, formatPrefix, parsePrefix } from "../../../address/prefix.ts";
import { type DesiredRule, planReplacement, type ReplacementPlan } from "../../../rulesets/plan-replacement.ts";
import { formatTimestamp } from "../../../time/format-timestamp.ts";
import { chosenTarget, TARGET_NOTE } from "../../rulesets/chosen-target.ts";
import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { listedRules } from "../../rule-lists/listed-rules.ts";
import { counted, grouped } from "../../../words/numbers.ts";
import { joined, printChunks } from "../../output/print-chunks.ts";
import { styleFor } from "../../output/style.ts";
import { differenceLine, type RuleDifference } from "../../rulesets/rule-lines.ts";
import { LIST_FORMAT_OPTION } from "../../rule-lists/list-options.ts";
import { isRulesetFile } from "../../rule-lists/rule-source.ts";
import { CONNECTION_OPTIONS, KEY_NOTE } from "../../server/service-connection.ts";

export const diffCommand: Command = {
  name: "ruleset diff",
  summary: "compare the rules of two rulesets or lists",
  operands: "OLD NEW",
  options: [
    { name: "summary", help: "print only how many rules were added, changed and removed" },
    { name: "json", help: "print one JSON document per difference" },
    LIST_FORMAT_OPTION,
    ...CONNECTION_OPTIONS,
  ],
  notes: [
    'OLD and NEW are rulesets or lists: any other path that exists is a list, "-" a list on standard input, everything else a ruleset.',
    TARGET_NOTE,
    "Output: + for a rule that only NEW has, - for one that only OLD has, ~ for one whose name or expiry differs, with both values. The columns are the rule, its name and its expiry, separated by tabs. Expired rules are compared too.",
    KEY_NOTE,
    "Exit code: 0 if they differ, 1 if they do not, 2 after an error.",
  ],
  examples: [
    { command: "ipsieve ruleset diff Blocklist spamhaus.txt", what: "how does the list differ from the ruleset?" },
    { command: "ipsieve ruleset diff yesterday.csv today.csv --summary", what: "two lists, without a server" },
  ],
  run,
};

async function run(args: Arguments): Promise<number> {
  const [before, after] = args.operands as [string, string];
  const none = { createdAt: 0, updatedAt: 0 };
  const old = (await rulesOf(args, before)).map((rule) => ({ ...rule, ...none }));
  const plan = planReplacement(old, await rulesOf(args, after), 0);
  const { added, updated, removed } = plan;
  const summary = `${counted(added.length, "rule")} added, ${grouped(updated.length)} changed, ${grouped(removed.length)} removed\n`;
  await printChunks(args.has("summary") ? [summary] : joined(linesOf(differencesOf(plan), args)));
  return added.length + updated.length + removed.length > 0 ? EXIT.matched : EXIT.nothing;
}

/** All rules of an operand, by prefix. Throws as `chosenTarget` and `listedRules`. */
async function rulesOf(args: Arguments, operand: string): Promise<readonly DesiredRule[]> {
  if (!isRulesetFile(operand) && (operand === "-" || existsSync(operand))) return listedRules(args, operand);
  const rules: DesiredRule[] = [];
  for await (const { ip, name, expires_at: at } of (await chosenTarget(args, operand)).rules())
    rules.push({ prefix: parsePrefix(ip), name, expiresAt: at === null ? null : Date.parse(at) });
  return rules;
}

/** By prefix. */
function differencesOf({ added, updated, removed }: ReplacementPlan): RuleDifference[] {
  const differences = [
    ...added.map((after) => ({ before: null, after })),
    ...removed.map((before) => ({ before, after: null })),
    ...updated,
  ];
  differences.sort((a, b) => comparePrefixes((a.before ?? a.after)!.prefix, (b.before ?? b.after)!.prefix));
  return differences.map(({ before, after }) => ({ before: before && listed(before), after: after && listed(after) }));
}

function listed({ prefix, name, expiresAt }: DesiredRule): NonNullable<RuleDifference["before"]> {
  return { ip: formatPrefix(prefix), name, expires_at: expiresAt === null ? null : formatTimestamp(expiresAt) };
}

function* linesOf(differences: readonly RuleDifference[], args: Arguments): Generator<string> {
  const style = styleFor(process.stdout);
  for (const difference of differences)
    yield `${args.has("json") ? JSON.stringify(difference) : differenceLine(difference, style)}\n`;
}
