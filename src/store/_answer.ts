import type { BatchResult, Outcome } from "./command.ts";
import type { Change } from "./change.ts";
import type { Rule } from "../rulesets/rule.ts";
import type { ShrinkRejection } from "../rulesets/shrink-guard.ts";
import { StoreError, type StoreErrorCode } from "./store-error.ts";

/** What a command got. Plain, so that it crosses threads and is kept with an idempotency key. */
export type Answer = { readonly outcome: Outcome } | { readonly rejection: Rejection };

export interface Rejection {
  readonly code: StoreErrorCode;
  readonly message: string;
  readonly existing?: Rule;
  readonly results?: readonly BatchResult[];
  readonly shrink?: ShrinkRejection;
}

/** What a group of commands got, in their order, and what it changed. */
export interface GroupAnswer {
  readonly answers: readonly Answer[];
  readonly changes: readonly Change[];
  /** The last change that the answers depend on: the last of these, or without any the last that the database had. */
  readonly sequence: number;
}

/** Other errors than the store's are thrown on. */
export function rejectionOf(error: unknown): Rejection {
  if (!(error instanceof StoreError)) throw error;
  const { code, message, existing, results, shrink } = error;
  return { code, message, ...(existing && { existing }), ...(results && { results }), ...(shrink && { shrink }) };
}

export function errorOf({ code, message, ...details }: Rejection): StoreError {
  return new StoreError(code, message, details);
}
