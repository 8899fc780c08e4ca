import { type Credential, ofKind } from "../../../store/records/credential.ts";
import type { Arguments, Command } from "../../runner/command.ts";
import { LIST_OF_ORGANISATIONS_OPTIONS, printOrganisationList } from "../../database/list-of-organisations.ts";
import { dateText } from "../../database/service-database.ts";

export const listCommand: Command = {
  name: "taxii list",
  summary: "list the TAXII credentials of all organisations, or of one",
  operands: "",
  options: LIST_OF_ORGANISATIONS_OPTIONS,
  notes: ["A credential is listed by its id and user name; its password is not stored anywhere."],
  examples: [{ command: "ipsieve taxii list --org Example", what: "of one organisation" }],
  run,
};

function run(args: Arguments): Promise<number> {
  return printOrganisationList<Credential<"taxii">>(args, {
    items: ({ credentials }) => ofKind("taxii", credentials),
    document: (credential) => ({ ...credential, digest: undefined }),
    header: ["id", "user", "organisation", "label", "collections", "state"],
    row: ({ id, start, label, collections, revokedAt }, organisation) => [
      id,
      start,
      organisation,
      label,
      String(collections.length),
      revokedAt === null ? "valid" : `revoked ${dateText(revokedAt)}`,
    ],
  });
}
