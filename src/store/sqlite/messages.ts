import type { GroupAnswer, Rejection } from "../_answer.ts";
import type { Change } from "../change.ts";
import type { Command } from "../command.ts";
import type { CounterName } from "../counters.ts";
import type { ReadName } from "../reads.ts";
import type { RulesetRules, StoreReport } from "../state.ts";
import type { LoadedState, SavedRules } from "../saved-rules.ts";
import type { StoreLimits } from "../store-options.ts";
import type { Synchronous } from "./_database.ts";
import type { Packed } from "./_packing.ts";

/** What the thread of a SQLite file is started with. */
export interface WorkerSetup {
  readonly path: string;
  readonly create: boolean;
  readonly limits: StoreLimits;
  readonly synchronous: Synchronous;
  /** Another process writes the file, and has it open already. */
  readonly isReader?: boolean;
  /** The identity of the file that an earlier thread had open: no other file is opened. */
  readonly identity?: string | null;
}

/** An argument with long lists. */
export interface PackedArgument {
  readonly packed: Packed;
}

/** The methods of the thread, each with one argument. */
export interface WorkerMethods {
  execute(commands: readonly Command[]): Promise<GroupAnswer>;
  load(request: LoadRequest, id: number): Promise<LoadedState>;
  changesAfter(sequence: number): Promise<Change[]>;
  find(read: NamedRead): Promise<unknown>;
  record(counter: NamedIncrements): Promise<unknown>;
  probe(): Promise<void>;
  check(): Promise<StoreReport>;
  backup(path: string): Promise<void>;
  close(): Promise<void>;
}

/** See `Store.load`. */
export interface LoadRequest {
  readonly withRules: boolean;
  readonly saved: readonly SavedRules[];
}

/** A read of `READS`. Its name determines the types of request and result, which are checked where it is called. */
export interface NamedRead {
  readonly name: ReadName;
  readonly request: readonly unknown[];
}

/** Like `NamedRead`, for `COUNTERS`. */
export interface NamedIncrements {
  readonly name: CounterName;
  readonly increments: readonly unknown[];
}

/** What is done to a file by the one process that writes it. */
export type WritingMethod = "execute" | "record" | "probe";

export type WorkerMethod = keyof WorkerMethods;
/** Commands may be packed. */
export type WorkerArgument<Method extends WorkerMethod> =
  | Parameters<WorkerMethods[Method]>[0]
  | (Method extends "execute" ? PackedArgument : never);
export type WorkerResult<Method extends WorkerMethod> = Awaited<ReturnType<WorkerMethods[Method]>>;

/** A call of a method in the thread. */
export interface WorkerCall {
  readonly id: number;
  readonly method: WorkerMethod;
  readonly argument: WorkerArgument<WorkerMethod>;
}

/**
 * What the thread sends. The parts of a load come before its result; the first message, with id 0, says that the file
 * is open.
 */
export type WorkerMessage =
  | { readonly id: number; readonly part: RulesetRules }
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly packed: Packed }
  | { readonly id: number; readonly rejection: Rejection }
  /** Another error: SQLite's, or a bug. Its stack is logged. */
  | { readonly id: number; readonly error: Error };
