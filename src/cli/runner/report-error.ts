import { EXIT } from "./command.ts";
import { oneLine } from "./one-line.ts";
import { standardError } from "./standard-error.ts";

/**
 * Errors whose message says what is wrong with the input, and how to fix it. Compared by name, so that no module is
 * loaded just for this.
 */
const EXPECTED = new Set([
  "UsageError",
  "AddressError",
  "SnapshotError",
  "BatchError",
  "CatalogueError",
  "ConnectionError",
  "CtiError",
  "FeedFolderError",
  "KeyFileError",
  "ListLineError",
  "ListenError",
  "NetworksError",
  "StoreError",
  "TableError",
  "UnexportableError",
  "UpdateError",
]);

/**
 * Writes an error to stderr, with where it was read if that is known, and returns the exit code. For a bug in the
 * program, the stack is shown.
 */
export function reportError(error: unknown, location = ""): number {
  if (!(error instanceof Error)) return write(String(error));
  if (EXPECTED.has(error.name) || isSystemError(error)) return write(location + error.message);
  return write(
    `${error.stack ?? error.message}\nThis is a defect of ipsieve; please report it with the command that led to it.`,
  );
}

function isSystemError(error: Error): boolean {
  return "syscall" in error;
}

/** Names of files and texts of input are part of messages: no control character of theirs reaches the terminal. */
function write(message: string): number {
  standardError().write(`ipsieve: ${message.split("\n").map(oneLine).join("\n")}\n`);
  return EXIT.error;
}
