import type { Prefix } from "../address/address.ts";
import type { Rule } from "../rulesets/rule.ts";
import type { RuleColumns } from "../rulesets/rule-columns.ts";
import type { Deployment } from "./records/deployment.ts";
import type { Credential } from "./records/credential.ts";
import type { ExternalList } from "./records/external-list.ts";
import type { Webhook } from "./records/webhook.ts";
import type { DatasetFacts, Organisation, Plan, Ruleset, Session, User } from "./state.ts";

/**
 * What a command changed. Changes are numbered without gaps in the order of their commits; a reader that applies them
 * in that order to a loaded state has the state of the database.
 */
export type Change = {
  readonly sequence: number;
  /** The beginning of the random id of its transaction: no other history of the database has it for this number. */
  readonly stamp: string;
  readonly at: number;
  /** Who issued the command. */
  readonly actor: string;
  readonly organisationId: string;
} & ChangeBody;

/** A change of rules that lists them. */
export type RulesChange = Change & { readonly kind: "rules" };

/** Of a transaction's id: 32 random bits. */
export function stampOf(transaction: string): string {
  return transaction.slice(0, 8);
}

export type ChangeBody =
  /** Created, or what its guards protect changed. */
  | { readonly kind: "organisation"; readonly organisation: Organisation }
  /** Created or changed. */
  | { readonly kind: "plan"; readonly plan: Plan }
  /** Created or revoked. */
  | { readonly kind: "credential"; readonly credential: Credential }
  /** Created, changed, signed in, or deleted. */
  | { readonly kind: "user"; readonly user: User }
  /** Started. Sessions that have expired at the change's `at` are removed. */
  | { readonly kind: "session"; readonly session: Session }
  | { readonly kind: "sessions-ended"; readonly digests: readonly string[] }
  /** Created, or its name, description or guard changed. */
  | { readonly kind: "ruleset"; readonly ruleset: Ruleset }
  /** Deleted with all its rules. */
  | { readonly kind: "ruleset-deleted"; readonly rulesetId: string }
  /** Created, changed, deleted, given new credentials, or a refused list of it was released. */
  | { readonly kind: "deployment"; readonly deployment: Deployment }
  /** A list of a deployment was published or refused by a server. */
  | ({ readonly kind: "deployment-list"; readonly deploymentId: string } & Pick<
      Deployment,
      "published" | "refused" | "released"
    >)
  /** Created, changed, or given new credentials. */
  | { readonly kind: "external-list"; readonly list: ExternalList }
  | { readonly kind: "external-list-deleted"; readonly listId: string }
  /** A fetch by a server changed its content or its problem. */
  | ({ readonly kind: "external-list-content"; readonly listId: string } & Pick<ExternalList, "content" | "problem">)
  /** An endpoint created, changed, given a new secret, or stopped by a server. */
  | { readonly kind: "webhook"; readonly webhook: Webhook }
  | { readonly kind: "webhook-deleted"; readonly webhookId: string }
  /** A file of a server was replaced, which that server has already noticed. For the audit log only. */
  | { readonly kind: "dataset"; readonly dataset: DatasetFacts }
  /**
   * Rules created or changed, and prefixes whose rules were deleted. The ruleset's `version` is now the sequence, its
   * `stamp` that of the change, its `updatedAt` the `at`.
   */
  | {
      readonly kind: "rules";
      readonly rulesetId: string;
      readonly upserts: readonly Rule[];
      readonly deletes: readonly Prefix[];
    }
  /**
   * So many rules changed that the change has all rules of the ruleset, in parts, as they are when the change is read.
   * That includes the changes that follow it in the same array; applying those again gives the same result. A ruleset
   * that has been deleted by then has no parts.
   */
  | { readonly kind: "rules-replaced"; readonly rulesetId: string; readonly rules: readonly RuleColumns[] };

/**
 * Applies changes immediately, or some of them later: its promise resolves when all are applied. The next ones arrive
 * meanwhile.
 */
export type ApplyChanges = (changes: readonly Change[]) => void | Promise<void>;
