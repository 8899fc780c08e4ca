import { ofKind } from "../../../store/records/credential.ts";
import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { columnLines } from "../../output/columns.ts";
import { styleFor } from "../../output/style.ts";
import { DATABASE_OPTIONS, dateText, withStore } from "../../database/service-database.ts";

export const listCommand: Command = {
  name: "org list",
  summary: "list the organisations",
  operands: "",
  options: [{ name: "json", help: "print one JSON document" }, ...DATABASE_OPTIONS],
  examples: [{ command: "ipsieve admin org list --json | jq -r '.[].id'", what: "their ids" }],
  run,
};

async function run(args: Arguments): Promise<number> {
  const state = await withStore(args, false, (store) => store.load(null));
  if (args.has("json")) process.stdout.write(`${JSON.stringify(state.organisations)}\n`);
  else {
    const rows = state.organisations.map(({ id, name, createdAt }) => {
      const own = (items: readonly { readonly organisationId: string }[]) =>
        String(items.filter(({ organisationId }) => organisationId === id).length);
      return [id, name, dateText(createdAt), own(state.rulesets), own(ofKind("api", state.credentials))];
    });
    const lines = columnLines(
      [["id", "name", "created", "rulesets", "keys"], ...rows],
      new Set([3, 4]),
      styleFor(process.stdout),
    );
    process.stdout.write(`${lines.join("\n")}\n`);
  }
  return state.organisations.length > 0 ? EXIT.matched : EXIT.nothing;
}
