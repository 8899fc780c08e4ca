import type { Worker } from "node:worker_threads";
import type { AskFirstLine } from "./_shard-runner.ts";
import type { AddressCounts } from "../address-counts.ts";
import type { Shard, ShardResult, WorkerAnswer, WorkerFailure, WorkerSetup, WorkerTask } from "./messages.ts";

/** Workers that have been started ahead and not been given work. */
const spare: Worker[] = [];

/**
 * Starts so many workers ahead of the run that will need them: a thread takes some 30 ms to come up, which is well
 * spent while the calling thread opens a snapshot. They do not keep the process alive.
 */
export function startWorkersAhead(count: number): void {
  while (spare.length < count) {
    const worker = startWorker();
    worker.once("error", () => {}); // the run that takes it starts it anew
    worker.once("exit", () => {
      const place = spare.indexOf(worker);
      if (place >= 0) spare.splice(place, 1);
    });
    spare.push(worker);
  }
}

/** Not by `import`: most runs are over before a worker would be up, and should not pay for it. */
function startWorker(): Worker {
  const { Worker } = process.getBuiltinModule("node:worker_threads");
  // The sources run as they are and as compiled.
  const worker = new Worker(
    new URL(`./shard-worker${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`, import.meta.url),
  );
  worker.unref();
  return worker;
}

interface Waiting {
  readonly resolve: (answer: WorkerAnswer) => void;
  readonly reject: (cause: unknown) => void;
  readonly ask: AskFirstLine | null;
}

/** One worker and the shards it has been given. */
export class ShardWorker {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #tasks = 0;
  #failure: Error | undefined;
  /** Resolves when the worker is up; rejects when it cannot start. */
  readonly up: Promise<unknown>;

  constructor(setup: WorkerSetup) {
    this.#worker = spare.pop() ?? startWorker();
    this.#worker.ref();
    this.#worker.on("message", (answer: WorkerAnswer) => this.#answered(answer));
    this.#worker.on("error", (cause) => this.#fail(cause));
    this.#worker.on("exit", (code) => this.#fail(new Error(`it ended with exit code ${code}`)));
    this.up = this.#answerTo(-1);
    this.#post(setup);
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

  /** The lines by address that it has counted. */
  async collect(): Promise<AddressCounts> {
    const number = this.#tasks++;
    const answer = this.#answerTo(number);
    this.#post({ number, collect: true });
    return ((await answer) as { addresses: AddressCounts }).addresses;
  }

  #post(message: WorkerSetup | WorkerTask): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    this.#worker.postMessage(message);
  }

  /** Ends the worker with whatever it is doing. */
  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #answerTo(number: number, ask: AskFirstLine | null = null): Promise<WorkerAnswer> {
    return new Promise((resolve, reject) => {
      if (this.#failure !== undefined) return reject(this.#failure);
      this.#waiting.set(number, { resolve, reject, ask });
    });
  }

  #answered(answer: WorkerAnswer): void {
    const { number } = answer;
    const waiting = this.#waiting.get(number)!;
    if ("textLines" in answer) {
      waiting.ask!(answer.textLines).then((firstLine) => this.#post({ number, firstLine }), waiting.reject);
      return;
    }
    this.#waiting.delete(number);
    if ("failure" in answer) waiting.reject(errorOf(answer.failure));
    else waiting.resolve(answer);
  }

  #fail(cause: Error): void {
    this.#failure ??= cause;
    for (const { reject } of this.#waiting.values()) reject(this.#failure);
    this.#waiting.clear();
  }
}

function errorOf({ message, code, syscall }: WorkerFailure): Error {
  return Object.assign(new Error(message), { code, syscall });
}
