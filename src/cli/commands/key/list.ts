import { type ApiKey, ofKind } from "../../../store/records/credential.ts";
import type { Arguments, Command } from "../../runner/command.ts";
import { LIST_OF_ORGANISATIONS_OPTIONS, printOrganisationList } from "../../database/list-of-organisations.ts";
import { dateText } from "../../database/service-database.ts";

export const listCommand: Command = {
  name: "key list",
  summary: "list the API keys of all organisations, or of one",
  operands: "",
  options: LIST_OF_ORGANISATIONS_OPTIONS,
  notes: ["A key is listed by its id and first characters; the rest is not stored anywhere."],
  examples: [{ command: "ipsieve key list --org Example", what: "of one organisation" }],
  run,
};

function run(args: Arguments): Promise<number> {
  return printOrganisationList<ApiKey>(args, {
    items: ({ credentials }) => ofKind("api", credentials),
    document: (key) => ({ ...key, digest: undefined }),
    header: ["id", "key", "organisation", "label", "access", "scopes", "networks", "state"],
    row: (key, organisation) => [
      key.id,
      `${key.start}...`,
      organisation,
      key.label,
      key.access,
      limits(key.scopes),
      limits(key.networks),
      stateText(key),
    ],
  });
}

function limits(texts: readonly string[]): string {
  return texts.length === 0 ? "all" : texts.join(" ");
}

function stateText({ revokedAt, expiresAt }: ApiKey): string {
  if (revokedAt !== null) return `revoked ${dateText(revokedAt)}`;
  if (expiresAt === null) return "valid";
  return `${expiresAt > Date.now() ? "valid until" : "expired"} ${dateText(expiresAt)}`;
}
