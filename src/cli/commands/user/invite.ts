import { type Arguments, type Command, EXIT } from "../../command.ts";
import { DATABASE_OPTIONS, RUNNING_SERVER_NOTE, signature, withStore } from "../../service-database.ts";
import { chosenUser, invite, URL_OPTION } from "../../service-users.ts";

export const inviteCommand: Command = {
  name: "user invite",
  summary: "make another invitation for a user and print its link, once",
  operands: "NAME",
  minOperands: 1,
  maxOperands: 1,
  operandWords: [],
  options: [URL_OPTION, ...DATABASE_OPTIONS],
  notes: [
    "For who let the first one expire, or has forgotten the password: that stays until the link is followed. An earlier link can no longer be followed.",
    RUNNING_SERVER_NOTE,
  ],
  examples: [{ command: "ipsieve user invite bob@example.org", what: "a new link for Bob" }],
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
