import { type Credential, ofKind } from "../../../store/records/credential.ts";
import type { Arguments, Command } from "../../runner/command.ts";
import { LIST_OF_ORGANISATIONS_OPTIONS, printOrganisationList } from "../../database/list-of-organisations.ts";
import { dateText } from "../../database/service-database.ts";

export const listCommand: Command = {
  name: "edge list",
  summary: "list the edge components of all organisations, or of one",
  operands: "",
  options: LIST_OF_ORGANISATIONS_OPTIONS,
  notes: ["Their tokens are not stored anywhere."],
  examples: [{ command: "ipsieve edge list --org Example", what: "of one organisation" }],
  run,
};

function run(args: Arguments): Promise<number> {
  return printOrganisationList<Credential<"edge">>(args, {
    items: ({ credentials }) => ofKind("edge", credentials),
    document: ({ start, ...component }) => ({ ...component, type: start, digest: undefined }),
    header: ["id", "type", "organisation", "label", "deployment", "state"],
    row: ({ id, start, label, deploymentId, revokedAt }, organisation) => [
      id,
      start,
      organisation,
      label,
      deploymentId,
      revokedAt === null ? "valid" : `revoked ${dateText(revokedAt)}`,
    ],
  });
}
