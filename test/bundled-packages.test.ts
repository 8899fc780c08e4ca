import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";

const ROOT = join(import.meta.dirname, "..");

/** How many CommonJS modules the server's sources load from node_modules. */
function loaded(bundled: boolean): number {
  const code = `await import("./src/api/server.ts");
    const { createRequire } = await import("node:module");
    const paths = Object.keys(createRequire(${JSON.stringify(join(ROOT, "package.json"))}).cache);
    console.log(paths.filter((path) => path.includes("node_modules")).length);`;
  const hook = ["--import", "./test/bundled-packages.ts", "--input-type=module", "-e", code];
  const { stdout, stderr } = spawnSync(process.execPath, hook, {
    cwd: ROOT,
    encoding: "utf8",
    env: { ...process.env, TEST_BUNDLED_PACKAGES: String(bundled) },
  });
  assert.match(stdout, /^\d+\n$/, stderr);
  return Number(stdout);
}

test("the sources load packages from their bundles, not from node_modules", () => {
  assert.equal(loaded(true), 0);
});

test("negative control: without the hook they load packages from node_modules", () => {
  assert.ok(loaded(false) > 100);
});
