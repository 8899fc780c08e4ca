import type { Snapshot } from "../../snapshot/snapshot.ts";
import type { AskFirstLine, ShardRunner } from "./_shard-runner.ts";
import { INPUT_BUFFERS as PER_THREAD } from "../engine/thread-sizes.ts";
import { ShardThread } from "./_shard-thread.ts";
import { BatchError } from "../batch-error.ts";
import { sharedSnapshot } from "../threads/share-snapshot.ts";
import { takeWorkers, type WorkerThreads } from "../threads/worker-threads.ts";
import type { AddressCounts } from "../engine/address-counts.ts";
import type { Shard, ShardResult, ShardWork, WorkerSetup } from "../engine/messages.ts";

/**
 * Where the shards of a run are processed: in this thread, and in workers once `startWorkers` is called. A worker gets
 * shards only once it is running, so nothing waits for it.
 */
export class RunThreads {
  readonly #main: ShardRunner;
  readonly #onRoom: () => void;
  readonly #pause: (() => Promise<void>) | undefined;
  readonly #running = new Set<Promise<unknown>>();
  readonly #workers: ShardThread[] = [];
  /** The workers that are running. */
  readonly #up: ShardThread[] = [];
  /** The pool of these workers; null: the run has workers of its own. */
  readonly #pool: WorkerThreads | null;
  #own: WorkerThreads | undefined;
  #mainBusy = 0;
  #failure: BatchError | undefined;

  /**
   * `onRoom` is called whenever `hasRoom` may have become true; `pause` is awaited before this thread processes a
   * shard.
   */
  constructor(
    main: ShardRunner,
    onRoom: () => void,
    pause: (() => Promise<void>) | undefined,
    pool: WorkerThreads | null,
  ) {
    this.#main = main;
    this.#pool = pool;
    this.#onRoom = onRoom;
    this.#pause = pause;
  }

  /** In this thread, which cuts inputs that are not read in ranges. */
  cutRecords(...piece: Parameters<ShardRunner["cutRecords"]>): ReturnType<ShardRunner["cutRecords"]> {
    return this.#main.cutRecords(...piece);
  }

  get hasWorkers(): boolean {
    return this.#workers.length > 0;
  }

  /** Starts up to `count` workers, or takes the idle ones of a pool; the effect shows in `hasRoom` and in `run`. */
  startWorkers(count: number, snapshot: Snapshot, work: ShardWork): void {
    const threads = this.#pool ?? (this.#own = takeWorkers(count));
    const workers = this.#pool === null ? count : Math.min(count, threads.idle);
    for (let thread = 1; thread <= workers; thread++)
      void this.#start(threads, { snapshot: sharedSnapshot(snapshot), work, thread }).then(() => this.#onRoom());
  }

  async #start(threads: WorkerThreads, setup: WorkerSetup): Promise<void> {
    try {
      const worker = new ShardThread(threads, setup);
      this.#workers.push(worker);
      await worker.up;
      this.#up.push(worker);
    } catch (cause) {
      this.#failure ??=
        cause instanceof BatchError
          ? cause
          : new BatchError("worker-failed", `a worker failed: ${String(cause)}`, { cause });
    }
  }

  hasRoom(): boolean {
    return this.#freeWorker() !== undefined || this.#mainBusy < PER_THREAD || this.#failure !== undefined;
  }

  /** The worker with the least to do, unless all have enough. */
  #freeWorker(): ShardThread | undefined {
    let free: ShardThread | undefined;
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

  /**
   * Completes what all threads have counted by match, in memory that they share, and returns what they have counted by
   * address.
   */
  async collect(): Promise<AddressCounts[]> {
    const counts = [this.#main.collect(), ...(await Promise.all(this.#up.map((worker) => worker.collect())))];
    return counts.filter((one) => one !== null);
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

  /**
   * Releases the workers: own ones are ended whatever they are doing, those of a pool when their current shard is done.
   * When this resolves, no shard is being read.
   */
  async close(): Promise<void> {
    if (this.#pool === null) {
      await this.#own?.close();
      for (const worker of this.#workers) worker.drop();
    } else {
      await Promise.all(this.#workers.map((worker) => worker.end()));
    }
    await Promise.allSettled(this.#running);
  }
}
