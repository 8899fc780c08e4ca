import { identifyCommand } from "./commands/identify.ts";
import { runCommand } from "./runner/run-command.ts";

/** `identify` in a file of its own: see `main.ts`. */
export function run(args: readonly string[]): Promise<number> {
  return runCommand(identifyCommand, args);
}
