import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, globSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readTimes } from "./file-times.ts";
import { temporaryFolder } from "./cli/run-command.ts";

const NOISY = `
import { after, afterEach, before, beforeEach, test } from "node:test";
import { endWithFile } from "./one-process.ts";
const say = (what) => console.log(import.meta.url.at(-9) + " " + what);
before(() => say("before"));
beforeEach(() => say("beforeEach"));
afterEach(() => say("afterEach"));
after(() => say("after"));
say("loaded");
endWithFile(() => say("restored"));
test("one", () => say("runs"));
`;

test("files that share a process: hooks are of their own file, and one that fails leaves the others as they are", (t) => {
  const together = `import { runInOneProcess } from "./one-process.ts";\nawait runInOneProcess(["test/a.test.ts", "test/broken.test.ts", "test/failing.test.ts", "test/hanging.test.ts", "test/exit-code.test.ts", "test/b.test.ts"]);\n`;
  const folder = temporaryFolder({
    "package.json": `{ "type": "module" }`,
    "together.ts": together,
    "a.test.ts": NOISY,
    "b.test.ts": NOISY,
    "broken.test.ts": `import "./missing.ts";\n`,
    "failing.test.ts": `import { test } from "node:test";\ntest("fails", () => { throw new Error("as it should"); });\n`,
    "exit-code.test.ts": `import { test } from "node:test";\ntest("sets it", () => { process.exitCode = 2; });\n`,
    "hanging.test.ts": `import { test } from "node:test";\nconst timer = setInterval(() => {}, 1000);\ntest("hangs", () => new Promise(() => {}));\ntest("goes on", () => clearInterval(timer));\n`,
  });
  t.after(() => folder.remove());
  const inTest = join(folder.path, "test");
  mkdirSync(inTest);
  for (const file of globSync("*.ts", { cwd: folder.path })) copyFileSync(join(folder.path, file), join(inTest, file));
  for (const file of ["file-times.ts", "one-process.ts", "time-limit.ts"])
    copyFileSync(join(import.meta.dirname, file), join(inTest, file));
  const { NODE_TEST_CONTEXT: _, ...env } = process.env; // else the inner runner takes itself for a part of this one
  const { status, stdout } = spawnSync(
    process.execPath,
    ["--test", "--test-timeout=2000", "--test-reporter=tap", "test/together.ts"],
    { cwd: folder.path, env: { ...env, TEST_TIMES: join(folder.path, "times") }, encoding: "utf8" },
  );
  assert.equal(status, 1);
  const said = stdout.match(/(?<=^# )[ab] \w+$/gm);
  const heard = ["loaded", "before", "beforeEach", "runs", "afterEach", "after", "restored"];
  assert.deepEqual(said, [...heard.map((what) => `a ${what}`), ...heard.map((what) => `b ${what}`)]);
  const results = stdout.match(/(?<=^ *)(not ok|ok) \d+ - \S.*$/gm)!.map((line) => line.replace(/ \d+ - /, " "));
  assert.deepEqual(results, [
    "ok one",
    "ok test/a.test.ts",
    "not ok test/broken.test.ts",
    "not ok fails",
    "not ok test/failing.test.ts",
    "not ok hangs",
    "ok goes on",
    "not ok test/hanging.test.ts",
    "ok sets it",
    "not ok test/exit-code.test.ts",
    "ok one",
    "ok test/b.test.ts",
  ]);
  const times = new Map(readTimes(join(folder.path, "times")).map(({ path, ...time }) => [path, time]));
  assert.equal(times.size, 6);
  assert.ok(times.get("test/hanging.test.ts")!.clock > 1, "its test hangs for two seconds");
  for (const { processor, clock } of times.values()) assert.ok(processor >= 0 && processor <= clock + 10);
});
