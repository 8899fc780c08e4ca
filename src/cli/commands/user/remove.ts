import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { DATABASE_OPTIONS, RUNNING_SERVER_NOTE, signature, withStore } from "../../database/service-database.ts";
import { chosenUser } from "../../database/service-users.ts";

export const removeCommand: Command = {
  name: "user remove",
  summary: "remove a dashboard user and end their sessions",
  operands: "NAME",
  operandWords: [],
  options: DATABASE_OPTIONS,
  notes: [
    "The last admin of an organisation who can sign in cannot be removed. The audit log keeps the names of removed users.",
    RUNNING_SERVER_NOTE,
  ],
  examples: [{ command: "ipsieve admin user remove bob@example.org", what: "Bob can no longer sign in" }],
  run,
};

async function run(args: Arguments): Promise<number> {
  await withStore(args, false, async (store) => {
    const { id: userId, organisationId, name } = chosenUser(await store.load(null), args.operands[0]!);
    await store.write({ kind: "delete-user", organisationId, userId, ...signature() });
    process.stdout.write(`removed ${name}\n`);
  });
  return EXIT.matched;
}
