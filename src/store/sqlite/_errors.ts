import { StoreError } from "../store-error.ts";

/** SQLite's errors about the disk or another process; the transaction was rolled back. */
export function asStoreError(error: unknown, path: string): unknown {
  const { errcode, message } = error as { errcode?: number; message?: string };
  if (errcode === undefined) return error;
  const refuse = (code: "unavailable" | "damaged" | "outcome-unknown", cure: string) => new StoreError(code, `${path}: ${message}; ${cure}`);
  switch (errcode & 0xff) {
    case 5: // SQLITE_BUSY
      return refuse("unavailable", "another process writes for too long; try again");
    case 8: // SQLITE_READONLY
    case 14: // SQLITE_CANTOPEN
      return refuse("unavailable", "check the permissions of the file and its folder");
    case 13: // SQLITE_FULL
      return refuse("unavailable", "free some space");
    case 10: // SQLITE_IOERR: also of an fsync, after which nobody knows what the disk has
      return refuse("outcome-unknown", "the disk fails; look at the system's log");
    case 11: // SQLITE_CORRUPT
    case 26: // SQLITE_NOTADB
      return refuse("damaged", "restore a backup");
    default:
      return error;
  }
}
