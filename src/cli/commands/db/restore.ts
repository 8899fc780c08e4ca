import { dirname } from "node:path";
import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { makePrivateFolder } from "../../snapshots/home.ts";
import { DATABASE_OPTIONS, databaseLocation } from "../../database/service-database.ts";
import { UsageError } from "../../runner/usage-error.ts";
import { reportText } from "./check.ts";

export const restoreCommand: Command = {
  name: "db restore",
  summary: "replace the database with a backup",
  operands: "FILE",
  options: [{ name: "force", help: "replace an existing database" }, ...DATABASE_OPTIONS],
  notes: [
    "The backup is checked and migrated to this release first, and then replaces the database atomically. The server must not be running.",
    "Restore a PostgreSQL database with its own tool: pg_restore.",
  ],
  examples: [{ command: "ipsieve admin db restore backup.db --force", what: "return to a backup" }],
  run,
};

async function run(args: Arguments): Promise<number> {
  const location = databaseLocation(args);
  if (!("file" in location))
    throw new UsageError(
      'restore a PostgreSQL database with its own tool: pg_restore --clean --if-exists --dbname="$DATABASE_URL" FILE',
    );
  makePrivateFolder(dirname(location.file));
  const { restoreFile } = await import("../../../store/sqlite/restore.ts");
  const report = await restoreFile(args.operands[0]!, location.file, args.has("force"));
  process.stdout.write(`${location.file} restored: ${reportText(report)}\n`);
  return EXIT.matched;
}
