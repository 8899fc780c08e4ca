import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "./cli/run-command.ts";

const inSuite = (options: string): string =>
  `import { describe, test } from "node:test";\ndescribe("suite", ${options}() => { test("one", () => {}); test("two", () => {}); });\n`;

const runs: Record<string, { text: string; exitCode: number; says: RegExp }> = {
  "tests are counted, suites are not": { text: inSuite(""), exitCode: 0, says: /^2 tests ran, 0 skipped\n$/ },
  "a skip fails, with its reason": {
    text: `import { test } from "node:test";\ntest("one", () => {});\ntest("two", { skip: "no nginx" }, () => {});\n`,
    exitCode: 1,
    says: /two: no nginx\n1 tests ran, 1 skipped\n$/,
  },
  "a suite that is skipped fails": {
    text: inSuite(`{ skip: "no nginx" }, `),
    exitCode: 1,
    says: /suite: no nginx\n.*0 tests ran/s,
  },
  "a run without a test fails": { text: "export {};\n", exitCode: 1, says: /^0 tests ran/m },
};

for (const [name, { text, exitCode, says }] of Object.entries(runs)) {
  test(name, (t) => {
    const folder = temporaryFolder({ "a.test.mjs": text });
    t.after(() => folder.remove());
    // Otherwise the inner runner would take itself for a part of this one.
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const reporter = `--test-reporter=${join(import.meta.dirname, "nothing-skipped.ts")}`;
    const { status, stdout } = spawnSync(process.execPath, ["--test", reporter, "a.test.mjs"], {
      cwd: folder.path,
      env,
      encoding: "utf8",
    });
    assert.match(stdout, says);
    assert.equal(status, exitCode);
  });
}
