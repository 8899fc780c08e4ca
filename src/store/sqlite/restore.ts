import { constants, existsSync, statSync } from "node:fs";
import { access, copyFile, rm } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { startAnotherHistory } from "../sql/_another-history.ts";
import { migrate, SCHEMA_VERSION } from "../migrations/migrate.ts";
import { StoreError } from "../store-error.ts";
import type { StoreReport } from "../state.ts";
import { checkFile } from "./_check.ts";
import { openDatabase } from "./_database.ts";
import { asStoreError } from "./_errors.ts";
import { publish } from "./_publish.ts";

const SQLITE_BUSY = 5;

/**
 * Replaces a SQLite file with a backup: a copy is checked, brought up to date, and only then takes the file's name.
 * Throws StoreError: `exists` if there is a file and `force` is not set, `unavailable` if that file is in use.
 */
export async function restoreFile(backup: string, path: string, force: boolean): Promise<StoreReport> {
  if (!existsSync(backup)) throw new StoreError("not-found", `${backup}: no such file`);
  await checkReadable(backup);
  if (existsSync(path) && !force)
    throw new StoreError("exists", `${path}: a database already exists; --force replaces it with the backup`);
  let report: StoreReport | undefined;
  await publish(
    path,
    async (part) => {
      await copyFile(backup, part);
      report = await checkCopy(part, backup, path);
      await retire(path);
    },
    modeOf(path),
  );
  return report!;
}

async function checkReadable(backup: string): Promise<void> {
  try {
    await access(backup, constants.R_OK);
  } catch (cause) {
    throw new StoreError(
      "unavailable",
      `${backup}: cannot be read (${(cause as NodeJS.ErrnoException).code}); check its permissions`,
      { cause },
    );
  }
}

/** Users who may read the old file may read the new one. */
function modeOf(path: string): number | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found && found.mode & 0o777;
}

async function checkCopy(part: string, backup: string, path: string): Promise<StoreReport> {
  try {
    const engine = openDatabase(part, false, "full", backup);
    try {
      if ((await migrate(engine)) === SCHEMA_VERSION)
        throw new StoreError("not-a-store", `${backup}: this is an empty database; give a backup`);
      await engine.db.transaction().execute(startAnotherHistory);
      return await checkFile(engine, backup);
    } finally {
      engine.file.close();
    }
  } catch (error) {
    const known = asStoreError(error, backup);
    // It is the disk of the copy that is full.
    throw known instanceof StoreError && known.code === "unavailable" ? asStoreError(error, path) : known;
  }
}

/**
 * Removes the old file's log, which would be taken for the new one's. A file that another process has open cannot
 * change its journal mode.
 */
async function retire(path: string): Promise<void> {
  if (!existsSync(path)) return;
  try {
    const file = new DatabaseSync(path, { timeout: 1000 });
    try {
      file.exec("pragma journal_mode = delete");
    } finally {
      file.close();
    }
  } catch (error) {
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY)
      throw new StoreError("unavailable", `${path} is in use; stop the server first`, { cause: error });
    const known = asStoreError(error, path);
    if (known instanceof StoreError && known.code === "unavailable") throw known;
    // The old file may be corrupt or not a database, which is why it is being replaced.
  }
  for (const log of ["-wal", "-shm"]) await rm(path + log, { force: true });
}
