import type { Command } from "./command.ts";
import { guardStandardOutput } from "./standard-output.ts";
import { parseArguments } from "./parse-arguments.ts";
import { reportError } from "./report-error.ts";
import { rejectUnknownVariables } from "./unknown-variables.ts";

/** Runs a command with the arguments after its name and returns its exit code; errors have been reported by then. */
export async function runCommand(command: Command, args: readonly string[]): Promise<number> {
  try {
    await rejectUnknownVariables();
    if (command.guardsItsOutput !== true) guardStandardOutput();
    return await command.run(parseArguments(command, args));
  } catch (error) {
    return reportError(error);
  }
}
