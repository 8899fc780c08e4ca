import type { FromProcess, ToProcess } from "./messages.ts";

/** Milliseconds within which a process must answer. */
const ANSWER_WITHIN = 5000;

/** A process that asks others and answers them. */
export interface Peer {
  send(message: ToProcess): void;
}

interface Question {
  readonly waitingFor: Set<Peer>;
  readonly answers: unknown[];
  /** Answers the process that asked. */
  end(): void;
}

/** Questions that a process has asked all others, and that are not answered yet. */
export class Questions {
  readonly #open = new Map<number, Question>();
  #last = 0;

  /** Asks the others. Their answers are sent when all have answered, or after some seconds. */
  ask(asking: Peer, { id, name, argument }: Extract<FromProcess, { kind: "ask" }>, others: Iterable<Peer>): void {
    const own = ++this.#last;
    const answers: unknown[] = [];
    const end = (): void => {
      clearTimeout(timer);
      this.#open.delete(own);
      asking.send({ kind: "answers", id, answers });
    };
    const timer = setTimeout(end, ANSWER_WITHIN);
    const waitingFor = new Set(others);
    this.#open.set(own, { waitingFor, answers, end });
    for (const each of waitingFor) each.send({ kind: "asked", id: own, name, argument });
    if (waitingFor.size === 0) end();
  }

  /** Takes an answer; undefined: it has none. */
  answered(by: Peer, { id, answer }: Extract<FromProcess, { kind: "answer" }>): void {
    const question = this.#open.get(id);
    if (question === undefined) return;
    if (answer !== undefined) question.answers.push(answer);
    this.#leave(question, by);
  }

  /** A process has ended: its answers are no longer waited for. */
  ended(process: Peer): void {
    for (const question of this.#open.values()) this.#leave(question, process);
  }

  #leave({ waitingFor, end }: Question, process: Peer): void {
    if (waitingFor.delete(process) && waitingFor.size === 0) end();
  }
}
