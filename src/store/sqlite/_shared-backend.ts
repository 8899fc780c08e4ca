import type { GroupAnswer } from "../_answer.ts";
import type { Backend } from "../_backend.ts";
import type { Change } from "../change.ts";
import type { Command } from "../command.ts";
import type { CounterName, Increments, Recorded } from "../counters.ts";
import type { ReadFound, ReadName, ReadRequest } from "../reads.ts";
import type { RulesetRules, StoreReport } from "../state.ts";
import type { LoadedState, SavedRules } from "../saved-rules.ts";
import type { WritingMethod } from "./messages.ts";
import type { SqliteBackend } from "./_backend.ts";
import { type RemoteWriter, resultOf } from "./file-writer.ts";

/** A SQLite file that another process writes: this one reads it in its own thread, and sends its writes to the other. */
export class SharedBackend implements Backend {
  readonly #reader: SqliteBackend;
  readonly #writer: RemoteWriter;

  constructor(reader: SqliteBackend, writer: RemoteWriter) {
    this.#reader = reader;
    this.#writer = writer;
  }

  execute(commands: readonly Command[]): Promise<GroupAnswer> {
    return this.#write("execute", commands) as Promise<GroupAnswer>;
  }

  record<Name extends CounterName>(name: Name, ...increments: Increments<Name>): Promise<Recorded<Name>> {
    return this.#write("record", { name, increments }) as Promise<Recorded<Name>>;
  }

  async probe(): Promise<void> {
    await this.#write("probe", undefined);
  }

  /** @throws StoreError */
  async #write(method: WritingMethod, argument: unknown): Promise<unknown> {
    return resultOf(await this.#writer.call(method, argument));
  }

  load(receive: ((part: RulesetRules) => void) | null, saved: readonly SavedRules[]): Promise<LoadedState> {
    return this.#reader.load(receive, saved);
  }

  changesAfter(sequence: number): Promise<Change[]> {
    return this.#reader.changesAfter(sequence);
  }

  find<Name extends ReadName>(name: Name, request: ReadRequest<Name>): Promise<ReadFound<Name>> {
    return this.#reader.find(name, request);
  }

  check(): Promise<StoreReport> {
    return this.#reader.check();
  }

  backup(path: string): Promise<void> {
    return this.#reader.backup(path);
  }

  close(): Promise<void> {
    return this.#reader.close();
  }

  onHint(hint: () => void): void {
    this.#reader.onHint(hint);
    this.#writer.onChange(hint);
  }
}
