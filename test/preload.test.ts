import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

const ROOT = join(import.meta.dirname, "..");

/** How many CommonJS modules the server's sources load from node_modules. */
function loaded(isBuilt: boolean): number {
  const code = `await import("./src/api/server.ts");
    const { createRequire } = await import("node:module");
    const paths = Object.keys(createRequire(${JSON.stringify(join(ROOT, "package.json"))}).cache);
    console.log(paths.filter((path) => path.includes("node_modules")).length);`;
  const printed = run(code, isBuilt);
  assert.match(printed, /^\d+\n$/);
  return Number(printed);
}

/** The file that the store's thread runs, by the error of one that is given nothing to open. */
function threadOf(isBuilt: boolean): string {
  const code = `import { Worker } from "node:worker_threads";
    const url = new URL("src/store/sqlite/worker.ts", ${JSON.stringify(pathToFileURL(`${ROOT}/`).href)});
    new Worker(url, { execArgv: [] }).on("error", ({ stack }) => console.log(stack));`;
  return /\w+\/[\w/]+\/worker\.\w+/.exec(run(code, isBuilt))![0];
}

function run(code: string, isBuilt: boolean): string {
  const args = ["--import", "./test/preload.ts", "--input-type=module", "-e", code];
  const env = { ...process.env, TEST_BUILT: String(isBuilt) };
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: "utf8", env });
  assert.equal(status, 0, stderr);
  return stdout;
}

test("after a build, the sources load packages from their bundles, and the store has the built thread", () => {
  assert.equal(loaded(true), 0);
  assert.match(threadOf(true), /\/dist\/server\/worker\.js$/);
});

test("negative control: without one, packages come from node_modules, and the thread from the sources", () => {
  assert.ok(loaded(false) > 100);
  assert.match(threadOf(false), /\/src\/store\/sqlite\/worker\.ts$/);
});
