import type { Refusal } from "../_answer.ts";
import type { RulesetRules } from "../state.ts";
import type { StoreLimits } from "../store.ts";
import type { Synchronous } from "./_database.ts";

/** What the thread of a SQLite file is started with. */
export interface WorkerSetup {
  readonly path: string;
  readonly create: boolean;
  readonly limits: StoreLimits;
  readonly synchronous: Synchronous;
  /** Of the file that a thread before had open: no other one is opened. */
  readonly identity?: string | null;
}

/** A call of a method of the backend in the thread. */
export interface WorkerCall {
  readonly id: number;
  readonly method: "carryOut" | "load" | "changesAfter" | "credentials" | "invited" | "recordUsage" | "probe" | "usage" | "usageOf" | "audit" | "auditEntry" | "check" | "backup" | "close";
  readonly argument: unknown;
}

/** What the thread sends. The parts of a load come before its result; the first message, of id 0, tells that the file is open. */
export type WorkerMessage =
  | { readonly id: number; readonly part: RulesetRules }
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly refusal: Refusal }
  /** Another error: of SQLite, or a defect. Its stack is told. */
  | { readonly id: number; readonly error: Error };
