import type { OldRules } from "../_rule-values.ts";
import type { ChangeBody } from "../change.ts";
import type { Outcome } from "../command.ts";
import type { ApiKey, Organisation, Plan, Ruleset, Session, User } from "../state.ts";
import type { RulesSummary } from "./_rules-summary.ts";

/** What a command does: its outcome, what it changes, and what is to be written besides rules. */
export interface Decision {
  readonly outcome: Outcome;
  readonly changes: readonly Recorded[];
  readonly writes?: readonly Write[];
  /** Whose change it is and by whom, where the command does not say. */
  readonly organisationId?: string;
  readonly actor?: string;
}

/** What a command changed, and what was there before. */
export interface Recorded {
  readonly change: ChangeBody;
  /** Of other things than rules. */
  readonly old?: object | undefined;
  /** None where they are too many to be kept. As JSON where they are many. */
  readonly oldRules?: OldRules | string | undefined;
  /** How many rules it touched, where the change itself does not say. */
  readonly ruleCount?: number;
  /** The id of parts in `kept_rules`. */
  readonly kept?: string | null;
  readonly summary?: RulesSummary | undefined;
}

/** A user with what no reader gets to see. */
export interface Account extends User {
  /** The password's hash; null until an invitation has been followed. */
  readonly password: string | null;
  /** The digest of the open invitation's token. */
  readonly invitation: string | null;
}

/** What is written of one thing. In the order in which it is given. */
export type Write =
  | { readonly insert: "organisation"; readonly organisation: Organisation }
  | { readonly save: "plan"; readonly plan: Plan }
  | { readonly insert: "ruleset"; readonly ruleset: Ruleset }
  | { readonly save: "ruleset"; readonly ruleset: Ruleset }
  | { readonly insert: "key"; readonly key: ApiKey }
  | { readonly save: "key"; readonly key: ApiKey }
  | { readonly insert: "user"; readonly account: Account }
  | { readonly save: "user"; readonly account: Account }
  | { readonly insert: "session"; readonly session: Session }
  | { readonly delete: "sessions"; readonly digests: readonly string[] }
  /** Of all users: those that have expired by then. */
  | { readonly delete: "expired-sessions"; readonly at: number };

/** Makes the id of something new. Deciders are given it, so that they have no randomness of their own. */
export type NewId = () => string;
