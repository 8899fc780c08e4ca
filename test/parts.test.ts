import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { filesOf, hasLongForm, isShortIn, NIGHTLY, WITH_PROGRAMS } from "./parts.ts";
import { LONGEST } from "./shared-processes.ts";

const ROOT = join(import.meta.dirname, "..");

test("in `.ci/run` each test file runs once: alone in its short form, or in its long one", () => {
  assert.deepEqual([...filesOf("once"), ...filesOf("long")].toSorted(), filesOf("all"));
  assert.ok(filesOf("long").length > 100);
  for (const file of filesOf("once")) assert.ok(!hasLongForm(file) || NIGHTLY.includes(file), file);
});

test("of a file whose long form takes too long for `.ci/run`, that runs by night, and the short one here", () => {
  const [long, programs] = [filesOf("long"), filesOf("programs")];
  for (const file of NIGHTLY) {
    assert.ok(hasLongForm(file), file);
    // Its short form runs where its programs are.
    assert.equal(long.includes(file), programs.includes(file), file);
    assert.ok(isShortIn("long", file) && !isShortIn("nightly", file));
  }
  assert.deepEqual(NIGHTLY, NIGHTLY.toSorted());
});

test("the files that need programs exist, in alphabetical order, those of pages among them", () => {
  assert.deepEqual(WITH_PROGRAMS, WITH_PROGRAMS.toSorted());
  for (const line of WITH_PROGRAMS) assert.ok(globSync(line, { cwd: ROOT }).length > 0, `no file: ${line}`);
  // Their long form is in the browser's harness.
  assert.ok(filesOf("programs").filter((path) => /^test\/dashboard\/.*-pages\.test\.ts$/.test(path)).length > 5);
  for (const file of LONGEST) assert.ok(filesOf("all").includes(file), file);
});
