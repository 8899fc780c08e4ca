import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

const one = (options = "") => `import { test } from "node:test";\ntest("one", ${options}() => {});\n`;

/** A file that runs others in its process. */
const together = (...names: string[]) =>
  `import { runInOneProcess } from "./one-process.ts";\nawait runInOneProcess(${JSON.stringify(names.map((name) => `test/${name}`))});\n`;

interface Run {
  readonly files: Record<string, string>;
  /** The files that the runner starts; all unless given. */
  readonly started?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly exitCode: number;
  readonly says: RegExp;
}

const runs: Record<string, Run> = {
  "a plain run passes": { files: { "a.test.ts": one() }, exitCode: 0, says: /^$/ },
  "in the long form, a skip with a reason fails": {
    files: { "a.test.ts": one(`{ skip: "no nginx" }, `) },
    env: { TEST_ROUNDS: "long" },
    exitCode: 1,
    says: /skipped, which fails this run: one: no nginx/,
  },
  "in the long form, a suite that is skipped fails": {
    files: {
      "a.test.ts": `import { describe, test } from "node:test";\ndescribe("suite", { skip: "no nginx" }, () => { test("one", () => {}); });\n`,
    },
    env: { TEST_ROUNDS: "long" },
    exitCode: 1,
    says: /skipped, which fails this run: suite: no nginx/,
  },
  "a file that another part of the run has may be left out": {
    files: { "a.test.ts": one(), "b.test.ts": one() },
    started: "test/a.test.ts",
    env: { TEST_FILES: "test/a.test.ts" },
    exitCode: 0,
    says: /^$/,
  },
  "a file of this part that is left out fails, and so does a wrongly named one": {
    files: { "a.test.ts": one(), "b.test.ts": one(), "c.tests.ts": one() },
    started: "test/a.test.ts",
    env: { TEST_FILES: "test/a.test.ts\ntest/b.test.ts" },
    exitCode: 1,
    says: /b\.test\.ts: ran no test\n.*c\.tests\.ts: ran no test; is it meant/,
  },
  "a shared table of cases is not missed": {
    files: {
      "cases.ts": `import { test } from "node:test";\nexport const all = () => test("one", () => {});\n`,
      "a.test.ts": `import { all } from "./cases.ts";\nall();\n`,
    },
    exitCode: 0,
    says: /^$/,
  },
  "in the long form, a skip of what a registry lacks is listed": {
    files: { "a.test.ts": one(`{ skip: "not to be had here: a tool" }, `), "b.test.ts": one() },
    env: { TEST_ROUNDS: "long" },
    exitCode: 0,
    says: /skipped: one: not to be had here: a tool/,
  },
  "among the long forms, what a short one leaves out is listed": {
    files: {
      "a.test.ts": `import { test } from "node:test";\nimport { takingTurns, onlyLong } from "./rounds.ts";\ndelete process.env.TEST_ROUNDS;\ntest("one", { skip: onlyLong() }, () => {});\ntest("two", { skip: takingTurns(2, 1) }, () => {});\n`,
    },
    env: { TEST_ROUNDS: "long" },
    exitCode: 0,
    says: /skipped: one: only in the long form/,
  },
  "a skip with a reason is listed": {
    files: { "a.test.ts": one(`{ skip: "no network" }, `) },
    exitCode: 0,
    says: /skipped: one: no network/,
  },
  "a skip without a reason fails": {
    files: { "a.test.ts": one("{ skip: true }, ") },
    exitCode: 1,
    says: /skipped without a reason/,
  },
  "a wrongly named file fails": {
    files: { "a.test.ts": one(), "b.tests.ts": one() },
    exitCode: 1,
    says: /b\.tests\.ts: ran no test; is it meant/,
  },
  "an empty test file fails": {
    files: { "a.test.ts": one(), "b.test.ts": "export {};\n" },
    exitCode: 1,
    says: /b\.test\.ts: ran no test/,
  },
  "a test file that ends the process fails": {
    files: { "a.test.ts": one(), "b.test.ts": `${one()}process.exit(0);\n` },
    exitCode: 1,
    says: /b\.test\.ts: ran no test/,
  },
  "files that share a process, one of them with a shared table of cases, pass": {
    files: {
      "cases.ts": `import { test } from "node:test";\nexport const all = () => test("one", () => {});\n`,
      "a.test.ts": `import { all } from "./cases.ts";\nall();\n`,
      "b.test.ts": one(),
      "both.test.ts": together("a.test.ts", "b.test.ts"),
    },
    started: "test/both.test.ts",
    exitCode: 0,
    says: /^$/,
  },
  "an empty test file that shares a process fails": {
    files: { "a.test.ts": "export {};\n", "b.test.ts": one(), "both.test.ts": together("a.test.ts", "b.test.ts") },
    started: "test/both.test.ts",
    exitCode: 1,
    says: /^\S*\ba\.test\.ts: ran no test\n$/,
  },
  "a test file that ends the process that it shares fails, and so do those after it": {
    files: {
      "a.test.ts": one(),
      "b.test.ts": `${one()}process.exit(0);\n`,
      "c.test.ts": one(),
      "all.test.ts": together("a.test.ts", "b.test.ts", "c.test.ts"),
    },
    started: "test/all.test.ts",
    exitCode: 1,
    says: /b\.test\.ts: ran no test\n.*c\.test\.ts: ran no test/,
  },
};

for (const [name, { files, started = "test/**/*.test.ts", env: more = {}, exitCode, says }] of Object.entries(runs)) {
  test(name, (t) => {
    const folder = mkdtempSync(join(tmpdir(), "ipsieve-reporter-"));
    t.after(() => rmSync(folder, { recursive: true }));
    mkdirSync(join(folder, "test"));
    writeFileSync(join(folder, "package.json"), `{ "type": "module" }`);
    for (const file of ["every-file-ran.ts", "file-times.ts", "one-process.ts", "rounds.ts", "time-limit.ts"])
      copyFileSync(join(import.meta.dirname, file), join(folder, "test", file));
    for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, "test", file), text);
    // Otherwise the inner runner would take itself for a part of this one.
    const { NODE_TEST_CONTEXT: _, TEST_FILES: _files, TEST_ROUNDS: _rounds, TEST_TIMES: _times, ...env } = process.env;
    const { status, stdout } = spawnSync(
      process.execPath,
      ["--test", "--test-reporter=./test/every-file-ran.ts", started],
      { cwd: folder, env: { ...env, ...more }, encoding: "utf8" },
    );
    assert.match(stdout, says);
    assert.equal(status, exitCode);
  });
}

/** Otherwise a moved file would drop out of its list silently, or make it fail much later. */
test("every file that a script of package.json names exists, also by npm run bench and torture", () => {
  const root = join(import.meta.dirname, "..");
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const texts = [...Object.values<string>(scripts), readFileSync(join(root, "build/run-named.ts"), "utf8")];
  const named = texts.flatMap((text) => text.match(/\b(test|bench|build)\/[^\s"$]+\.ts/g) ?? []);
  assert.ok(named.length > 20, String(named.length));
  assert.deepEqual(
    named.filter((path) => globSync(path, { cwd: root }).length === 0),
    [],
  );
});
