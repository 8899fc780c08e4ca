import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

const ROOT = join(import.meta.dirname, "..");

/** How many CommonJS modules the server's sources load from node_modules. */
function loaded(bundled: boolean): number {
  const code = `await import("./src/api/server.ts");
    const { createRequire } = await import("node:module");
    const paths = Object.keys(createRequire(${JSON.stringify(join(ROOT, "package.json"))}).cache);
    console.log(paths.filter((path) => path.includes("node_modules")).length);`;
  const printed = run(code, bundled);
  assert.match(printed, /^\d+\n$/);
  return Number(printed);
}

/** The file that the store's thread runs, by the error of one that is given nothing to open. */
function threadOf(bundled: boolean): string {
  const code = `import { Worker } from "node:worker_threads";
    const url = new URL("src/store/sqlite/worker.ts", ${JSON.stringify(pathToFileURL(`${ROOT}/`).href)});
    new Worker(url, { execArgv: [] }).on("error", ({ stack }) => console.log(stack));`;
  return /\w+\/[\w/]+\/worker\.\w+/.exec(run(code, bundled))![0];
}

function run(code: string, bundled: boolean): string {
  const hook = ["--import", "./test/bundled-packages.ts", "--input-type=module", "-e", code];
  const env = { ...process.env, TEST_BUNDLED_PACKAGES: String(bundled) };
  const { stdout, stderr, status } = spawnSync(process.execPath, hook, { cwd: ROOT, encoding: "utf8", env });
  assert.equal(status, 0, stderr);
  return stdout;
}

test("the sources load packages from their bundles, not from node_modules", () => {
  assert.equal(loaded(true), 0);
});

test("negative control: without the hook they load packages from node_modules", () => {
  assert.ok(loaded(false) > 100);
});

test("the thread of the store runs the built file, and the source if something has been changed since the build", () => {
  assert.match(threadOf(true), /\/dist\/server\/worker\.js$/);
  assert.match(threadOf(false), /\/src\/store\/sqlite\/worker\.ts$/);
});
