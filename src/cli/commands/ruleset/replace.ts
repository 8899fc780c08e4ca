import type { ReplaceAnswer } from "../../../client/client.ts";
import { type Arguments, type Command, EXIT } from "../../command.ts";
import { shrinkText } from "../../list-refusal.ts";
import { counted, grouped } from "../../output/numbers.ts";
import { standardError } from "../../output/standard-error.ts";
import { printText } from "../../output/standard-output.ts";
import { wholeNumber } from "../../parse-arguments.ts";
import { leftOutText, undoText, uploadList } from "../../ruleset-upload.ts";
import { LIST_NOTE, LIST_OPTIONS, listName, listQuery } from "../../sent-list.ts";
import { CONNECTION_OPTIONS, KEY_NOTE } from "../../service-connection.ts";

export const replaceCommand: Command = {
  name: "ruleset replace",
  summary: "make a list the rules of a ruleset of a server",
  operands: "RULESET FILE|-",
  minOperands: 2,
  maxOperands: 2,
  options: [
    { name: "dry-run", help: "print what would change, and change nothing" },
    { name: "allow-empty", help: "let a list without rules empty the ruleset" },
    {
      name: "max-shrink",
      value: "N",
      help: "the largest share of the rules that may be removed, 0 to 100 per cent; default: 50 of 20 rules or more, any share of fewer",
    },
    ...LIST_OPTIONS,
    { name: "json", help: "print the server's answer; with --dry-run it names the first rules of each kind" },
    ...CONNECTION_OPTIONS,
  ],
  notes: [
    `RULESET is an id or a name. ${LIST_NOTE}`,
    "A list replaces all rules at once or none: every line that cannot be read is reported as FILE:LINE. With --skip-invalid the first 200 lines that are left out are.",
    KEY_NOTE,
    "Exit code: 0 if the rules were replaced, or would be; 1 if a dry run shows that too many would be removed; 2 for an error.",
  ],
  examples: [
    { command: "ipsieve ruleset replace Blocklist spamhaus.txt --dry-run", what: "what would change?" },
    {
      command: "ipsieve ruleset replace Blocklist feed.ndjson.gz --max-shrink 80",
      what: "a list that may become much shorter",
    },
  ],
  run,
};

async function run(args: Arguments): Promise<number> {
  const most = args.value("max-shrink");
  const query = {
    ...listQuery(args),
    ...(args.has("dry-run") && { dry_run: true }),
    ...(args.has("allow-empty") && { allow_empty: true }),
    ...(most !== undefined && { max_shrink: wholeNumber("max-shrink", most, 100, 0) }),
  };
  const { ruleset, answer } = await uploadList(args, (client, path, list) =>
    client.put("/v1/edl/ip-rulesets/{ruleset_id}/rules", { params: { path, query }, ...list }),
  );
  await printText(args.has("json") ? `${JSON.stringify(answer)}\n` : `${ruleset.name}: ${replaceText(answer)}\n`);
  if ((answer.refusal ?? null) === null) return EXIT.matched;
  standardError().write(`ipsieve: ${listName(args.operands[1]!)}: ${shrinkText(answer.refusal!)}\n`);
  return EXIT.nothing;
}

function replaceText({
  added,
  updated,
  removed,
  unchanged,
  invalid = 0,
  can_undo: canUndo,
  dry_run: isDry,
}: ReplaceAnswer): string {
  const counts = `${counted(added, "rule")} ${isDry ? "would be " : ""}added, ${grouped(updated)} changed, ${grouped(removed)} removed, ${grouped(unchanged)} kept as they were`;
  return counts + leftOutText(invalid) + undoText(added + updated + removed, canUndo);
}
