import assert from "node:assert/strict";
import { join } from "node:path";
import { after, describe } from "node:test";
import { pathToFileURL } from "node:url";
import { timing } from "./file-times.ts";
import { limitTime, MINUTES } from "./time-limit.ts";

const ROOT = join(import.meta.dirname, "..");
/** What ends with this process; undefined if a test file is alone in it. */
let ends: (() => Promise<void>)[] | undefined;

/** What ends with the test file that runs now. */
const endsOfFile: (() => void)[] = [];

/** Has `end` called after the test file that runs now: it puts back what the file changed for its process. */
export function endWithFile(end: () => void): void {
  endsOfFile.push(end);
}

/** Has `end` called after the last test file of this process; returns false if only one file runs in it. */
export function endWithProcess(end: () => Promise<void>): boolean {
  return ends !== undefined && ends.push(end) > 0;
}

/**
 * Runs test files one after the other in this process, each as a suite of its own, to which its hooks belong. A file is
 * loaded when the one before it has ended. A file that ends the process fails it: the files after it run no test.
 */
export async function runInOneProcess(paths: readonly string[]): Promise<void> {
  ends = [];
  // While a test awaits what keeps no process, such as idle threads, Node would end it, and all files behind it.
  const awake = setInterval(() => {}, 60_000);
  for (const path of paths) {
    limitTime(path);
    const ended = timing(path);
    // Longer than that limit, which says what is kept alive. Tests keep the limit that the runner gives them.
    await describe(path, { timeout: (MINUTES + 1) * 60_000 }, async () => {
      const { exitCode } = process;
      await import(pathToFileURL(join(ROOT, path)).href);
      after(() => assert.equal(process.exitCode, exitCode, "a test has set process.exitCode"));
    });
    ended();
    for (const end of endsOfFile.splice(0)) end();
  }
  clearInterval(awake);
  for (const end of ends) await end();
  limitTime(`One of ${paths.join(", ")}`); // what the last test of a file leaves running
}
