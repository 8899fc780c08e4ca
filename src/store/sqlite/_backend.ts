import type { GroupAnswer } from "../_answer.ts";
import type { Backend } from "../_backend.ts";
import type { Change } from "../change.ts";
import type { Command } from "../command.ts";
import type { CounterName, Increments, Recorded } from "../counters.ts";
import type { ReadFound, ReadName, ReadRequest } from "../reads.ts";
import type { RulesetRules, StoreReport } from "../state.ts";
import type { LoadedState, SavedRules } from "../saved-rules.ts";
import { StoreError } from "../store-error.ts";
import { type CallOptions, SqliteThread } from "./_thread.ts";
import { buffersIn, columnsOfCommands } from "./_transfers.ts";
import { areLongCommands, packing } from "./_packing.ts";
import { inSlices } from "../../turns/in-slices.ts";
import type { WorkerArgument, WorkerMethod, WorkerResult, WorkerSetup, WritingMethod } from "./messages.ts";

/** Milliseconds after the end of a thread, or a failed attempt to open the file, until another thread opens it. */
const REOPEN_AFTER = 500;

/**
 * A SQLite file, in a thread of its own. If the thread ends, for example out of memory, another one opens the same
 * file: calls in progress have an unknown outcome, calls until it is open are rejected, and the change feed polls for
 * commits that were never confirmed.
 */
export class SqliteBackend implements Backend {
  readonly #setup: WorkerSetup;
  /** undefined from the end of one thread until the next one has opened the file. */
  #thread: SqliteThread | undefined;
  #whyClosed = "";
  #hint = (): void => {};
  #timer: NodeJS.Timeout | undefined;
  #reopening: Promise<void> | undefined;
  #isClosed = false;
  /** Resolves when the file is open; rejects with StoreError, and the thread has ended. Earlier calls wait for it. */
  readonly opened: Promise<void>;

  constructor(setup: WorkerSetup) {
    this.#setup = setup;
    this.#thread = new SqliteThread(setup);
    this.opened = this.#keepOpen(this.#thread);
  }

  /** Calls a method of the thread by its name. */
  call(method: WritingMethod, argument: never): Promise<unknown> {
    return method === "execute" ? this.execute(argument) : this.#call(method, argument);
  }

  async execute(commands: readonly Command[]): Promise<GroupAnswer> {
    const argument = areLongCommands(commands) ? { packed: await inSlices(packing(commands)) } : commands;
    return this.#call("execute", argument, { transfer: buffersIn(columnsOfCommands(commands)) });
  }

  load(receive: ((part: RulesetRules) => void) | null, saved: readonly SavedRules[]): Promise<LoadedState> {
    return this.#call("load", { withRules: receive !== null, saved }, receive === null ? {} : { receive });
  }

  changesAfter(sequence: number): Promise<Change[]> {
    return this.#call("changesAfter", sequence);
  }

  find<Name extends ReadName>(name: Name, request: ReadRequest<Name>): Promise<ReadFound<Name>> {
    return this.#call("find", { name, request }) as Promise<ReadFound<Name>>;
  }

  record<Name extends CounterName>(name: Name, ...increments: Increments<Name>): Promise<Recorded<Name>> {
    return this.#call("record", { name, increments }) as Promise<Recorded<Name>>;
  }

  probe(): Promise<void> {
    return this.#call("probe", undefined);
  }

  check(): Promise<StoreReport> {
    return this.#call("check", undefined);
  }

  backup(path: string): Promise<void> {
    return this.#call("backup", path);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#reopening;
    await this.#thread?.call("close", undefined);
    await this.#thread?.end();
  }

  /**
   * Other processes' writes to the file cause no hint: only a thread that has ended, and one that has reopened the
   * file.
   */
  onHint(hint: () => void): void {
    this.#hint = hint;
  }

  /** Resolves when the thread has opened the file, which is kept open from then on. */
  async #keepOpen(thread: SqliteThread): Promise<void> {
    const identity = await thread.opened;
    this.#thread = thread;
    void thread.ended.then((cause) => {
      this.#thread = undefined;
      this.#reopenLater(cause, { ...this.#setup, create: false, identity });
    });
  }

  #reopenLater(cause: unknown, setup: WorkerSetup): void {
    if (this.#isClosed) return;
    this.#whyClosed = cause instanceof Error ? cause.message : "the thread that writes it has ended";
    this.#hint();
    this.#timer = setTimeout(() => (this.#reopening = this.#reopen(setup)), REOPEN_AFTER).unref();
  }

  async #reopen(setup: WorkerSetup): Promise<void> {
    try {
      await this.#keepOpen(new SqliteThread(setup));
      this.#hint();
    } catch (error) {
      this.#reopenLater(error, setup);
    }
  }

  #call<Method extends WorkerMethod>(
    method: Method,
    argument: WorkerArgument<Method>,
    options?: CallOptions,
  ): Promise<WorkerResult<Method>> {
    if (this.#thread !== undefined) return this.#thread.call(method, argument, options);
    return Promise.reject(
      new StoreError("unavailable", `${this.#setup.path}: the file is being opened again: ${this.#whyClosed}`),
    );
  }
}
