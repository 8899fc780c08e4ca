import { lookupCommand } from "./commands/lookup.ts";
import { runCommand } from "./runner/run-command.ts";

/** `lookup` in a file of its own: see `main.ts`. */
export function run(args: readonly string[]): Promise<number> {
  return runCommand(lookupCommand, args);
}
