import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { filesOf, filesOfRun, hasLongForm, isShortIn, NIGHTLY, WITH_PROGRAMS } from "./parts.ts";
import { LONGEST } from "./shared-processes.ts";

const ROOT = join(import.meta.dirname, "..");

test("in `.ci/run` each test file runs once: alone in its short form, or in its long one", () => {
  assert.deepEqual([...filesOf("once"), ...filesOf("long")].toSorted(), filesOf("all"));
  assert.ok(filesOf("long").length > 100);
  for (const file of filesOf("once")) assert.ok(!hasLongForm(file) || NIGHTLY.includes(file), file);
});

test("a run of npm test has a third of the files that need programs, three runs all, and other parts are whole", (t) => {
  const before = process.env["TEST_SEED"];
  t.after(() => {
    if (before === undefined) delete process.env["TEST_SEED"];
    else process.env["TEST_SEED"] = before;
  });
  const programs = filesOf("programs");
  const runs = ["4", "5", "6"].map((seed) => {
    process.env["TEST_SEED"] = seed;
    for (const part of ["once", "long", "programs", "nightly"] as const)
      assert.deepEqual(filesOfRun(part), filesOf(part));
    return filesOfRun("all");
  });
  if (process.env["TEST_ROUNDS"] === "long") return;
  for (const files of runs) {
    assert.equal(files.filter((path) => !programs.includes(path)).length, filesOf("all").length - programs.length);
    assert.ok(files.filter((path) => programs.includes(path)).length <= Math.ceil(programs.length / 3));
  }
  assert.deepEqual([...new Set(runs.flat())].toSorted(), filesOf("all"));
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
