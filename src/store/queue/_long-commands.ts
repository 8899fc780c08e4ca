import type { Command } from "../command.ts";

/** Whether the command may write a million rules: such a command gets a group of its own. */
export function takesLong({ kind }: Command): boolean {
  return (
    kind === "replace-rules" ||
    kind === "import-rules" ||
    kind === "restore-rules" ||
    kind === "delete-ruleset" ||
    kind === "restore-ruleset"
  );
}
