import type { Snapshot } from "../../snapshot/snapshot.ts";
import type { AskFirstLine, ShardRunner } from "./_shard-runner.ts";
import { INPUT_BUFFERS as PER_THREAD } from "../engine/thread-sizes.ts";
import { ShardWorker } from "./worker-thread.ts";
import { BatchError } from "../batch-error.ts";
import type { AddressCounts } from "../address-counts.ts";
import type { Shard, ShardResult, ShardWork } from "./messages.ts";

/**
 * Where shards are run: this thread, and workers once `startWorkers` is called. Until a worker is up it gets no shards,
 * so that nothing waits for it.
 */
export class WorkerPool {
  readonly #main: ShardRunner;
  readonly #onRoom: () => void;
  readonly #pause: (() => Promise<void>) | undefined;
  readonly #running = new Set<Promise<unknown>>();
  readonly #workers: ShardWorker[] = [];
  /** The workers that are up. */
  readonly #up: ShardWorker[] = [];
  #mainBusy = 0;
  #failure: BatchError | undefined;

  /**
   * `onRoom` is called whenever `hasRoom` may have become true, `pause` is awaited before this thread works on a shard.
   */
  constructor(main: ShardRunner, onRoom: () => void, pause: (() => Promise<void>) | undefined) {
    this.#main = main;
    this.#onRoom = onRoom;
    this.#pause = pause;
  }

  get hasWorkers(): boolean {
    return this.#workers.length > 0;
  }

  /** Starts `count` workers; what comes of it shows in `hasRoom` and in `run`. */
  startWorkers(count: number, snapshot: Snapshot, work: ShardWork): void {
    for (let thread = 1; thread <= count; thread++) void this.#start(thread, snapshot, work).then(() => this.#onRoom());
  }

  async #start(thread: number, snapshot: Snapshot, work: ShardWork): Promise<void> {
    try {
      const worker = new ShardWorker({ snapshot: snapshot.shared, work, thread });
      this.#workers.push(worker);
      await worker.up;
      this.#up.push(worker);
    } catch (cause) {
      this.#failure ??= new BatchError(
        "worker-failed",
        `a worker could not start (${String(cause)}); run with one thread`,
        { cause },
      );
    }
  }

  hasRoom(): boolean {
    return this.#freeWorker() !== undefined || this.#mainBusy < PER_THREAD || this.#failure !== undefined;
  }

  /** The worker with the least to do, unless all have enough. */
  #freeWorker(): ShardWorker | undefined {
    let free: ShardWorker | undefined;
    for (const worker of this.#up) if (worker.busy < (free?.busy ?? PER_THREAD)) free = worker;
    return free;
  }

  async run(shard: Shard, ask: AskFirstLine): Promise<ShardResult> {
    if (this.#failure !== undefined) throw this.#failure;
    const running = this.#freeWorker()?.run(shard, ask) ?? this.#runHere(shard, ask);
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
      this.#onRoom();
    }
  }

  /** The lines by address that all threads have counted. */
  async collect(): Promise<AddressCounts[]> {
    return [this.#main.collect(), ...(await Promise.all(this.#up.map((worker) => worker.collect())))];
  }

  async #runHere(shard: Shard, ask: AskFirstLine): Promise<ShardResult> {
    this.#mainBusy++;
    try {
      await this.#pause?.();
      return await this.#main.run(shard, ask);
    } finally {
      this.#mainBusy--;
    }
  }

  /** Ends the workers, with whatever they are doing; when this resolves, no shard is being read any more. */
  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.close()));
    await Promise.allSettled(this.#running);
  }
}
