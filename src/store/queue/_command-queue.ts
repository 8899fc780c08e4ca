import type { Answer, GroupAnswer } from "../_answer.ts";
import { takesLong, type Command } from "../command.ts";
import { StoreError } from "../store-error.ts";

/** Maximum weight of a group: a command counts once, a batch once per item. */
const MAX_WEIGHT = 512;
/** A batch with more items gets a group of its own. */
const LARGE_BATCH = 256;

interface Waiting {
  readonly command: Command;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

/**
 * Joins commands to groups: what arrives while a group is being committed forms the next one. So a single command never
 * waits for others, and under load many share one fsync.
 */
export class CommandQueue {
  readonly #execute: (commands: readonly Command[]) => Promise<GroupAnswer>;
  readonly #arrived: (answer: GroupAnswer) => Promise<void>;
  #waiting: Waiting[] = [];
  #running: Promise<void> | undefined;
  #closed = false;

  /** `arrived` is called with each group's results, in order; its commands settle when its promise resolves. */
  constructor(
    execute: (commands: readonly Command[]) => Promise<GroupAnswer>,
    arrived: (answer: GroupAnswer) => Promise<void>,
  ) {
    this.#execute = execute;
    this.#arrived = arrived;
  }

  push(command: Command): Promise<Answer> {
    if (this.#closed) return Promise.reject(new StoreError("closed", "the store was closed"));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ command, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** Resolves when everything that was pushed has settled; further commands are rejected. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    await Promise.resolve(); // commands pushed in the same turn join the first group
    while (this.#waiting.length > 0) await this.#runGroup(this.#takeGroup());
    this.#running = undefined;
  }

  #takeGroup(): Waiting[] {
    let [count, weight] = [0, 0];
    for (const { command } of this.#waiting) {
      weight += weightOf(command);
      if (count > 0 && (isLarge(command) || weight > MAX_WEIGHT)) break;
      count++;
      if (isLarge(command)) break;
    }
    return this.#waiting.splice(0, count);
  }

  async #runGroup(group: readonly Waiting[]): Promise<void> {
    try {
      const answer = await this.#execute(group.map(({ command }) => command));
      void this.#arrived(answer).then(() => group.forEach(({ resolve }, index) => resolve(answer.answers[index]!)));
    } catch (error) {
      // If the database rejects one command, each is tried alone, so that the others still succeed. A StoreError is
      // about the database itself.
      if (group.length > 1 && !(error instanceof StoreError))
        for (const waiting of group) await this.#runGroup([waiting]);
      else for (const { reject } of group) reject(error);
    }
  }
}

function weightOf(command: Command): number {
  return command.kind === "batch-rules" ? Math.max(1, command.items.length) : 1;
}

/** Commands that take long, or that change how later commands of the group see their ruleset. */
function isLarge(command: Command): boolean {
  // The version of a ruleset after commands of the same group is known only when they are written; a rule's content is
  // known immediately.
  if (
    "ifMatch" in command &&
    command.ifMatch !== undefined &&
    command.ifMatch.versions.length + command.ifMatch.lists.length > 0
  )
    return true;
  if (command.kind === "batch-rules") return command.items.length > LARGE_BATCH;
  return takesLong(command);
}
