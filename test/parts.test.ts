import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import {
  COSTLY,
  FILES,
  filesOf,
  filesOfRun,
  hasLongForm,
  isShortIn,
  LONGEST,
  NIGHTLY,
  OWN_PROCESS,
  processesFor,
  WITH_PROGRAMS,
} from "./parts.ts";
import { TURNS } from "./rounds.ts";

const ROOT = join(import.meta.dirname, "..");

test("in `.ci/run` each test file runs once: alone in its short form, or in its long one", () => {
  assert.deepEqual([...filesOf("once"), ...filesOf("long")].toSorted(), filesOf("all"));
  assert.ok(filesOf("long").length > 100);
  for (const file of filesOf("once")) assert.ok(!hasLongForm(file) || NIGHTLY.includes(file), file);
});

test("files that start programs, have a long form or are costly come in one of four runs of npm test; other parts are whole", (t) => {
  const before = process.env["TEST_SEED"];
  t.after(() => {
    if (before === undefined) delete process.env["TEST_SEED"];
    else process.env["TEST_SEED"] = before;
  });
  const [all, programs] = [filesOf("all"), filesOf("programs")];
  const always = all.filter((path) => !programs.includes(path) && !COSTLY.includes(path) && !hasLongForm(path));
  const runs = ["4", "5", "6", "7"].map((seed) => {
    process.env["TEST_SEED"] = seed;
    for (const part of ["once", "long", "programs", "nightly"] as const)
      assert.deepEqual(filesOfRun(part), filesOf(part));
    return filesOfRun("all");
  });
  if (process.env["TEST_ROUNDS"] === "long") return;
  assert.equal(runs.length, TURNS);
  assert.deepEqual(
    runs.flat().toSorted(),
    [...all, ...always, ...always, ...always].toSorted(),
    "each of the others once",
  );
  for (const files of runs) {
    assert.deepEqual(
      files.filter((path) => always.includes(path)),
      always,
    );
    assert.ok(LONGEST.filter((path) => files.includes(path)).length <= Math.ceil(LONGEST.length / TURNS));
  }
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

test("costly files are of the part `once`, and have no long form, with which they took turns by themselves", () => {
  for (const file of COSTLY) assert.ok(filesOf("once").includes(file) && !hasLongForm(file), file);
  assert.deepEqual(COSTLY, COSTLY.toSorted());
});

test("the files that need programs exist, in alphabetical order, those of pages among them", () => {
  assert.deepEqual(WITH_PROGRAMS, WITH_PROGRAMS.toSorted());
  for (const line of WITH_PROGRAMS) assert.ok(globSync(line, { cwd: ROOT }).length > 0, `no file: ${line}`);
  // Their long form is in the browser's harness.
  assert.ok(filesOf("programs").filter((path) => /^test\/dashboard\/.*-pages\.test\.ts$/.test(path)).length > 5);
  for (const file of LONGEST) assert.ok(filesOf("all").includes(file), file);
});

test("each test file is in one process; those that need their own are alone in it", () => {
  const files = filesOf("all");
  const processes = processesFor(files);
  assert.deepEqual(processes.flat().toSorted(), files.toSorted());
  assert.ok(processes.length < files.length - 50, String(processes.length));
  for (const file of Object.keys(OWN_PROCESS)) {
    assert.ok(
      processes.some((each) => each.length === 1 && each[0] === file),
      file,
    );
  }
});

test("files that take long by the clock are alone, and begin first", () => {
  const processes = processesFor(filesOf("all"));
  assert.deepEqual(
    processes.slice(0, LONGEST.length).map(([file]) => file),
    LONGEST,
  );
  assert.deepEqual(
    processes.slice(0, LONGEST.length + 1).map(({ length }) => length > 1),
    [...LONGEST.map(() => false), true],
  );
});

test("in the long form, fewer files share a process, and those that need their own are alone, too", () => {
  const files = filesOf("long");
  const processes = processesFor(files, "long");
  assert.deepEqual(processes.flat().toSorted(), files);
  assert.equal(Math.max(...processes.map(({ length }) => length)), FILES.long);
  for (const paths of processes) assert.ok(paths.length === 1 || !paths.some((path) => path in OWN_PROCESS));
});
