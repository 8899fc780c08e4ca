import { readFileSync } from "node:fs";
import { UsageError } from "../runner/usage-error.ts";

/** The text of a key file; `option` is where its path was given. Throws UsageError. */
export function readKeyFile(path: string, option: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new UsageError(
      `${option} ${path}: cannot be read (${(error as NodeJS.ErrnoException).code}); check the path and its permissions`,
    );
  }
}
