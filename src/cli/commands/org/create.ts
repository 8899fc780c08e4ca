import { ServiceError } from "../../../service/service-error.ts";
import { readOrganisationName } from "../../../service/access/read-user.ts";
import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { UsageError } from "../../runner/usage-error.ts";
import { standardError } from "../../runner/standard-error.ts";
import {
  DATABASE_OPTIONS,
  organisationOption,
  RUNNING_SERVER_NOTE,
  signature,
  withStore,
} from "../../database/service-database.ts";

export const createCommand: Command = {
  name: "org create",
  summary: "create an organisation with its first two rulesets",
  operands: "NAME",
  operandWords: [],
  options: [{ name: "json", help: "print one JSON document" }, ...DATABASE_OPTIONS],
  notes: [
    "The database is created if it does not exist.",
    "Next: give it a plan (ipsieve admin plan set) and a key (ipsieve admin key create).",
    RUNNING_SERVER_NOTE,
  ],
  examples: [
    { command: "ipsieve admin org create Example", what: 'with "My Allowlist rules" and "My Blocklist rules"' },
  ],
  run,
};

async function run(args: Arguments): Promise<number> {
  const name = checkedName(args.operands[0]!);
  const { organisation, rulesets } = await withStore(args, true, (store) =>
    store.write({ kind: "create-organisation", name, ...signature() }),
  );
  if (args.has("json")) process.stdout.write(`${JSON.stringify({ organisation, rulesets })}\n`);
  else
    process.stdout.write(
      [organisation, ...rulesets].map((item, i) => `${i === 0 ? "" : "  "}${item.id}  ${item.name}\n`).join(""),
    );
  const option = organisationOption(name);
  standardError().write(
    `Next: choose the areas of the service that it may use, and create a key:\n  ipsieve admin plan set edl cbs cti${option}\n  ipsieve admin key create LABEL --access read_write${option}\n`,
  );
  return EXIT.matched;
}

function checkedName(text: string): string {
  try {
    return readOrganisationName(text.trim());
  } catch (error) {
    throw error instanceof ServiceError ? new UsageError(error.message) : error;
  }
}
