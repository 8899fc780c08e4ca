import { parentPort } from "node:worker_threads";
import { Snapshot } from "../../snapshot/snapshot.ts";
import { ShardRunner } from "./_shard-runner.ts";
import type { WorkerAnswer, WorkerFailure, WorkerSetup, WorkerTask } from "./messages.ts";

const port = parentPort!;

/**
 * The first message says what for; the others are shards, done as they come: while one is read, another is worked on.
 */
port.once("message", (setup: WorkerSetup) => {
  const runner = ShardRunner.create(Snapshot.attach(setup.snapshot), setup.work, setup.thread);
  /** Shards that wait for the number of their first line. */
  const asking = new Map<number, (firstLine: number) => void>();
  const post = (message: WorkerAnswer): void => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    port.postMessage(message);
  };
  const answer = async (number: number, work: () => Promise<WorkerAnswer>): Promise<void> => {
    post(await work().catch((cause) => ({ number, failure: failureOf(cause) })));
  };
  void answer(-1, async () => (await runner, { number: -1, result: null }));
  port.on("message", (task: WorkerTask) => {
    const { number } = task;
    const ask = (textLines: number): Promise<number> => {
      post({ number, textLines });
      return new Promise((resolve) => asking.set(number, resolve));
    };
    if ("shard" in task)
      void answer(number, async () => ({ number, result: await (await runner).run(task.shard, ask) }));
    else if ("collect" in task) void answer(number, async () => ({ number, addresses: (await runner).collect() }));
    else {
      asking.get(number)!(task.firstLine);
      asking.delete(number);
    }
  });
});

function failureOf(cause: unknown): WorkerFailure {
  const { code, syscall } = cause as NodeJS.ErrnoException;
  return { message: String(cause), code, syscall };
}
