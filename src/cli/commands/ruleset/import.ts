import type { ImportAnswer } from "../../../client/client.ts";
import { CONFLICT_MODES, type ConflictMode } from "../../../rulesets/write-rule.ts";
import { type Arguments, type Command, EXIT } from "../../command.ts";
import { counted, grouped } from "../../output/numbers.ts";
import { printText } from "../../output/standard-output.ts";
import { leftOutText, undoText, uploadList } from "../../ruleset-upload.ts";
import { LIST_NOTE, LIST_OPTIONS, listQuery } from "../../sent-list.ts";
import { CONNECTION_OPTIONS, KEY_NOTE } from "../../service-connection.ts";

export const importCommand: Command = {
  name: "ruleset import",
  summary: "add the rules of a list to a ruleset of a server",
  operands: "RULESET FILE|-",
  minOperands: 2,
  maxOperands: 2,
  options: [
    {
      name: "conflict",
      value: "MODE",
      choices: CONFLICT_MODES,
      help: "if a rule already exists: extend (keep the later expiry; default), override it, skip it, or fail",
    },
    ...LIST_OPTIONS,
    { name: "json", help: "print the server's answer" },
    ...CONNECTION_OPTIONS,
  ],
  notes: [
    `RULESET is an id or a name. ${LIST_NOTE}`,
    "A list is imported as a whole or not at all: every line that cannot be read is reported as FILE:LINE. With --skip-invalid the first 200 lines that are left out are.",
    KEY_NOTE,
    "Exit code: 0 if the list was imported, 2 if not.",
  ],
  examples: [
    {
      command: "ipsieve ruleset import 'Blocklist' spamhaus.txt --name spamhaus --expires-in-days 7",
      what: "rules that leave by themselves unless they are imported again",
    },
    {
      command: "zcat feed.csv.gz | ipsieve ruleset import 'Blocklist' - --format csv --skip-invalid",
      what: "from a pipe, without bad lines",
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
  await printText(args.has("json") ? `${JSON.stringify(answer)}\n` : `${ruleset.name}: ${importText(answer)}\n`);
  return EXIT.matched;
}

function importText({ created, updated, skipped, invalid = 0, can_undo: canUndo }: ImportAnswer): string {
  const counts = `${counted(created, "rule")} added, ${grouped(updated)} changed, ${grouped(skipped)} kept as they were`;
  return counts + leftOutText(invalid) + undoText(created + updated, canUndo);
}
