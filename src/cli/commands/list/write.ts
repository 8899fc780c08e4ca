import { MAX_EXPIRY_DAYS } from "../../../rulesets/validate-rule.ts";
import { CONFLICT_MODES, type ConflictMode } from "../../../rulesets/write-rule.ts";
import { chosenList, LIST_NOTE } from "../../external-lists/chosen-list.ts";
import { chosenRuleset } from "../../server/chosen-ruleset.ts";
import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { counted, grouped } from "../../../words/numbers.ts";
import { oneLine } from "../../runner/one-line.ts";
import { printText } from "../../runner/standard-output.ts";
import { wholeNumber } from "../../runner/parse-arguments.ts";
import { reportWarnings } from "../../rulesets/report-warnings.ts";
import { CONNECTION_OPTIONS, KEY_NOTE, ServiceConnection } from "../../server/service-connection.ts";
import { UsageError } from "../../runner/usage-error.ts";

export const writeCommand: Command = {
  name: "list write",
  summary: "write the last good content of an external list into a ruleset, as rules that expire",
  operands: "LIST RULESET",
  operandWords: [],
  options: [
    { name: "expires-in-days", value: "N", help: "when the rules expire unless they are written again; required" },
    {
      name: "conflict",
      value: "MODE",
      choices: CONFLICT_MODES,
      help: "if a rule already exists: extend (keep the later expiry; default), override it, skip it, or fail",
    },
    { name: "json", help: "print the result as JSON" },
    ...CONNECTION_OPTIONS,
  ],
  notes: [
    LIST_NOTE,
    "RULESET is the name or id of a ruleset on the server, whose guard applies. The rules are named after the list.",
    KEY_NOTE,
    "Exit code: 0 if the list was written, 2 if not.",
  ],
  examples: [
    { command: "ipsieve list write drop Blocklist --expires-in-days 7", what: "write it again within a week" },
  ],
  run,
};

async function run(args: Arguments): Promise<number> {
  const [list, ruleset] = args.operands as [string, string];
  const days = args.value("expires-in-days");
  if (days === undefined) throw new UsageError("give --expires-in-days N: rules of an external list must expire");
  const mode = args.value("conflict") as ConflictMode | undefined;
  const how = {
    expires_in_days: wholeNumber("expires-in-days", days, MAX_EXPIRY_DAYS),
    ...(mode !== undefined && { conflict_resolution: mode }),
  };
  const written = await new ServiceConnection(args).use(async (client) => {
    const params = { path: { list_id: (await chosenList(client, list)).id } };
    const body = { ruleset_id: (await chosenRuleset(client, ruleset)).id, ...how };
    return client.post("/v1/edl/lists/{list_id}:write", { params, body });
  });
  const { created, updated, skipped, invalid, warnings } = written;
  if (!args.has("json")) reportWarnings(oneLine(ruleset), warnings);
  const left =
    invalid === 0 ? "" : `; ${counted(invalid, "special-purpose address", "special-purpose addresses")} left out`;
  const counts = `${counted(created, "rule")} added, ${grouped(updated)} changed, ${grouped(skipped)} unchanged`;
  await printText(args.has("json") ? `${JSON.stringify(written)}\n` : `${oneLine(ruleset)}: ${counts}${left}\n`);
  return EXIT.matched;
}
