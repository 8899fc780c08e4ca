import { type Credential, ofKind } from "../../../store/records/credential.ts";
import type { Arguments, Command } from "../../runner/command.ts";
import { LIST_OF_ORGANISATIONS_OPTIONS, printOrganisationList } from "../../database/list-of-organisations.ts";
import { dateText } from "../../database/service-database.ts";

export const listCommand: Command = {
  name: "bouncer list",
  summary: "list the CrowdSec bouncers of all organisations, or of one",
  operands: "",
  options: LIST_OF_ORGANISATIONS_OPTIONS,
  notes: ["A key is listed by its id and first characters; the rest is not stored anywhere."],
  examples: [{ command: "ipsieve bouncer list --org Example", what: "of one organisation" }],
  run,
};

function run(args: Arguments): Promise<number> {
  return printOrganisationList<Credential<"bouncer">>(args, {
    items: ({ credentials }) => ofKind("bouncer", credentials),
    document: (bouncer) => ({ ...bouncer, digest: undefined }),
    header: ["id", "key", "organisation", "label", "deployment", "state"],
    row: ({ id, start, label, deploymentId, revokedAt }, organisation) => [
      id,
      `${start}...`,
      organisation,
      label,
      deploymentId,
      revokedAt === null ? "valid" : `revoked ${dateText(revokedAt)}`,
    ],
  });
}
