import type { Command } from "./command.ts";

/** Whether it may write a million rules: it is in a group of its own. */
export function takesLong({ kind }: Command): boolean {
  return (
    kind === "replace-rules" ||
    kind === "import-rules" ||
    kind === "restore-rules" ||
    kind === "delete-ruleset" ||
    kind === "restore-ruleset"
  );
}
