import type { Piscina } from "piscina";
import { BatchError } from "../batch-error.ts";

/** The tasks of a worker: the exports of `pool-worker.ts`. */
export type TaskName = "warmUp" | "runShards" | "help" | "forget";

/**
 * The worker threads of a pool or of one run, managed by piscina: it starts them, passes tasks to them, and replaces
 * those that die. They do not keep the process alive while they are idle.
 */
export class WorkerThreads {
  readonly count: number;
  #piscina: Piscina | undefined;
  #isClosed = false;
  readonly #opened: Promise<void>;
  readonly #ready: Promise<void>;
  #resolveReady!: () => void;
  #rejectReady!: (cause: BatchError) => void;

  constructor(count: number) {
    this.count = count;
    this.#ready = new Promise((resolve, reject) => {
      this.#resolveReady = resolve;
      this.#rejectReady = reject;
    });
    this.#ready.catch(() => {}); // for callers of ready()
    this.#opened = this.#open().catch((cause) => this.#failed(cause));
  }

  /** Resolves when all workers are running. Rejects with BatchError "worker-failed" if one cannot start. */
  ready(): Promise<void> {
    return this.#ready;
  }

  /** Workers that are running and idle. */
  get idle(): number {
    return this.#isClosed ? 0 : (this.#piscina?.idleThreads ?? 0);
  }

  /**
   * Runs a task in the next free worker. Rejects with BatchError "worker-failed" if the worker dies during the task; it
   * is replaced.
   */
  async run<Result>(name: TaskName, task: unknown, transferList: object[] = []): Promise<Result> {
    if (this.#piscina === undefined) await this.#opened; // after that, a task immediately counts in `idle`
    if (this.#piscina === undefined || this.#isClosed) await this.#notRunning();
    try {
      return await this.#piscina!.run(task, { name, transferList: transferList as never });
    } catch (cause) {
      if (!this.#isClosed) void this.#warmUp();
      throw new BatchError("worker-failed", `a worker failed: ${String(cause)}`, { cause });
    }
  }

  /** Ends the workers whatever they are doing; when this resolves, they have ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#opened;
    await this.#piscina?.destroy();
  }

  async #open(): Promise<void> {
    // Loaded here: most runs are over before a worker would be running, and do not need it.
    const { Piscina: PiscinaPool } = await import("piscina");
    const { count: maxThreads } = this;
    // Without a minimum, a worker that cannot start is not started over and over.
    const options = { filename: WORKER, minThreads: 0, maxThreads, idleTimeout: Infinity, recordTiming: false };
    const piscina = new PiscinaPool(options);
    let created = 0;
    const allCreated = new Promise<void>((resolve) => {
      piscina.on("workerCreate", () => {
        if (++created === maxThreads) resolve();
      });
    });
    piscina.on("error", (cause: unknown) => this.#failed(cause));
    this.#piscina = piscina;
    const warmUps = Array.from({ length: maxThreads }, () => this.#warmUp());
    void Promise.all([allCreated, ...warmUps]).then(this.#resolveReady);
  }

  /** Waiting tasks make piscina start workers, up to its limit. */
  async #warmUp(): Promise<void> {
    try {
      await this.#piscina!.run(null, { name: "warmUp" });
    } catch (cause) {
      this.#failed(cause);
    }
  }

  #failed(cause: unknown): void {
    const message = `a worker could not start (${String(cause)}); run with one thread`;
    this.#rejectReady(new BatchError("worker-failed", message, { cause }));
  }

  async #notRunning(): Promise<never> {
    await this.#ready;
    throw new BatchError("worker-failed", "the workers have been ended");
  }
}

// The sources run both unbuilt and compiled.
const WORKER = new URL(`../pool/pool-worker${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`, import.meta.url).href;

/** Workers that were started ahead and have no work yet. */
let spare: WorkerThreads | undefined;

/**
 * Starts workers ahead of the run that will need them: a thread takes some 30 ms to start, which is well spent while
 * the calling thread opens a snapshot.
 */
export function startWorkersAhead(count: number): void {
  spare ??= new WorkerThreads(count);
}

/** Workers of the caller's own, which it must close: those that were started ahead, if there are as many. */
export function takeWorkers(count: number): WorkerThreads {
  if (spare?.count !== count) return new WorkerThreads(count);
  const threads = spare;
  spare = undefined;
  return threads;
}
