import type { Answer } from "../_answer.ts";
import type { CarvedColumns } from "../../rulesets/rule-columns.ts";
import type { Command, ImportRulesCommand } from "../command.ts";
import { countOf } from "../decide/_rule-limits.ts";
import type { UnskippedPart } from "../sql/commands/_unskipped-rules.ts";
import { StoreError } from "../store-error.ts";

/** A shorter list takes some milliseconds in its transaction. */
const MIN_RULES = 1000;

type ReadPart = (command: Omit<ImportRulesCommand, "rules">, part: CarvedColumns) => Promise<UnskippedPart | null>;
type Push = (command: Command) => Promise<Answer>;

/**
 * Finds out which rules of a long list an import would skip before it is queued, part by part, so that the commands of
 * others run in between: in its transaction, they would wait for all of it. Further commands about the same ruleset wait
 * until the import has settled, as they would in the queue.
 */
export class PreparedImports {
  readonly #read: ReadPart;
  readonly #push: Push;
  /** The last import of each ruleset; resolves when it has settled. */
  readonly #running = new Map<string, Promise<void>>();

  constructor(read: ReadPart, push: Push) {
    this.#read = read;
    this.#push = push;
  }

  push(command: Command): Promise<Answer> {
    const before = "rulesetId" in command ? this.#running.get(command.rulesetId) : undefined;
    if (isPreparable(command)) return this.#pushImport(command, before);
    return before === undefined ? this.#push(command) : before.then(() => this.#push(command));
  }

  /** Resolves when everything that was pushed is in the queue. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.values());
  }

  #pushImport(command: ImportRulesCommand, before = Promise.resolve()): Promise<Answer> {
    const { rulesetId } = command;
    const answer = before.then(() => this.#prepared(command)).then((prepared) => this.#push(prepared));
    const settled = answer.then(
      () => {},
      () => {},
    );
    this.#running.set(rulesetId, settled);
    void settled.then(() => {
      if (this.#running.get(rulesetId) === settled) this.#running.delete(rulesetId);
    });
    return answer;
  }

  /** With what was found out. Nothing, if the ruleset changes meanwhile or the database fails. */
  async #prepared(command: ImportRulesCommand): Promise<ImportRulesCommand> {
    const { rules, ...about } = command;
    const indexes: Uint32Array[] = [];
    let version: number | undefined;
    try {
      for (const part of rules) {
        const found = await this.#read(about, part);
        if (found === null || found.version !== (version ??= found.version)) return command;
        indexes.push(found.indexes);
      }
    } catch (error) {
      if (error instanceof StoreError) return command;
      throw error;
    }
    return version === undefined ? command : { ...command, unskipped: { version, indexes } };
  }
}

/** The other modes skip nothing. */
function isPreparable(command: Command): command is ImportRulesCommand {
  return (
    command.kind === "import-rules" &&
    (command.mode === "skip" || command.mode === "extend") &&
    countOf(command.rules) >= MIN_RULES
  );
}
