import type { Answer, GroupAnswer } from "./_answer.ts";
import type { Command } from "./command.ts";
import { StoreError } from "./store-error.ts";

/** Of a group: commands, of which a batch counts as many times as it has items. */
const MAX_WEIGHT = 512;
/** A batch of more items has a group of its own. */
const LARGE_BATCH = 256;

interface Waiting {
  readonly command: Command;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

/**
 * Joins commands to groups: what arrives while a group is being committed makes the next one. So a lone command never
 * waits for company, and under load many share one fsync.
 */
export class CommandQueue {
  readonly #execute: (commands: readonly Command[]) => Promise<GroupAnswer>;
  readonly #arrived: (answer: GroupAnswer) => Promise<void>;
  #waiting: Waiting[] = [];
  #running: Promise<void> | undefined;
  #closed = false;

  /** `arrived` is called with each group's answer, in order; its commands are answered when its promise resolves. */
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

  /** Resolves when all that was pushed has been answered; more is rejected. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    await Promise.resolve(); // what is pushed in the same turn joins the first group
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
      // One that the database rejects must not harm the others: each alone. A StoreError is about the database itself.
      if (group.length > 1 && !(error instanceof StoreError))
        for (const waiting of group) await this.#runGroup([waiting]);
      else for (const { reject } of group) reject(error);
    }
  }
}

function weightOf(command: Command): number {
  return command.kind === "batch-rules" ? Math.max(1, command.items.length) : 1;
}

/** Commands that take long, or after which others of the group would see their ruleset otherwise. */
function isLarge(command: Command): boolean {
  // What version a ruleset has after commands of the same group is known only when they are written; what a rule is, at
  // once.
  if (
    "ifMatch" in command &&
    command.ifMatch !== undefined &&
    command.ifMatch.versions.length + command.ifMatch.lists.length > 0
  )
    return true;
  if (command.kind === "batch-rules") return command.items.length > LARGE_BATCH;
  return (
    command.kind === "replace-rules" ||
    command.kind === "import-rules" ||
    command.kind === "restore-rules" ||
    command.kind === "delete-ruleset" ||
    command.kind === "restore-ruleset"
  );
}
