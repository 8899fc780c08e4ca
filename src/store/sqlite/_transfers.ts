import type { RuleColumns } from "../../rulesets/rule-columns.ts";
import type { Change } from "../change.ts";
import type { Command } from "../command.ts";

/**
 * Buffers that are transferred to another thread without a copy, and become unusable here: the columns of rules with
 * packed names.
 */
export function buffersIn(parts: Iterable<RuleColumns>): ArrayBuffer[] {
  const buffers = new Set<ArrayBuffer>();
  for (const { words, lengths, names, expiresAt, createdAt, updatedAt } of parts) {
    if (!("numbers" in names)) continue;
    for (const { buffer } of [words, lengths, names.text, names.ends, names.numbers, expiresAt, createdAt, updatedAt])
      buffers.add(buffer as ArrayBuffer);
  }
  return [...buffers];
}

export function columnsOfCommands(commands: readonly Command[]): readonly RuleColumns[] {
  return commands.flatMap((command) =>
    command.kind === "replace-rules" || command.kind === "import-rules" ? command.rules : [],
  );
}

export function columnsOfChanges(changes: readonly Change[]): readonly RuleColumns[] {
  return changes.flatMap((change) => (change.kind === "rules-replaced" ? change.rules : []));
}
