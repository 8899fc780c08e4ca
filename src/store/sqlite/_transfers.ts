import type { CarvedColumns, RuleColumns } from "../../rulesets/rule-columns.ts";
import type { Change } from "../change.ts";
import type { Command, ImportRulesCommand } from "../command.ts";

/**
 * Buffers that are transferred to another thread without a copy, and become unusable here: the columns of rules with
 * packed names.
 */
export function buffersIn(parts: Iterable<CarvedColumns>): ArrayBuffer[] {
  const buffers = new Set<ArrayBuffer>();
  for (const { words, lengths, names, expiresAt, createdAt, updatedAt, carved } of parts) {
    if (!("numbers" in names)) continue;
    for (const { buffer } of [words, lengths, names.text, names.ends, names.numbers, expiresAt, createdAt, updatedAt])
      buffers.add(buffer as ArrayBuffer);
    for (const { buffer } of carved === undefined ? [] : [carved.named, carved.part])
      buffers.add(buffer as ArrayBuffer);
  }
  return [...buffers];
}

export function columnsOfCommands(commands: readonly Command[]): readonly CarvedColumns[] {
  return commands.flatMap((command) =>
    command.kind === "replace-rules" || command.kind === "import-rules" ? command.rules : [],
  );
}

export function columnsOfChanges(changes: readonly Change[]): readonly RuleColumns[] {
  return changes.flatMap((change) => (change.kind === "rules-replaced" ? change.rules : []));
}

/** For commands from another process: all their columns are in the buffer of the message, which cannot be transferred. */
export function withOwnBuffers(commands: readonly Command[]): readonly Command[] {
  return commands.map((command) => {
    if (command.kind === "replace-rules") return { ...command, rules: command.rules.map(copyOf) };
    return command.kind === "import-rules" ? withOwnColumns(command) : command;
  });
}

function withOwnColumns({ unskipped, ...command }: ImportRulesCommand): ImportRulesCommand {
  const own = { ...command, rules: command.rules.map(copyOf) };
  if (unskipped === undefined) return own;
  return { ...own, unskipped: { ...unskipped, indexes: unskipped.indexes.map((part) => part.slice()) } };
}

function copyOf({
  family,
  words,
  lengths,
  names,
  expiresAt,
  createdAt,
  updatedAt,
  carved,
}: CarvedColumns): CarvedColumns {
  return {
    family,
    words: words.slice(),
    lengths: lengths.slice(),
    names:
      "numbers" in names
        ? { text: names.text.slice(), ends: names.ends.slice(), numbers: names.numbers.slice() }
        : names,
    expiresAt: expiresAt.slice(),
    createdAt: createdAt.slice(),
    updatedAt: updatedAt.slice(),
    ...(carved && { carved: { named: carved.named.slice(), part: carved.part.slice() } }),
  };
}
