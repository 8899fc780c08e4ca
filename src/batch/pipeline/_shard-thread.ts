import type { MessagePort } from "node:worker_threads";
import type { AskFirstLine } from "./_shard-runner.ts";
import type { AddressCounts } from "../engine/address-counts.ts";
import { errorOf } from "../threads/thread-failure.ts";
import type { WorkerThreads } from "../threads/worker-threads.ts";
import type { Shard, ShardResult, WorkerAnswer, WorkerSetup, WorkerTask } from "../engine/messages.ts";

interface Waiting {
  readonly resolve: (answer: WorkerAnswer) => void;
  readonly reject: (cause: unknown) => void;
  readonly ask: AskFirstLine | null;
}

/**
 * One worker for the duration of a run, and the shards assigned to it. For the thread pool, the whole run is one task;
 * its shards go over a port of their own.
 */
export class ShardThread {
  readonly #port: MessagePort;
  readonly #task: Promise<void>;
  readonly #waiting = new Map<number, Waiting>();
  #tasks = 0;
  #failure: unknown;
  /** Resolves when the worker is running; rejects if it cannot start. */
  readonly up: Promise<unknown>;

  constructor(threads: WorkerThreads, setup: WorkerSetup) {
    const { MessageChannel } = process.getBuiltinModule("node:worker_threads");
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    port1.on("message", (answer: WorkerAnswer) => this.#answered(answer));
    this.up = this.#answerTo(-1);
    threads.ready().catch((cause) => this.#fail(cause));
    this.#task = threads.run<void>("runShards", { port: port2, setup }, [port2]).catch((cause) => this.#fail(cause));
  }

  /** How many shards it has that are not done. */
  get busy(): number {
    return this.#waiting.size;
  }

  async run(shard: Shard, ask: AskFirstLine | null): Promise<ShardResult> {
    const number = this.#tasks++;
    const answer = this.#answerTo(number, ask);
    this.#post({ number, shard });
    return ((await answer) as { result: ShardResult }).result;
  }

  /** As `ShardRunner.collect`. */
  async collect(): Promise<AddressCounts | null> {
    const number = this.#tasks++;
    const answer = this.#answerTo(number);
    this.#post({ number, collect: true });
    return ((await answer) as { addresses: AddressCounts | null }).addresses;
  }

  /** Releases the worker when its current shard is done; waiting shards are not started. */
  async end(): Promise<void> {
    this.#post({ end: true });
    await this.#task;
    this.drop();
  }

  /** Gives up its shards: the worker itself is ended, or has ended. */
  drop(): void {
    this.#fail(new Error("the run is over"));
    this.#port.close();
  }

  #post(message: WorkerTask): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    this.#port.postMessage(message);
  }

  #answerTo(number: number, ask: AskFirstLine | null = null): Promise<WorkerAnswer> {
    const answer = new Promise<WorkerAnswer>((resolve, reject) => {
      if (this.#failure !== undefined) return reject(this.#failure);
      this.#waiting.set(number, { resolve, reject, ask });
    });
    answer.catch(() => {}); // the run may be over before anyone waits for it
    return answer;
  }

  #answered(answer: WorkerAnswer): void {
    const { number } = answer;
    const waiting = this.#waiting.get(number);
    if (waiting === undefined) return; // it was given up
    if ("textLines" in answer) {
      waiting.ask!(answer.textLines).then((firstLine) => this.#post({ number, firstLine }), waiting.reject);
      return;
    }
    this.#waiting.delete(number);
    if ("failure" in answer) waiting.reject(errorOf(answer.failure));
    else waiting.resolve(answer);
  }

  #fail(cause: unknown): void {
    this.#failure ??= cause;
    for (const { reject } of this.#waiting.values()) reject(this.#failure);
    this.#waiting.clear();
  }
}
