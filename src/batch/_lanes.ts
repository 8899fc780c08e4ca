import type { Piscina } from "piscina";
import type { Snapshot } from "../snapshot/open-snapshot.ts";
import type { ShardRunner } from "./_shard-runner.ts";
import { BatchError } from "./batch-error.ts";
import type { ChunkShard, FileShard, ShardResult, ShardWork, WorkerSetup, WorkerTask } from "./messages.ts";

/** Shards a thread has at a time: one that it works on, one that is being read or waits. */
const PER_THREAD = 2;

/**
 * Where shards are run: this thread, and a pool of workers once `startWorkers` is called. Until a worker is up it gets no
 * shards, so that nothing waits for it.
 */
export class Lanes {
  readonly #main: ShardRunner;
  readonly #onRoom: () => void;
  readonly #running = new Set<Promise<unknown>>();
  #pool: Promise<Piscina<WorkerTask, ShardResult | null>> | undefined;
  #mainBusy = 0;
  #poolBusy = 0;
  #poolRoom = 0;
  #failure: BatchError | undefined;

  /** `onRoom` is called whenever `hasRoom` may have become true. */
  constructor(main: ShardRunner, onRoom: () => void) {
    this.#main = main;
    this.#onRoom = onRoom;
  }

  get hasWorkers(): boolean {
    return this.#pool !== undefined;
  }

  /** Starts `count` workers; what comes of it shows in `hasRoom` and in `run`. */
  startWorkers(count: number, snapshot: Snapshot, work: ShardWork): void {
    this.#pool = createPool(count, { snapshot: snapshot.shared, work, turn: new SharedArrayBuffer(4) });
    for (let worker = 0; worker < count; worker++) {
      void this.#greet().then(() => this.#onRoom());
    }
  }

  /** Waits until a worker is up. */
  async #greet(): Promise<void> {
    try {
      await (await this.#pool!).run({ kind: "greeting" });
      this.#poolRoom += PER_THREAD;
    } catch (cause) {
      this.#failure ??= new BatchError("worker-failed", `a worker could not start (${String(cause)}); run with one thread`, { cause });
    }
  }

  hasRoom(): boolean {
    return this.#poolBusy < this.#poolRoom || this.#mainBusy < PER_THREAD || this.#failure !== undefined;
  }

  async run(shard: FileShard | ChunkShard): Promise<ShardResult> {
    if (this.#failure !== undefined) throw this.#failure;
    const running = this.#poolBusy < this.#poolRoom ? this.#runInPool(shard) : this.#runHere(shard);
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
      this.#onRoom();
    }
  }

  async #runInPool(shard: FileShard | ChunkShard): Promise<ShardResult> {
    this.#poolBusy++;
    try {
      return (await (await this.#pool!).run(shard))!;
    } finally {
      this.#poolBusy--;
    }
  }

  async #runHere(shard: FileShard | ChunkShard): Promise<ShardResult> {
    this.#mainBusy++;
    try {
      return await this.#main.run(shard);
    } finally {
      this.#mainBusy--;
    }
  }

  /** Ends the workers, with whatever they are doing; when this resolves, no shard is being read any more. */
  async close(): Promise<void> {
    await (await this.#pool)?.destroy();
    await Promise.allSettled(this.#running);
  }
}

/** The package is loaded when workers are needed: small inputs should not pay for it. */
async function createPool(count: number, setup: WorkerSetup): Promise<Piscina<WorkerTask, ShardResult | null>> {
  const { Piscina } = await import("piscina");
  return new Piscina<WorkerTask, ShardResult | null>({
    // The sources run as they are and as compiled.
    filename: new URL(`./shard-worker${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`, import.meta.url).href,
    workerData: setup,
    minThreads: count,
    maxThreads: count,
    concurrentTasksPerWorker: PER_THREAD,
    recordTiming: false,
  });
}
