#!/usr/bin/env node
import { COMMANDS } from "./command-table.ts";
import { EXIT } from "./command.ts";
import { reportError } from "./report-error.ts";

/** Runs one command line and returns its exit code. */
async function main(args: readonly string[]): Promise<number> {
  const [first = "--help", ...rest] = args;
  if (first === "--version" || first === "-V") return (await import("./commands/help.ts")).printVersion();
  if (first === "--help" || first === "-h") return main(["help"]);
  const load = Object.hasOwn(COMMANDS, first) ? COMMANDS[first] : undefined;
  if (load === undefined) return (await import("./commands/help.ts")).refuseCommand(first);
  const end = rest.indexOf("--");
  const flags = end < 0 ? rest : rest.slice(0, end);
  if (flags.includes("--help") || flags.includes("-h")) return main(["help", first]);
  const command = await load();
  const { parseArguments } = await import("./parse-arguments.ts");
  return command.run(parseArguments(command, rest));
}

// A reader that has seen enough (`ipsieve ... | head`) closes the pipe: that is its right, and no error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") return;
  error.message = `standard output: ${error.message}`;
  reportError(error);
  process.exit(EXIT.error);
});

// Two savings of a start that takes 70 ms: compiled code is kept (10 ms), and msgpackr is not to look for its native part,
// which pays for documents of megabytes (8 ms).
process.getBuiltinModule("node:module").enableCompileCache();
process.env["MSGPACKR_NATIVE_ACCELERATION_DISABLED"] ??= "true";
try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.exitCode = reportError(error);
}
