import { Worker } from "node:worker_threads";
import { errorOf } from "../_answer.ts";
import { inSlices } from "../../turns/in-slices.ts";
import { unpacking } from "./_packing.ts";
import type { RulesetRules } from "../state.ts";
import { StoreError } from "../store-error.ts";
import type { WorkerArgument, WorkerCall, WorkerMessage, WorkerMethod, WorkerResult, WorkerSetup } from "./messages.ts";

interface Call {
  receive?(part: RulesetRules): void;
  resolve(result: never | Promise<never>): void;
  reject(error: unknown): void;
}

export interface CallOptions {
  receive?(part: RulesetRules): void;
  /** Transferred to the thread without a copy. */
  readonly transfer?: readonly ArrayBuffer[];
}

/** The id of the first message, which is not the response to a call: the file is open, or cannot be opened. */
const OPENING = 0;

/** The thread of a SQLite file, seen from outside, until it ends. */
export class SqliteThread {
  readonly #worker: Worker;
  readonly #path: string;
  readonly #calls = new Map<number, Call>();
  #last = OPENING;
  #hasEnded = false;
  #cause: unknown;
  /**
   * Resolves with the file's identity when it is open; rejects with StoreError, and the thread has ended. Earlier calls
   * wait for it.
   */
  readonly opened: Promise<string | null>;
  /** Resolves when the thread has ended, and everything in it is closed, with the error that ended it. */
  readonly ended: Promise<unknown>;

  constructor(setup: WorkerSetup) {
    this.#path = setup.path;
    // The sources run both unbuilt and compiled. Node 22 calls its SQLite experimental, at each start, on stderr.
    const url = new URL(`./worker${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`, import.meta.url);
    this.#worker = new Worker(url, { workerData: setup, execArgv: ["--disable-warning=ExperimentalWarning"] });
    this.#worker.on("message", (message: WorkerMessage) => this.#received(message));
    this.#worker.on("error", (error) => (this.#cause = error));
    this.ended = new Promise((resolve) => this.#worker.once("exit", () => resolve(this.#ended())));
    this.opened = this.#opened();
  }

  call<Method extends WorkerMethod>(
    method: Method,
    argument: WorkerArgument<Method>,
    { receive, transfer = [] }: CallOptions = {},
  ): Promise<WorkerResult<Method>> {
    if (this.#hasEnded)
      return Promise.reject(new StoreError("unavailable", `${this.#path}: the thread that writes it has ended`));
    const call: WorkerCall = { id: ++this.#last, method, argument };
    return new Promise((resolve, reject) => {
      this.#calls.set(call.id, { resolve: resolve as (result: never) => void, reject, ...(receive && { receive }) });
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
      this.#worker.postMessage(call, transfer);
    });
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  async #opened(): Promise<string | null> {
    try {
      return await new Promise<string | null>((resolve, reject) => this.#calls.set(OPENING, { resolve, reject }));
    } catch (error) {
      await this.end();
      throw error;
    }
  }

  #received(message: WorkerMessage): void {
    const call = this.#calls.get(message.id);
    if (call === undefined) return;
    if ("part" in message) return call.receive?.(message.part);
    this.#calls.delete(message.id);
    if ("rejection" in message) call.reject(errorOf(message.rejection));
    else if ("error" in message) call.reject(message.error);
    else call.resolve(("packed" in message ? inSlices(unpacking(message.packed)) : message.result) as never);
  }

  /** It is not known here whether the thread committed before it ended. */
  #ended(): unknown {
    this.#hasEnded = true;
    const why = this.#cause instanceof Error ? ` (${this.#cause.message})` : "";
    for (const { reject } of this.#calls.values()) {
      reject(
        new StoreError(
          "outcome-unknown",
          `${this.#path}: the thread that writes it has ended${why}; the file is opened again`,
          { cause: this.#cause },
        ),
      );
    }
    this.#calls.clear();
    return this.#cause;
  }
}
