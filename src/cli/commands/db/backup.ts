import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { DATABASE_OPTIONS, withStore } from "../../database/service-database.ts";

export const backupCommand: Command = {
  name: "db backup",
  summary: "write a consistent copy of the database to a new file",
  operands: "FILE",
  options: DATABASE_OPTIONS,
  notes: [
    "The server may be running and writing: the copy is consistent as of one moment. It is itself a SQLite database, complete and on disk when the command ends.",
    "Back up a PostgreSQL database with its own tool: pg_dump --format=custom --schema=ipsieve.",
  ],
  examples: [{ command: "ipsieve admin db backup backup.db", what: "while the server runs" }],
  run,
};

async function run(args: Arguments): Promise<number> {
  const [path] = args.operands;
  await withStore(args, false, (store) => store.backup(path!));
  process.stdout.write(`${path} written\n`);
  return EXIT.matched;
}
