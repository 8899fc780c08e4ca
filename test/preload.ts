import { existsSync } from "node:fs";
import { enableCompileCache, registerHooks, syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import threads, { type WorkerOptions } from "node:worker_threads";
import { PACKAGES_FOLDER, packageModule } from "../build/package-module.ts";

// Loaded before each test file of `test/run.ts`, and in the processes that it starts with the options of its own.

/**
 * Where compiled modules are kept from one process to the next: types are stripped and code is compiled once for all
 * test files, the commands they start and their threads, not once for each. Keyed by file and content, so it need not
 * be cleared.
 */
process.env["NODE_COMPILE_CACHE"] ??= join(import.meta.dirname, "output/compile-cache");
enableCompileCache(process.env["NODE_COMPILE_CACHE"]);

const ROOT = new URL("../", import.meta.url);
const SOURCES = new URL("src/", ROOT).href;
const STORE_THREAD = new URL("src/store/sqlite/worker.ts", ROOT);
/** The same as built: it loads in half the time, and every server of a test starts such a thread. */
const BUILT_STORE_THREAD = new URL("dist/server/worker.js", ROOT);

// The sources then import packages from one file each, as the built ones do. Otherwise those of a server are 1,300
// files, which take half the load time of a test file.
if (process.env["TEST_BUILT"] === "true") {
  registerHooks({
    resolve(specifier, context, next) {
      const url = context.parentURL?.startsWith(SOURCES) === true ? bundled(specifier) : undefined;
      return url === undefined ? next(specifier, context) : { url, format: "module", shortCircuit: true };
    },
  });
  threads.Worker = class extends threads.Worker {
    constructor(file: string | URL, options?: WorkerOptions) {
      super(String(file) === STORE_THREAD.href ? BUILT_STORE_THREAD : file, options);
    }
  };
  syncBuiltinESMExports();
}

/** The URL of a package's bundle; undefined if it is not bundled. */
function bundled(specifier: string): string | undefined {
  if (/^[./]|^\w+:/.test(specifier)) return undefined;
  const url = new URL(`${PACKAGES_FOLDER}/${packageModule(specifier)}`, ROOT);
  return existsSync(url) ? url.href : undefined;
}
