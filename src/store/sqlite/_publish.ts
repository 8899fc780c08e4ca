import { chmod, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { syncFolder } from "../../files/sync-folder.ts";
import { StoreError } from "../store-error.ts";
import { makePrivateFile } from "./_database.ts";

/** Files that SQLite keeps beside a database while it works on it. */
const COMPANIONS = ["", "-journal", "-wal", "-shm"];

/**
 * Lets `write` fill an empty file, which gets its name only when it is complete and on the disk: at any time, the name
 * refers to either the old file or the new one. Only its owner may read it, unless `mode` says otherwise. Throws
 * StoreError.
 */
export async function publish(path: string, write: (part: string) => Promise<void>, mode = 0o600): Promise<void> {
  const part = `${path}.part`;
  await removeAll(part);
  try {
    makePrivateFile(part);
    await write(part);
    await chmod(part, mode);
    await sync(part);
    await rename(part, path);
    await syncFolder(dirname(path));
  } catch (cause) {
    if (!isSystemError(cause)) throw cause;
    throw new StoreError(
      "unavailable",
      `${path}: cannot be written (${cause.code}); check its folder and the space on its disk`,
      { cause },
    );
  } finally {
    await removeAll(part);
  }
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "syscall" in error;
}

async function removeAll(part: string): Promise<void> {
  for (const companion of COMPANIONS) await rm(part + companion, { force: true });
}

async function sync(path: string): Promise<void> {
  const file = await open(path, "r");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
