import { EXIT } from "./command.ts";
import { standardError } from "./output/standard-error.ts";

/**
 * Errors whose message says what is wrong with what was given, and the cure. By name, so that no room is loaded for it.
 */
const EXPECTED = new Set([
  "UsageError",
  "AddressError",
  "SnapshotError",
  "BatchError",
  "CatalogueError",
  "ConnectionError",
  "CtiError",
  "ListenError",
  "StoreError",
  "TableError",
  "UpdateError",
]);

/**
 * Writes an error to stderr, with where it was read if that is known, and returns the exit code. A defect of the
 * program shows its stack.
 */
export function reportError(error: unknown, place = ""): number {
  if (!(error instanceof Error)) return write(String(error));
  if (EXPECTED.has(error.name) || isSystemError(error)) return write(place + error.message);
  return write(
    `${error.stack ?? error.message}\nThis is a defect of ipsieve; please report it with the command that led to it.`,
  );
}

function isSystemError(error: Error): boolean {
  return "syscall" in error;
}

function write(message: string): number {
  standardError().write(`ipsieve: ${message}\n`);
  return EXIT.error;
}
