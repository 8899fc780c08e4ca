import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { DATABASE_OPTIONS, RUNNING_SERVER_NOTE, signature, withStore } from "../../database/service-database.ts";
import { chosenUser, invite } from "../../database/service-users.ts";
import { INVITATION_URL_OPTION } from "../../database/base-url.ts";

export const inviteCommand: Command = {
  name: "user invite",
  summary: "create a new invitation for a user and print its link (shown only once)",
  operands: "NAME",
  operandWords: [],
  options: [INVITATION_URL_OPTION, ...DATABASE_OPTIONS],
  notes: [
    "For users whose invitation expired or who forgot their password. The current password keeps working until the link is used. Earlier links stop working.",
    RUNNING_SERVER_NOTE,
  ],
  examples: [{ command: "ipsieve admin user invite bob@example.org", what: "a new link for Bob" }],
  run,
};

async function run(args: Arguments): Promise<number> {
  await withStore(args, false, async (store) => {
    const { id: userId, organisationId } = chosenUser(await store.load(null), args.operands[0]!);
    await invite(args, (invitation) =>
      store.write({ kind: "invite-user", organisationId, userId, invitation, ...signature() }),
    );
  });
  return EXIT.matched;
}
