import type { ChildProcess } from "node:child_process";

/** Child to parent: the contender could not be loaded or threw. */
export interface Failed {
  readonly type: "failed";
  readonly message: string;
}

/** Sends one message and waits for the report on it; a process that ends instead of answering is a failure. */
export function ask<Answer>(child: ChildProcess, question: object): Promise<Answer | Failed> {
  return new Promise((resolve) => {
    const onMessage = (report: Answer | Failed): void => {
      child.off("exit", onExit);
      resolve(report);
    };
    const onExit = (code: number | null, signal: string | null): void => {
      child.off("message", onMessage);
      resolve({ type: "failed", message: `the process ended with ${code ?? signal}` });
    };
    child.once("message", onMessage).once("exit", onExit).send(question);
  });
}

/** In the child: sends what `answer` makes of every message, or why it threw. */
export function answerWith<Question, Answer extends object>(answer: (question: Question) => Promise<Answer>): void {
  process.on("message", async (question: Question) => {
    process.send!(
      await answer(question).catch((error: unknown): Failed => ({
        type: "failed",
        message: error instanceof Error ? (error.stack ?? error.message) : String(error),
      })),
    );
  });
}
