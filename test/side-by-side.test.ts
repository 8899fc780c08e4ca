import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "./cli/run-command.ts";

const SIDE_BY_SIDE = join(import.meta.dirname, "../build/side-by-side.ts");
const scripts = {
  one: `node -p "'first ' + 1"`,
  two: `node -p "'second ' + 2"`,
  wrong: `node -p "'third ' + 3; process.exitCode = 7"`,
};

test("scripts run in parallel: all of their output, and a failure if one of them fails", (t) => {
  const folder = temporaryFolder({ "package.json": JSON.stringify({ scripts }) });
  t.after(() => folder.remove());
  const run = (...names: string[]) =>
    spawnSync(process.execPath, [SIDE_BY_SIDE, ...names], { cwd: folder.path, encoding: "utf8" });
  const right = run("one", "two");
  assert.equal(right.status, 0);
  assert.match(right.stdout, /^first 1$/m);
  assert.match(right.stdout, /^second 2$/m);
  const wrong = run("wrong", "one", "missing");
  assert.equal(wrong.status, 1);
  assert.match(wrong.stdout, /^first 1$/m);
  assert.match(wrong.stderr, /^failed: npm run wrong, npm run missing$/m);
});
