import type { Refusal } from "../_answer.ts";
import type { Command } from "../command.ts";
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
  readonly method:
    | "execute"
    | "load"
    | "changesAfter"
    | "credentials"
    | "invited"
    | "recordUsage"
    | "recordTraffic"
    | "traffic"
    | "probe"
    | "usage"
    | "usageOf"
    | "audit"
    | "auditEntry"
    | "isAsLeft"
    | "check"
    | "backup"
    | "close";
  readonly argument: unknown;
}

/** Batches of more items cross as text. */
const MAX_CLONED_ITEMS = 256;

/**
 * Commands as they cross to the thread. Of thousands of small objects the engine's clone takes five times as long as
 * JSON does, at both ends.
 */
export function packed(commands: readonly Command[]): readonly Command[] | string {
  return commands.some((command) => command.kind === "batch-rules" && command.items.length > MAX_CLONED_ITEMS)
    ? JSON.stringify(commands)
    : commands;
}

/**
 * What the thread sends. The parts of a load come before its result; the first message, of id 0, tells that the file is
 * open.
 */
export type WorkerMessage =
  | { readonly id: number; readonly part: RulesetRules }
  | { readonly id: number; readonly result: unknown }
  /** A result as JSON: see `packed`. */
  | { readonly id: number; readonly text: string }
  | { readonly id: number; readonly refusal: Refusal }
  /** Another error: of SQLite, or a defect. Its stack is told. */
  | { readonly id: number; readonly error: Error };
