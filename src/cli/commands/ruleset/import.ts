import type { ImportAnswer } from "../../../client/client.ts";
import { CONFLICT_MODES, type ConflictMode } from "../../../rulesets/write-rule.ts";
import { type Arguments, type Command, EXIT } from "../../command.ts";
import { counted, grouped } from "../../output/numbers.ts";
import { printUpload, UPLOAD_OPERANDS, uploadList, uploadNotes } from "../../ruleset-upload.ts";
import { LIST_OPTIONS, listQuery } from "../../sent-list.ts";
import { CONNECTION_OPTIONS } from "../../service-connection.ts";

export const importCommand: Command = {
  name: "ruleset import",
  summary: "add the rules in a list to a ruleset on a server",
  ...UPLOAD_OPERANDS,
  options: [
    {
      name: "conflict",
      value: "MODE",
      choices: CONFLICT_MODES,
      help: "if a rule already exists: extend (keep the later expiry; default), override it, skip it, or fail",
    },
    ...LIST_OPTIONS,
    { name: "json", help: "print the server's response as JSON" },
    ...CONNECTION_OPTIONS,
  ],
  notes: uploadNotes("A list is imported completely or not at all", "Exit code: 0 if the list was imported, 2 if not."),
  examples: [
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
  const query = { ...listQuery(args), ...(mode !== undefined && { conflict_resolution: mode }) };
  const { ruleset, answer } = await uploadList(args, (client, path, list) =>
    client.post("/v1/edl/ip-rulesets/{ruleset_id}/rules:import", { params: { path, query }, ...list }),
  );
  await printUpload(args, ruleset, answer, countsOf(answer), answer.created + answer.updated);
  return EXIT.matched;
}

function countsOf({ created, updated, skipped }: ImportAnswer): string {
  return `${counted(created, "rule")} added, ${grouped(updated)} changed, ${grouped(skipped)} kept as they were`;
}
