import { fstatSync, type Stats, statSync } from "node:fs";
import { UsageError } from "../runner/usage-error.ts";

/**
 * Throws UsageError where standard output goes to the file that is read: the shell has emptied it by then, or, with >>,
 * the command would read what it writes.
 */
export function rejectOwnOutput(path: string): void {
  const [input, output] = [statOf(path === "-" ? 0 : path), statOf(1)];
  if (input?.isFile() !== true || output === undefined) return;
  if (input.dev !== output.dev || input.ino !== output.ino) return;
  const name = path === "-" ? "standard input" : path;
  throw new UsageError(`${name}: this file is also the output; write to another file, and rename that afterwards`);
}

/** Undefined if it cannot be examined; that is reported where it is read. */
function statOf(file: string | number): Stats | undefined {
  try {
    return typeof file === "number" ? fstatSync(file) : statSync(file);
  } catch {
    return undefined;
  }
}
