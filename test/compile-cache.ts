import { enableCompileCache } from "node:module";
import { join } from "node:path";

/**
 * Where compiled modules are kept from one process to the next: types are stripped and code is compiled once for all
 * test files, the commands they start and their threads, not once for each. Keyed by file and content, so it need not
 * be cleared.
 */
const FOLDER = join(import.meta.dirname, "output/compile-cache");

// Loaded before each test file, and by the runner, whose environment is inherited by the test files and everything they
// start.
process.env["NODE_COMPILE_CACHE"] ??= FOLDER;
enableCompileCache(process.env["NODE_COMPILE_CACHE"]);
