#!/usr/bin/env node

import { NODE_VERSION, nodeVersionError } from "../runtime/node-version.ts";

const problem = nodeVersionError(NODE_VERSION);
if (problem !== undefined) {
  process.stderr.write(`${problem}\n`);
  process.exit(2);
}

// Starting takes 50 ms. Savings: the compiled code of everything loaded from here on is kept (6 ms for the command alone,
// see build/compiled-script.ts), and msgpackr does not look for its native part, which pays off only for documents of
// megabytes (8 ms).
(await import("./compile-cache.ts")).cacheCompiledCode();
process.env["MSGPACKR_NATIVE_ACCELERATION_DISABLED"] ??= "true";
process.exitCode = await runCommandLine(process.argv.slice(2));

/** `identify` and `lookup` are packed apart: half as much to load and to run starts them 10 ms sooner. */
async function runCommandLine(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  const asksForHelp = rest.includes("--help") || rest.includes("-h");
  if (name === "identify" && !asksForHelp) return (await import("./start-identify.ts")).run(rest);
  if (name === "lookup" && !asksForHelp) return (await import("./start-lookup.ts")).run(rest);
  return (await import("./command-line.ts")).runCommandLine(args);
}
