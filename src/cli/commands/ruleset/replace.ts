import { type Arguments, type Command, EXIT } from "../../command.ts";
import { shrinkText } from "../../list-rejection.ts";
import { standardError } from "../../output/standard-error.ts";
import { REPLACE_OPTIONS, replacedText, replaceRules } from "../../rule-replacement.ts";
import { printUpload, UPLOAD_OPERANDS, uploadNotes } from "../../ruleset-upload.ts";
import { LIST_OPTIONS, listName } from "../../sent-list.ts";
import { CONNECTION_OPTIONS } from "../../service-connection.ts";

export const replaceCommand: Command = {
  name: "ruleset replace",
  summary: "replace all rules of a ruleset on a server with a list",
  ...UPLOAD_OPERANDS,
  options: [
    { name: "dry-run", help: "print what would change, and change nothing" },
    ...REPLACE_OPTIONS,
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
  const { ruleset, answer } = await replaceRules(args, { isDry: args.has("dry-run") });
  await printUpload(args, ruleset, answer, replacedText(answer), answer.added + answer.updated + answer.removed);
  if ((answer.refusal ?? null) === null) return EXIT.matched;
  standardError().write(`ipsieve: ${listName(args.operands[1]!)}: ${shrinkText(answer.refusal!)}\n`);
  return EXIT.nothing;
}
