import { Worker } from "node:worker_threads";
import { errorOf, type GroupAnswer } from "../_answer.ts";
import type { AuditRows } from "../_audit.ts";
import type { Backend } from "../_backend.ts";
import type { AuditEntry, AuditQuery } from "../audit.ts";
import type { Change } from "../change.ts";
import type { Command } from "../command.ts";
import type { Credentials, Invited, RulesetRules, State, Usage } from "../state.ts";
import { StoreError } from "../store-error.ts";
import type { StoreReport } from "../store.ts";
import { buffersIn, columnsOfCommands } from "./_transfers.ts";
import { packed, type WorkerCall, type WorkerMessage, type WorkerSetup } from "./messages.ts";

interface Call {
  receive?(part: RulesetRules): void;
  resolve(result: never): void;
  reject(error: unknown): void;
}

interface CallOptions {
  receive?(part: RulesetRules): void;
  /** Handed to the thread without a copy. */
  readonly transfer?: readonly ArrayBuffer[];
}

/** A SQLite file, in a thread of its own. */
export class SqliteBackend implements Backend {
  readonly #worker: Worker;
  readonly #path: string;
  readonly #calls = new Map<number, Call>();
  #last = 0;
  #hasEnded = false;
  /** Resolves when the file is open; rejects with StoreError, and the thread has ended. Calls before that wait for it. */
  readonly opened: Promise<void>;

  constructor(setup: WorkerSetup) {
    this.#path = setup.path;
    // The sources run as they are and as compiled. Node 22 calls its SQLite experimental, at each start, on stderr.
    const url = new URL(`./worker${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`, import.meta.url);
    this.#worker = new Worker(url, { workerData: setup, execArgv: ["--disable-warning=ExperimentalWarning"] });
    this.#worker.on("message", (message: WorkerMessage) => this.#received(message));
    this.#worker.on("error", (error) => this.#ended(error));
    this.#worker.on("exit", () => this.#ended(undefined));
    this.opened = this.#opened();
  }

  carryOut(commands: readonly Command[]): Promise<GroupAnswer> {
    return this.#call("carryOut", packed(commands), { transfer: buffersIn(columnsOfCommands(commands)) });
  }

  load(receive: ((part: RulesetRules) => void) | null): Promise<State> {
    return this.#call("load", receive !== null, receive === null ? {} : { receive });
  }

  changesAfter(sequence: number): Promise<Change[]> {
    return this.#call("changesAfter", sequence);
  }

  credentials(name: string): Promise<Credentials | null> {
    return this.#call("credentials", name);
  }

  invited(digest: string, at: number): Promise<Invited | null> {
    return this.#call("invited", [digest, at]);
  }

  recordUsage(increments: readonly Usage[]): Promise<void> {
    return this.#call("recordUsage", increments);
  }

  probe(): Promise<void> {
    return this.#call("probe", undefined);
  }

  usage(month: string): Promise<Usage[]> {
    return this.#call("usage", month);
  }

  usageOf(organisationId: string, month: string): Promise<Usage[]> {
    return this.#call("usageOf", [organisationId, month]);
  }

  audit(organisationId: string, query: AuditQuery): Promise<AuditRows> {
    return this.#call("audit", [organisationId, query]);
  }

  auditEntry(organisationId: string, sequence: number): Promise<AuditEntry | null> {
    return this.#call("auditEntry", [organisationId, sequence]);
  }

  isAsLeft(organisationId: string, sequence: number): Promise<boolean> {
    return this.#call("isAsLeft", [organisationId, sequence]);
  }

  check(): Promise<StoreReport> {
    return this.#call("check", undefined);
  }

  backup(path: string): Promise<void> {
    return this.#call("backup", path);
  }

  async close(): Promise<void> {
    await this.#call("close", undefined);
    await this.#worker.terminate();
  }

  /** Others' writes to the file give no hint. */
  onHint(): void {}

  async #opened(): Promise<void> {
    try {
      await new Promise<void>((resolve, reject) => this.#calls.set(0, { resolve, reject }));
    } catch (error) {
      await this.#worker.terminate();
      throw error;
    }
  }

  #call<T>(method: WorkerCall["method"], argument: unknown, { receive, transfer = [] }: CallOptions = {}): Promise<T> {
    if (this.#hasEnded) return Promise.reject(new StoreError("unavailable", `${this.#path}: the thread that writes it has ended; start again`));
    const call: WorkerCall = { id: ++this.#last, method, argument };
    return new Promise<T>((resolve, reject) => {
      this.#calls.set(call.id, { resolve: resolve as (result: never) => void, reject, ...(receive && { receive }) });
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
      this.#worker.postMessage(call, transfer);
    });
  }

  #received(message: WorkerMessage): void {
    const call = this.#calls.get(message.id);
    if (call === undefined) return;
    if ("part" in message) return call.receive?.(message.part);
    this.#calls.delete(message.id);
    if ("refusal" in message) call.reject(errorOf(message.refusal));
    else if ("error" in message) call.reject(message.error);
    else call.resolve(("text" in message ? JSON.parse(message.text) : message.result) as never);
  }

  /** Whether the thread committed before it ended nobody knows. */
  #ended(cause: unknown): void {
    this.#hasEnded = true;
    for (const { reject } of this.#calls.values()) {
      reject(new StoreError("outcome-unknown", `${this.#path}: the thread that writes it has ended; start again`, { cause }));
    }
    this.#calls.clear();
  }
}
