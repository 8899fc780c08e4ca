import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { DATABASE_OPTIONS, databaseLocation, locationText, withStore } from "../../database/service-database.ts";

export const forgetKeyCommand: Command = {
  name: "db forget-key",
  summary: "let the servers use another key file, because theirs is lost",
  operands: "",
  options: DATABASE_OPTIONS,
  notes: [
    "Use this only if the key file (--secret-key-file) cannot be restored: with another one, the URLs of all feeds change; firewalls that fetch the old ones are rejected as if their credentials were wrong, and many then stop enforcing. Give them the new URLs first. Credentials of external lists must be entered again.",
    "Stop the servers first, and start them with one new key file for all.",
  ],
  examples: [{ command: "ipsieve admin db forget-key", what: "after the key file was lost" }],
  run,
};

async function run(args: Arguments): Promise<number> {
  await withStore(args, false, (store) => store.record("keyFile", null));
  process.stdout.write(`${locationText(databaseLocation(args))} takes the key file of the next server that uses one\n`);
  return EXIT.matched;
}
