import { COMMAND_TABLE, splitName } from "./command-table.ts";
import { fullName } from "./runner/command.ts";
import { reportError } from "./runner/report-error.ts";

/** Runs one command line and returns its exit code; errors have been reported by then. */
export async function runCommandLine(args: readonly string[]): Promise<number> {
  try {
    return await run(args);
  } catch (error) {
    return reportError(error);
  }
}

async function run(args: readonly string[]): Promise<number> {
  const [first = "--help"] = args;
  if (first === "--version" || first === "-V") return (await import("./commands/help.ts")).printVersion();
  if (first === "--help" || first === "-h") return run(["help"]);
  const { name, rest } = splitName(args);
  const end = rest.indexOf("--");
  const flags = end < 0 ? rest : rest.slice(0, end);
  if (flags.includes("--help") || flags.includes("-h")) return run(["help", ...name.split(" ")]);
  const { commands } = COMMAND_TABLE;
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (load === undefined) return (await import("./commands/help.ts")).rejectCommand(COMMAND_TABLE, name);
  const { runCommand } = await import("./runner/run-command.ts");
  return runCommand({ ...(await load()), name: fullName(COMMAND_TABLE, name) }, rest);
}
