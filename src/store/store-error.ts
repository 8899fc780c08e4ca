import type { Rule } from "../rulesets/rule.ts";
import type { ShrinkRejection } from "../rulesets/shrink-guard.ts";
import type { BatchResult } from "./command.ts";

/** Why the store rejects. */
export type StoreErrorCode =
  /** No such thing, or it is another organisation's. */
  | "organisation-not-found"
  | "ruleset-not-found"
  | "rule-not-found"
  | "key-not-found"
  | "user-not-found"
  /** There is no open invitation of that digest. */
  | "invitation-not-found"
  /** There is a rule of that prefix (`existing`), and the mode is `fail`. */
  | "conflict"
  /** There is a rule of that prefix (`existing`), and there should be none, or none like it. */
  | "rule-exists"
  /** The ruleset, the rule or the list of rulesets is no longer in a state that was asked for. */
  | "version-mismatch"
  /** Rules that a change touched are not as it left them. */
  | "rules-changed"
  /** The change, or what it did to rules, is not kept. */
  | "change-not-kept"
  | "too-many-rules"
  /** A replacement would remove more rules than it may (`shrink`). */
  | "shrinks-too-much"
  /** The organisation has as many as it may. */
  | "too-many-rulesets"
  | "too-many-keys"
  | "too-many-users"
  /** An item of an atomic batch failed (`results`); nothing was written. */
  | "batch-refused"
  /** There is an organisation of that name. */
  | "organisation-exists"
  /** There is a ruleset of that id. */
  | "ruleset-exists"
  /** There is a key of that digest. */
  | "key-exists"
  /** There is a user of that name. */
  | "user-exists"
  /** There are users already, so that the first one cannot be made. */
  | "users-exist"
  /** The organisation would have no admin left who can sign in. */
  | "last-admin"
  /** The password is no longer the one that was checked. */
  | "password-changed"
  /** A text that a database cannot hold: a NUL character or half a surrogate pair. */
  | "invalid-text"
  /** The same idempotency key was used for another request. */
  | "idempotency-mismatch"
  /** The database cannot be reached or is busy or full; nothing was written, the same again later may succeed. */
  | "unavailable"
  /** The connection was lost during the commit, and whether it succeeded cannot be found out. */
  | "outcome-unknown"
  /** `changesAfter` was asked for changes that are kept no longer: load again. */
  | "changes-gone"
  /** The file or database is none of ours. */
  | "not-a-store"
  /** There is no file at the path. */
  | "not-found"
  /** There is something where a backup is to be written or restored to. */
  | "exists"
  /** Its tables are of a newer release. */
  | "newer-schema"
  /** Its tables are of an older release, and were to be left alone. */
  | "older-schema"
  /** An integrity check fails. */
  | "damaged"
  /** The database has better means for it. */
  | "unsupported"
  /** The store was closed. */
  | "closed";

interface Details {
  readonly existing?: Rule;
  readonly results?: readonly BatchResult[];
  readonly shrink?: ShrinkRejection;
  readonly cause?: unknown;
}

/**
 * A command or an opening that the store rejects: `code` for programs, the message says what and, where there is one,
 * the cure.
 */
export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly code: StoreErrorCode;
  /** With `conflict`: the rule as it is. */
  readonly existing?: Rule;
  /** With `batch-refused`: why items failed, and which were not applied. */
  readonly results?: readonly BatchResult[];
  /** With `shrinks-too-much`: how much. */
  readonly shrink?: ShrinkRejection;

  constructor(code: StoreErrorCode, message: string, { existing, results, shrink, cause }: Details = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    if (existing !== undefined) this.existing = existing;
    if (results !== undefined) this.results = results;
    if (shrink !== undefined) this.shrink = shrink;
  }
}
