import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { TestEvent } from "node:test/reporters";
import { ONLY_LONG } from "./rounds.ts";

/** Begins the reason of a test that is skipped because a registry lacks a program: the long form may, too. */
export const NOT_HAD = "not to be had here: ";

/**
 * A reporter that makes the run fail if a test was left out unnoticed: a file below `test/` that contains tests but is
 * not named `*.test.ts`, a test file that ran no test (of those in TEST_FILES, or of all), or a test skipped without a
 * reason. Skips with a reason are listed. In the long form, for which all programs are there, each skip fails the run,
 * but for a program that not every registry has (`NOT_HAD`), and what a short form leaves out.
 */
export default async function* everyFileRan(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const ran = new Set<string>();
  const withTests = new Set<string>();
  const complaints: string[] = [];
  const skips: string[] = [];
  for await (const { type, data } of events) {
    if (type !== "test:pass" && type !== "test:fail") continue;
    const { entryFile } = data as { entryFile?: string };
    // The line for the whole file, which is not a test.
    if (data.file === undefined || entryFile === undefined) continue;
    ran.add(data.file).add(entryFile); // two files if a shared table of cases makes the tests
    // In a process that several files share, each is a suite by its path (`one-process.ts`).
    if (data.nesting > 0) withTests.add(entryFile);
    else if (withTests.delete(entryFile)) ran.add(join(import.meta.dirname, "..", data.name));
    if (data.skip === undefined && data.todo === undefined) continue;
    const reason = data.skip ?? data.todo;
    // Among the long forms are the short ones of files whose long form runs by night.
    const mayBeSkipped = typeof reason === "string" && (reason.endsWith(ONLY_LONG) || reason.startsWith(NOT_HAD));
    if (process.env["TEST_ROUNDS"] === "long" && !mayBeSkipped)
      complaints.push(`skipped, which fails this run: ${data.name}: ${reason}`);
    else if (typeof reason === "string" && reason !== "") skips.push(`skipped: ${data.name}: ${reason}`);
    else complaints.push(`${data.file}: "${data.name}" is skipped without a reason`);
  }
  const expected = process.env["TEST_FILES"]?.split("\n").map((path) => join(import.meta.dirname, "..", path));
  for (const file of filesWithTests(import.meta.dirname)) {
    if (!ran.has(file) && (expected?.includes(file) !== false || !file.endsWith(".test.ts")))
      complaints.push(`${file}: ran no test${file.endsWith(".test.ts") ? "" : "; is it meant to be named *.test.ts?"}`);
  }
  if (complaints.length > 0) process.exitCode = 1;
  yield [...skips, ...complaints].map((line) => `${line}\n`).join("");
}

function filesWithTests(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".ts"));
  return files
    .map((path) => join(folder, path))
    .filter(
      (path) =>
        path.endsWith(".test.ts") || /^import [^;]*\btest\b[^;]* from "node:test";/m.test(readFileSync(path, "utf8")),
    );
}
