import type { ApiKey } from "../../../store/state.ts";
import { type Arguments, type Command, EXIT } from "../../command.ts";
import { columnLines } from "../../output/columns.ts";
import { styleFor } from "../../output/style.ts";
import {
  chosenOrganisation,
  DATABASE_OPTIONS,
  dateText,
  ORGANISATION_OPTION,
  withStore,
} from "../../service-database.ts";

export const listCommand: Command = {
  name: "key list",
  summary: "list the API keys of all organisations, or of one",
  operands: "",
  minOperands: 0,
  maxOperands: 0,
  options: [
    { ...ORGANISATION_OPTION, help: "only of this organisation, by name or id" },
    { name: "json", help: "print one JSON document" },
    ...DATABASE_OPTIONS,
  ],
  notes: ["A key is listed by its id and first characters; the rest is not stored anywhere."],
  examples: [{ command: "ipsieve key list --org Example", what: "of one organisation" }],
  run,
};

async function run(args: Arguments): Promise<number> {
  const state = await withStore(args, false, (store) => store.load(null));
  const only = args.has("org") ? chosenOrganisation(state, args).id : undefined;
  const names = new Map(state.organisations.map(({ id, name }) => [id, name]));
  const keys = state.keys.filter(({ organisationId }) => only === undefined || organisationId === only);
  if (args.has("json")) process.stdout.write(`${JSON.stringify(keys.map((key) => ({ ...key, digest: undefined })))}\n`);
  else {
    const rows = keys.map((key) => [
      key.id,
      `${key.start}...`,
      names.get(key.organisationId)!,
      key.label,
      key.access,
      stateText(key),
    ]);
    const lines = columnLines(
      [["id", "key", "organisation", "label", "access", "state"], ...rows],
      new Set(),
      styleFor(process.stdout),
    );
    process.stdout.write(`${lines.join("\n")}\n`);
  }
  return keys.length > 0 ? EXIT.matched : EXIT.nothing;
}

function stateText({ revokedAt, expiresAt }: ApiKey): string {
  if (revokedAt !== null) return `revoked ${dateText(revokedAt)}`;
  if (expiresAt === null) return "valid";
  return `${expiresAt > Date.now() ? "valid until" : "expired"} ${dateText(expiresAt)}`;
}
