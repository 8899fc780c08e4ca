import type { User } from "../../../store/state.ts";
import type { Arguments, Command } from "../../runner/command.ts";
import { LIST_OF_ORGANISATIONS_OPTIONS, printOrganisationList } from "../../database/list-of-organisations.ts";
import { dateText } from "../../database/service-database.ts";

export const listCommand: Command = {
  name: "user list",
  summary: "list the dashboard users of all organisations, or of one",
  operands: "",
  options: LIST_OF_ORGANISATIONS_OPTIONS,
  examples: [{ command: "ipsieve admin user list --org Example", what: "of one organisation" }],
  run,
};

function run(args: Arguments): Promise<number> {
  return printOrganisationList<User>(args, {
    items: (state) => state.users.filter(({ deletedAt }) => deletedAt === null),
    document: (user) => user,
    header: ["name", "organisation", "role", "created", "last sign-in", "invited until"],
    row: (user, organisation) => [
      user.name,
      organisation,
      user.role,
      dateText(user.createdAt),
      dateText(user.lastSignInAt),
      invitationText(user),
    ],
  });
}

function invitationText({ invitedUntil }: User): string {
  return invitedUntil !== null && invitedUntil > Date.now() ? dateText(invitedUntil) : "";
}
