import type { MessagePort } from "node:worker_threads";
import type { Snapshot } from "../../snapshot/snapshot.ts";
import { failureOf } from "../threads/thread-failure.ts";
import { ShardRunner } from "./_shard-runner.ts";
import type { WorkerAnswer, WorkerSetup, WorkerTask } from "../engine/messages.ts";

/**
 * A worker's part of a run: processes the shards that come over the port, reading one while it processes another, until
 * it receives the end.
 */
export class ShardService {
  readonly #port: MessagePort;
  readonly #runner: Promise<ShardRunner>;
  /** Shards that wait for the number of their first line. */
  readonly #asking = new Map<number, { resolve: (firstLine: number) => void; reject: (cause: Error) => void }>();
  readonly #running = new Set<Promise<void>>();
  #isEnding = false;

  constructor(port: MessagePort, attach: () => Snapshot, { work, thread }: WorkerSetup) {
    this.#port = port;
    this.#runner = Promise.resolve().then(() => ShardRunner.create(attach(), work, thread));
  }

  /** Resolves when the end was received, and nothing of the run is in use any more. */
  async untilEnd(): Promise<void> {
    const ended = new Promise<void>((resolve) => {
      this.#port.on("message", (task: WorkerTask) => {
        if ("end" in task) resolve();
        else this.#do(task);
      });
      this.#port.on("close", resolve);
    });
    this.#answer(-1, async () => (await this.#runner, { number: -1, result: null }));
    await ended;
    this.#isEnding = true;
    for (const { reject } of this.#asking.values()) reject(new Error("the run is over"));
    await Promise.all(this.#running);
    this.#port.close();
  }

  #do(task: Exclude<WorkerTask, { end: true }>): void {
    const { number } = task;
    if ("firstLine" in task) this.#asking.get(number)?.resolve(task.firstLine);
    else if ("collect" in task)
      this.#answer(number, async () => ({ number, addresses: (await this.#runner).collect() }));
    else
      this.#answer(number, async () => ({
        number,
        result: await (await this.#runner).run(task.shard, this.#asks(number)),
      }));
  }

  #asks(number: number): (textLines: number) => Promise<number> {
    return async (textLines) => {
      const firstLine = new Promise<number>((resolve, reject) => this.#asking.set(number, { resolve, reject }));
      this.#post({ number, textLines });
      if (this.#isEnding) this.#asking.get(number)!.reject(new Error("the run is over"));
      return firstLine.finally(() => this.#asking.delete(number));
    };
  }

  #answer(number: number, work: () => Promise<WorkerAnswer>): void {
    const running = work()
      .catch((cause) => ({ number, failure: failureOf(cause) }))
      .then((answer) => {
        this.#running.delete(running);
        this.#post(answer);
      });
    this.#running.add(running);
  }

  #post(message: WorkerAnswer): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    this.#port.postMessage(message);
  }
}
