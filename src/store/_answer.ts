import type { BatchResult, Outcome } from "./command.ts";
import type { Change } from "./change.ts";
import type { Rule } from "../rulesets/rule.ts";
import type { ShrinkRejection } from "../rulesets/shrink-guard.ts";
import { StoreError, type StoreErrorCode } from "./store-error.ts";

/** The result of a command. A plain object, so that it crosses threads and is kept with an idempotency key. */
export type Answer = { readonly outcome: Outcome } | { readonly rejection: Rejection };

export interface Rejection {
  readonly code: StoreErrorCode;
  readonly message: string;
  readonly existing?: Rule;
  readonly results?: readonly BatchResult[];
  readonly shrink?: ShrinkRejection;
}

/** The results of a group of commands, in their order, and the changes. */
export interface GroupAnswer {
  readonly answers: readonly Answer[];
  readonly changes: readonly Change[];
  /** The organisations whose feeds have new events. */
  readonly organisations: readonly string[];
  /**
   * The last change that the results depend on: the last of `changes` or, if there are none, the last one in the
   * database.
   */
  readonly sequence: number;
}

/** Errors other than the store's are rethrown. */
export function rejectionOf(error: unknown): Rejection {
  if (!(error instanceof StoreError)) throw error;
  const { code, message, existing, results, shrink } = error;
  return { code, message, ...(existing && { existing }), ...(results && { results }), ...(shrink && { shrink }) };
}

export function errorOf({ code, message, ...details }: Rejection): StoreError {
  return new StoreError(code, message, details);
}
