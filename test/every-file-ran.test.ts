import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

const one = (options = "") => `import { test } from "node:test";\ntest("one", ${options}() => {});\n`;

const runs: Record<string, { files: Record<string, string>; exitCode: number; says: RegExp }> = {
  "a plain run passes": { files: { "a.test.ts": one() }, exitCode: 0, says: /^$/ },
  "a shared table of cases is not missed": {
    files: {
      "cases.ts": `import { test } from "node:test";\nexport const all = () => test("one", () => {});\n`,
      "a.test.ts": `import { all } from "./cases.ts";\nall();\n`,
    },
    exitCode: 0,
    says: /^$/,
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
};

for (const [name, { files, exitCode, says }] of Object.entries(runs)) {
  test(name, (t) => {
    const folder = mkdtempSync(join(tmpdir(), "ipsieve-reporter-"));
    t.after(() => rmSync(folder, { recursive: true }));
    mkdirSync(join(folder, "test"));
    writeFileSync(join(folder, "package.json"), `{ "type": "module" }`);
    copyFileSync(join(import.meta.dirname, "every-file-ran.ts"), join(folder, "test/every-file-ran.ts"));
    for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, "test", file), text);
    // Otherwise the inner runner would take itself for a part of this one.
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const { status, stdout } = spawnSync(
      process.execPath,
      ["--test", "--test-reporter=./test/every-file-ran.ts", "test/**/*.test.ts"],
      { cwd: folder, env, encoding: "utf8" },
    );
    assert.match(stdout, says);
    assert.equal(status, exitCode);
  });
}

/** Otherwise a moved file would drop out of its list silently, or make it fail much later. */
test("every test file that a script of package.json names exists", () => {
  const root = join(import.meta.dirname, "..");
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const named = Object.values<string>(scripts).flatMap((script) => script.match(/test\/[^\s"]+\.ts/g) ?? []);
  assert.ok(named.length > 20, String(named.length));
  assert.deepEqual(
    named.filter((path) => globSync(path, { cwd: root }).length === 0),
    [],
  );
});
