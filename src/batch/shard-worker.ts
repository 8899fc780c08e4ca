import { parentPort } from "node:worker_threads";
import { Snapshot } from "../snapshot/open-snapshot.ts";
import { ShardRunner } from "./_shard-runner.ts";
import type { WorkerAnswer, WorkerFailure, WorkerSetup, WorkerTask } from "./messages.ts";

const port = parentPort!;

/** The first message says what for; the others are shards, done as they come: while one is read, another is worked on. */
port.once("message", (setup: WorkerSetup) => {
  const runner = ShardRunner.create(Snapshot.attach(setup.snapshot), setup.work, setup.thread);
  const answer = async (number: number, work: () => Promise<WorkerAnswer>): Promise<void> => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    port.postMessage(await work().catch((cause) => ({ number, failure: failureOf(cause) })));
  };
  void answer(-1, async () => (await runner, { number: -1, result: null }));
  port.on("message", ({ number, shard }: WorkerTask) => {
    void answer(number, async () => ({ number, result: await (await runner).run(shard) }));
  });
});

function failureOf(cause: unknown): WorkerFailure {
  const { code, syscall } = cause as NodeJS.ErrnoException;
  return { message: String(cause), code, syscall };
}
