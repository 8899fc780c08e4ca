import { existsSync } from "node:fs";
import { registerHooks, syncBuiltinESMExports } from "node:module";
import threads, { type WorkerOptions } from "node:worker_threads";
import { PACKAGES_FOLDER, packageModule } from "../build/package-module.ts";
import { isBuilt } from "./command-file.ts";

const ROOT = new URL("../", import.meta.url);
const SOURCES = new URL("src/", ROOT).href;
const STORE_THREAD = new URL("src/store/sqlite/worker.ts", ROOT);
/** The same as built: it loads in half the time, and every server of a test starts such a thread. */
const BUILT_STORE_THREAD = new URL("dist/server/worker.js", ROOT);
/** Whether the bundled packages match the current sources: determined once, by the runner. */
const BUILT = "TEST_BUNDLED_PACKAGES";

// Loaded before each test file: the sources then import packages from one file each, as the built ones do. Otherwise
// those of a server are 1,300 files, which take half the load time of a test file.
process.env[BUILT] ??= String(isBuilt());
if (process.env[BUILT] === "true") {
  registerHooks({
    resolve(specifier, context, next) {
      const url = context.parentURL?.startsWith(SOURCES) === true ? bundled(specifier) : undefined;
      return url === undefined ? next(specifier, context) : { url, format: "module", shortCircuit: true };
    },
  });
  threads.Worker = class extends threads.Worker {
    constructor(file: string | URL, options?: WorkerOptions) {
      super(isStoreThread(file) ? BUILT_STORE_THREAD : file, options);
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

function isStoreThread(file: string | URL): boolean {
  return String(file) === STORE_THREAD.href;
}
