import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");

/**
 * The command that tests start: for `test/run.ts`, the built one, which is what users have and starts in half the time;
 * for a file that is started by hand, the sources.
 */
export const COMMAND_FILE: string = join(
  ROOT,
  process.env["TEST_BUILT"] === "true" ? "dist/cli/main.js" : "src/cli/main.ts",
);
