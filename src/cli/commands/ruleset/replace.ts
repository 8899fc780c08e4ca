import type { ReplaceAnswer } from "../../../client/client.ts";
import { type Arguments, type Command, EXIT } from "../../command.ts";
import { shrinkText } from "../../list-rejection.ts";
import { counted, grouped } from "../../output/numbers.ts";
import { standardError } from "../../output/standard-error.ts";
import { wholeNumber } from "../../parse-arguments.ts";
import { printUpload, UPLOAD_OPERANDS, uploadList, uploadNotes } from "../../ruleset-upload.ts";
import { LIST_OPTIONS, listName, listQuery } from "../../sent-list.ts";
import { CONNECTION_OPTIONS } from "../../service-connection.ts";

export const replaceCommand: Command = {
  name: "ruleset replace",
  summary: "replace all rules of a ruleset on a server with a list",
  ...UPLOAD_OPERANDS,
  options: [
    { name: "dry-run", help: "print what would change, and change nothing" },
    { name: "allow-empty", help: "allow an empty list, which removes every rule" },
    {
      name: "max-shrink",
      value: "N",
      help: "the largest percentage of the rules that may be removed, 0 to 100; default: 50, or any if the ruleset has fewer than 20 rules",
    },
    ...LIST_OPTIONS,
    {
      name: "json",
      help: "print the server's response as JSON; with --dry-run it includes the first rules of each kind",
    },
    ...CONNECTION_OPTIONS,
  ],
  notes: uploadNotes(
    "A list replaces all rules at once or none",
    "Exit code: 0 if the rules were replaced, or would be; 1 if a dry run shows that too many would be removed; 2 after an error.",
  ),
  examples: [
    { command: "ipsieve ruleset replace Blocklist spamhaus.txt --dry-run", what: "what would change?" },
    {
      command: "ipsieve ruleset replace Blocklist feed.ndjson.gz --max-shrink 80",
      what: "a list that may shrink a lot",
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
  await printUpload(args, ruleset, answer, countsOf(answer), answer.added + answer.updated + answer.removed);
  if ((answer.refusal ?? null) === null) return EXIT.matched;
  standardError().write(`ipsieve: ${listName(args.operands[1]!)}: ${shrinkText(answer.refusal!)}\n`);
  return EXIT.nothing;
}

function countsOf({ added, updated, removed, unchanged, dry_run: isDry }: ReplaceAnswer): string {
  return `${counted(added, "rule")} ${isDry ? "would be " : ""}added, ${grouped(updated)} changed, ${grouped(removed)} removed, ${grouped(unchanged)} kept as they were`;
}
