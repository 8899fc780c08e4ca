import type { AuditEntry, AuditFilters as Filters, Client } from "../../../client/client.ts";
import { AUDITED_COMMANDS } from "../../../service/changes/audit-actions.ts";
import { columnLines } from "../../output/columns.ts";
import { oneLine } from "../../runner/one-line.ts";
import { printText } from "../../runner/standard-output.ts";
import { styleFor } from "../../output/style.ts";
import { chosenRuleset } from "../../server/chosen-ruleset.ts";
import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { wholeNumber } from "../../runner/parse-arguments.ts";
import { CONNECTION_OPTIONS, KEY_NOTE, ServiceConnection } from "../../server/service-connection.ts";

const [DEFAULT_LIMIT, MAX_LIMIT] = [50, 100_000];
/** Changes in one response. */
const PAGE = 100;

export const listCommand: Command = {
  name: "audit list",
  summary: "list who changed what on a server, and when, newest first",
  operands: "",
  options: [
    { name: "ruleset", value: "RULESET", help: "only changes of this ruleset and its rules, by name or id" },
    { name: "kind", value: "KIND", choices: [...AUDITED_COMMANDS], help: "only changes of this kind" },
    { name: "from", value: "TIME", help: "only changes at this time and later, such as 2026-11-27T00:00:00Z" },
    { name: "until", value: "TIME", help: "only changes before this time" },
    { name: "limit", value: "N", help: `how many at most; default: ${DEFAULT_LIMIT}` },
    { name: "json", help: "print each change as a line of JSON, with the state before and after it" },
    ...CONNECTION_OPTIONS,
  ],
  notes: [
    '"ipsieve audit undo NUMBER" undoes a change of rules or rulesets.',
    KEY_NOTE,
    "Exit code: 0 if there are changes, 1 if there are none, 2 after an error.",
  ],
  examples: [
    { command: "ipsieve audit list --ruleset Blocklist", what: "who added that rule?" },
    { command: "ipsieve audit list --from 2026-11-27T08:00:00Z --json", what: "everything since this morning" },
  ],
  run,
};

async function run(args: Arguments): Promise<number> {
  const limit = wholeNumber("limit", args.value("limit") ?? String(DEFAULT_LIMIT), MAX_LIMIT);
  const changes = await new ServiceConnection(args).use(async (client) =>
    changesOf(client, await filtersOf(args, client), limit),
  );
  if (args.has("json")) await printText(changes.map((change) => `${JSON.stringify(change)}\n`).join(""));
  else if (changes.length > 0) await printText(`${tableOf(changes).join("\n")}\n`);
  return changes.length > 0 ? EXIT.matched : EXIT.nothing;
}

async function filtersOf(args: Arguments, client: Client): Promise<Filters> {
  const [ruleset, kind, from, until] = ["ruleset", "kind", "from", "until"].map((name) => args.value(name));
  return {
    ...(ruleset !== undefined && { ruleset_id: (await chosenRuleset(client, ruleset)).id }),
    ...(kind !== undefined && { kind: kind as Filters["kind"] & string }),
    ...(from !== undefined && { from }),
    ...(until !== undefined && { until }),
  };
}

/** Page after page. */
async function changesOf(client: Client, filters: Filters, limit: number): Promise<AuditEntry[]> {
  const changes: AuditEntry[] = [];
  for (let before: number | null | undefined; before !== null && changes.length < limit;) {
    const query = {
      ...filters,
      ...(before !== undefined && { before }),
      limit: Math.min(limit - changes.length, PAGE),
    };
    const page = await client.get("/v1/audit", { params: { query } });
    changes.push(...page.items);
    before = page.next_before;
  }
  return changes;
}

function tableOf(changes: readonly AuditEntry[]): string[] {
  const rows = changes.map(({ sequence, at, actor, summary }) => [
    String(sequence),
    at,
    oneLine(actor.name ?? actor.kind),
    oneLine(summary),
  ]);
  return columnLines([["number", "time", "by", "change"], ...rows], new Set([0]), styleFor(process.stdout));
}
