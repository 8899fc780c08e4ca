import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { DATABASE_OPTIONS, databaseLocation, locationText, withStore } from "../../database/service-database.ts";

export const migrateCommand: Command = {
  name: "db migrate",
  summary: "create the database, or migrate its tables to this release",
  operands: "",
  options: DATABASE_OPTIONS,
  notes: [
    "The server does the same when it starts. If interrupted, run it again: each step is applied completely or not at all. A database from a newer release is rejected.",
  ],
  examples: [
    {
      command: "ipsieve admin db migrate --database-url postgres://ipsieve@localhost/ipsieve",
      what: "before the servers start",
    },
  ],
  run,
};

async function run(args: Arguments): Promise<number> {
  const { sequence } = await withStore(args, true, (store) => store.load(null));
  process.stdout.write(`${locationText(databaseLocation(args))} is up to date, at change ${sequence}\n`);
  return EXIT.matched;
}
