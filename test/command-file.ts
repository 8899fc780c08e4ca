import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");
const SOURCES = join(ROOT, "src");
/** The last file of the command that `npm run build` writes. */
const BUILT = join(ROOT, "dist/cli/command-line.cjs");

/**
 * The command that tests start: the built one, which is what users have and starts in half the time, or the sources if
 * one of them has changed since the build.
 */
export const COMMAND_FILE: string = isBuilt() ? join(ROOT, "dist/cli/main.js") : join(ROOT, "src/cli/main.ts");

/** Whether the build was made from the current sources and package versions. */
export function isBuilt(): boolean {
  const built = changedAt(BUILT);
  if (changedAt(join(ROOT, "package-lock.json")) > built) return false;
  return readdirSync(SOURCES, { recursive: true }).every((name) => changedAt(join(SOURCES, String(name))) <= built);
}

/** Milliseconds since 1970; -Infinity for a file that does not exist. */
function changedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? -Infinity;
}
