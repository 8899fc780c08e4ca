import type { FromProcess, ToProcess } from "./messages.ts";

/** Milliseconds that the answer of a process is waited for. */
const PATIENCE = 5000;

/** A process that can be asked. */
export interface Asked {
  send(message: ToProcess): void;
}

interface Question {
  readonly waitingFor: Set<Asked>;
  readonly answers: unknown[];
  /** Answers the process that asked. */
  end(): void;
}

/** Questions of one process to all others, which have not been answered yet. */
export class Questions {
  readonly #open = new Map<number, Question>();
  #last = 0;

  /** Asks the others. Their answers are sent when all have answered, or after some seconds. */
  ask(asking: Asked, { id, name, argument }: Extract<FromProcess, { kind: "ask" }>, others: Iterable<Asked>): void {
    const own = ++this.#last;
    const answers: unknown[] = [];
    const end = (): void => {
      clearTimeout(timer);
      this.#open.delete(own);
      asking.send({ kind: "answers", id, answers });
    };
    const timer = setTimeout(end, PATIENCE);
    const waitingFor = new Set(others);
    this.#open.set(own, { waitingFor, answers, end });
    for (const each of waitingFor) each.send({ kind: "asked", id: own, name, argument });
    if (waitingFor.size === 0) end();
  }

  /** Takes an answer; undefined: it has none. */
  answered(by: Asked, { id, answer }: Extract<FromProcess, { kind: "answer" }>): void {
    const question = this.#open.get(id);
    if (question === undefined) return;
    if (answer !== undefined) question.answers.push(answer);
    this.#leave(question, by);
  }

  /** A process has ended: nothing is expected of it any more. */
  ended(process: Asked): void {
    for (const question of this.#open.values()) this.#leave(question, process);
  }

  #leave({ waitingFor, end }: Question, process: Asked): void {
    if (waitingFor.delete(process) && waitingFor.size === 0) end();
  }
}
