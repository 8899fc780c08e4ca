import { type Arguments, type Command, EXIT } from "../../command.ts";
import { DATABASE_OPTIONS, databaseLocation, locationText, withStore } from "../../service-database.ts";

export const migrateCommand: Command = {
  name: "db migrate",
  summary: "make the database, or bring its tables up to this release",
  operands: "",
  minOperands: 0,
  maxOperands: 0,
  options: DATABASE_OPTIONS,
  notes: [
    "The server does so when it starts. Killed in the middle, it has done a step or not; call it again. A database of a newer release is refused.",
  ],
  examples: [
    {
      command: "ipsieve db migrate --database-url postgres://ipsieve@localhost/ipsieve",
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
