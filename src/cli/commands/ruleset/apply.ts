import { chosenRuleset } from "../../chosen-ruleset.ts";
import { type Arguments, type Command, EXIT } from "../../command.ts";
import { confirm } from "../../confirm.ts";
import { shrinkText } from "../../list-rejection.ts";
import { joined, printChunks } from "../../output/print-chunks.ts";
import { standardError } from "../../output/standard-error.ts";
import { printText } from "../../output/standard-output.ts";
import { styleFor } from "../../output/style.ts";
import { differenceLine } from "../../rule-lines.ts";
import { REPLACE_OPTIONS, replacedText, replaceRules, type RuleReplacement } from "../../rule-replacement.ts";
import { UPLOAD_OPERANDS, uploadNotes } from "../../ruleset-upload.ts";
import { LIST_OPTIONS, listName } from "../../sent-list.ts";
import { CONNECTION_OPTIONS, withService } from "../../service-connection.ts";
import { UsageError } from "../../usage-error.ts";

export const applyCommand: Command = {
  name: "ruleset apply",
  summary: "show what a list would change in a ruleset, and replace the rules once you agree",
  ...UPLOAD_OPERANDS,
  operands: "RULESET FILE",
  options: [
    { name: "yes", help: "replace the rules without asking" },
    ...REPLACE_OPTIONS,
    ...LIST_OPTIONS,
    ...CONNECTION_OPTIONS,
  ],
  notes: uploadNotes(
    "The plan lists every change: + added, - removed, ~ changed. If the ruleset changes after the plan was made, nothing is written. A list replaces all rules at once or none",
    "Exit code: 0 if the ruleset holds the list now, 1 if it was not replaced (you did not agree, or too many rules would be removed), 2 after an error.",
  ),
  examples: [
    { command: "ipsieve ruleset apply Blocklist blocklist.csv", what: "look, then answer y" },
    { command: "ipsieve ruleset apply Blocklist blocklist.csv --yes", what: "in a pipeline that was reviewed" },
  ],
  run,
};

async function run(args: Arguments): Promise<number> {
  const file = args.operands[1]!;
  if (file === "-") throw new UsageError("the list is read twice, for the plan and for the change; save it to a file");
  const tag = await tagOf(args);
  const plan = await replaceRules(args, { isDry: true, tag });
  await printPlan(plan);
  const { added, updated, removed, refusal } = plan.answer;
  if (refusal) {
    standardError().write(`ipsieve: ${listName(file)}: ${shrinkText(refusal)}\n`);
    return EXIT.nothing;
  }
  if (added + updated + removed === 0) return EXIT.matched;
  if (!args.has("yes") && !(await confirm(`Replace the rules of ${plan.ruleset.name}?`, "--yes"))) return EXIT.nothing;
  await printText(`${sentence(await replaceRules(args, { isDry: false, tag }))}\n`);
  return EXIT.matched;
}

/** The ETag of the ruleset before the plan is made. */
function tagOf(args: Arguments): Promise<string> {
  return withService(args, async (client) => {
    const { id } = await chosenRuleset(client, args.operands[0]!);
    const path = { ruleset_id: id };
    const { response } = await client.http.GET("/v1/edl/ip-rulesets/{ruleset_id}", { params: { path } });
    return response.headers.get("etag")!;
  });
}

async function printPlan(plan: RuleReplacement): Promise<void> {
  const style = styleFor(process.stdout);
  const { added, updated, removed, truncated } = plan.answer.plan!;
  const differences = [
    ...removed.map((before) => ({ before, after: null })),
    ...updated,
    ...added.map((after) => ({ before: null, after })),
  ];
  const lines = differences.map((each) => `${differenceLine(each, style)}\n`);
  if (truncated) lines.push("... only the first 1,000 changes of each kind are listed\n");
  await printChunks(joined([...lines, `${sentence(plan)}\n`]));
}

function sentence({ ruleset, answer }: RuleReplacement): string {
  return `${ruleset.name}: ${replacedText(answer)}`;
}
