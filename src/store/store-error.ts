import type { Rule } from "../rulesets/rule.ts";
import type { ShrinkRejection } from "../rulesets/shrink-guard.ts";
import type { BatchResult } from "./command.ts";

/** Why the store rejects a command or a read. */
export type StoreErrorCode =
  /** Something that does not exist, or belongs to another organisation. */
  | "organisation-not-found"
  | "ruleset-not-found"
  | "rule-not-found"
  | "user-not-found"
  | "deployment-not-found"
  | "credential-not-found"
  /** A TAXII collection that is not a ruleset, deployment or dataset of the organisation. */
  | "collection-not-found"
  | "list-not-found"
  | "webhook-not-found"
  /** There is no open invitation with that digest. */
  | "invitation-not-found"
  /** The prefix has a rule (`existing`), and the mode is `fail`. */
  | "conflict"
  /** The prefix has a rule (`existing`), but the command expected none, or none like it. */
  | "rule-exists"
  /** The ruleset, the rule or the list of rulesets is not in one of the required states. */
  | "version-mismatch"
  /** Rules that a change touched are no longer as it left them. */
  | "rules-changed"
  /** The change, or what it did to rules, is not kept. */
  | "change-not-kept"
  | "too-many-rules"
  /** A replacement would remove more rules than allowed (`shrink`). */
  | "shrinks-too-much"
  /** The organisation has the maximum number. */
  | "too-many-rulesets"
  | "too-many-keys"
  | "too-many-users"
  | "too-many-deployments"
  | "too-many-credentials"
  /** A deployment that allows addresses cannot be given to a program that blocks what it gets. */
  | "not-a-blocklist"
  | "too-many-lists"
  | "too-many-webhooks"
  /** As many replaced secrets still work as may. */
  | "too-many-rotations"
  /** The members of a deployment that a change was checked with are others now. */
  | "definition-changed"
  /** The list to be released is not the one that is refused now. */
  | "list-not-refused"
  /** The credentials are for another origin than that of the external list. */
  | "list-moved"
  /** An item of an atomic batch failed (`results`); nothing was written. */
  | "batch-refused"
  /** There is already an organisation with that name. */
  | "organisation-exists"
  /** There is already a ruleset with that id. */
  | "ruleset-exists"
  /** There is already a credential with that digest. */
  | "credential-exists"
  /** There is already a user with that name. */
  | "user-exists"
  /** There are users already, so the first one cannot be created. */
  | "users-exist"
  /** The organisation would have no admin left who can sign in. */
  | "last-admin"
  /** The password is no longer the one that was checked. */
  | "password-changed"
  /** A text that a database cannot hold: it contains a NUL character or an unpaired surrogate. */
  | "invalid-text"
  /** The same idempotency key was used for another request. */
  | "idempotency-mismatch"
  /** The database cannot be reached, or is busy or full; nothing was written, and a retry may succeed. */
  | "unavailable"
  /** The connection was lost during the commit, and whether it succeeded cannot be determined. */
  | "outcome-unknown"
  /** `changesAfter` was called for changes that are no longer kept: reload. */
  | "changes-gone"
  /** The file or database is not a store of this program. */
  | "not-a-store"
  /** There is no file at the path. */
  | "not-found"
  /** Something exists where a backup is to be written or restored to. */
  | "exists"
  /** Its tables are of a newer release. */
  | "newer-schema"
  /** Its tables are of an older release, and must not be changed. */
  | "older-schema"
  /** An integrity check fails. */
  | "corrupt"
  /** The database does not support the operation because its own tools are better. */
  | "unsupported"
  /** The store was closed. */
  | "closed";

interface Details {
  readonly existing?: Rule;
  readonly results?: readonly BatchResult[];
  readonly shrink?: ShrinkRejection;
  readonly mayPass?: true;
  readonly cause?: unknown;
}

/**
 * A rejected command, or a store that cannot be opened: `code` for programs; the message says what is wrong and, if
 * possible, how to fix it.
 */
export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly code: StoreErrorCode;
  /** With `conflict`: the existing rule. */
  readonly existing?: Rule;
  /** With `batch-refused`: why items failed, and which were not applied. */
  readonly results?: readonly BatchResult[];
  /** With `shrinks-too-much`: by how much. */
  readonly shrink?: ShrinkRejection;
  /** With `unavailable`: the database may only be starting, or out of reach for a while; no setting is known to be wrong. */
  readonly mayPass?: true;

  constructor(code: StoreErrorCode, message: string, { existing, results, shrink, mayPass, cause }: Details = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    if (existing !== undefined) this.existing = existing;
    if (results !== undefined) this.results = results;
    if (shrink !== undefined) this.shrink = shrink;
    if (mayPass !== undefined) this.mayPass = mayPass;
  }
}
