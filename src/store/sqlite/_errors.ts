import { StoreError, type StoreErrorCode } from "../store-error.ts";

/** A commit that failed: `cause` is SQLite's error. */
export class CommitError extends Error {
  override readonly name = "CommitError";

  constructor(cause: unknown) {
    super("the commit failed", { cause });
  }
}

/** SQLite's primary result codes that concern the disk or another process, and the remedy for each. */
const OUTAGES: Readonly<Record<number, readonly [code: StoreErrorCode, cure: string]>> = {
  5: ["unavailable", "another process has been writing for too long; try again"], // SQLITE_BUSY
  8: ["unavailable", "check the permissions of the file and its folder, and that its file system is not read-only"], // SQLITE_READONLY
  10: ["unavailable", "its disk is full, read-only or failing; check its free space and the system's log"], // SQLITE_IOERR
  11: ["corrupt", "restore a backup"], // SQLITE_CORRUPT
  13: ["unavailable", "free some space"], // SQLITE_FULL
  14: ["unavailable", "check the permissions of the file and its folder"], // SQLITE_CANTOPEN
  15: ["unavailable", "too many processes are using the file; try again"], // SQLITE_PROTOCOL
  26: ["corrupt", "restore a backup"], // SQLITE_NOTADB
};
const IO_ERROR = 10;

/**
 * SQLite's errors about the disk or another process; the transaction was rolled back. Others are returned unchanged.
 */
export function asStoreError(error: unknown, path: string): unknown {
  if (error instanceof CommitError) return commitError(error, path);
  const { errcode, message } = error as { errcode?: number; message?: string };
  const known = errcode === undefined ? undefined : OUTAGES[errcode & 0xff];
  return known === undefined
    ? error
    : new StoreError(known[0], `${path}: ${message} (SQLite error ${errcode}); ${known[1]}`, { cause: error });
}

/**
 * After an I/O error, it is unknown how much of the log is on the disk: if the fsync failed, the transaction may
 * reappear after a restart.
 */
function commitError({ cause }: CommitError, path: string): unknown {
  const error = asStoreError(cause, path);
  const isUnknown = error instanceof StoreError && ((cause as { errcode: number }).errcode & 0xff) === IO_ERROR;
  return isUnknown ? new StoreError("outcome-unknown", error.message, { cause }) : error;
}
