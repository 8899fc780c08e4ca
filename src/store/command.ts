import type { Prefix } from "../address/address.ts";
import type { Rule } from "../rulesets/rule.ts";
import type { RuleColumns } from "../rulesets/rule-columns.ts";
import type { ShrinkLimits } from "../rulesets/shrink-guard.ts";
import type { Addition, AddRequest, ConflictMode, RuleChanges } from "../rulesets/write-rule.ts";
import type { IfMatch } from "./if-match.ts";
import type {
  AccessLevel,
  ApiKey,
  Area,
  DatasetFacts,
  Organisation,
  Plan,
  Purpose,
  Role,
  Ruleset,
  Session,
  User,
} from "./state.ts";

/** What every command carries. */
interface Signed {
  /** Who gives it: `key:<key id>`, `user:<user id>`, or `command:<name of the account on the command line>`. */
  readonly actor: string;
  /** The time it counts as given at, of the caller's clock: `createdAt` and `updatedAt` become it. */
  readonly at: number;
}

/** Within an organisation: the id of another organisation's ruleset or key behaves as an absent one. */
interface Owned extends Signed {
  readonly organisationId: string;
  readonly idempotency?: Idempotency;
}

/** Commands that concern one ruleset or its rules, or make one. */
interface Conditional extends Owned {
  readonly ifMatch?: IfMatch | undefined;
}

/** A command with the key of an earlier one is not executed: it gets the earlier one's outcome, or its error. */
export interface Idempotency {
  /** What the client chose. Forgotten after a day. */
  readonly key: string;
  /** A digest of the whole request; the same key with another is rejected (`idempotency-mismatch`). */
  readonly request: string;
}

export interface AddRuleCommand extends Conditional {
  readonly kind: "add-rule";
  readonly rulesetId: string;
  readonly request: AddRequest;
  /** Rejected (`rule-exists`) where there is a rule for the prefix, or one with such a `ruleTag`, whatever the mode. */
  readonly ifNoneMatch?: "*" | readonly string[] | undefined;
}

export interface UpdateRuleCommand extends Conditional {
  readonly kind: "update-rule";
  readonly rulesetId: string;
  readonly prefix: Prefix;
  readonly changes: RuleChanges;
}

export interface DeleteRuleCommand extends Conditional {
  readonly kind: "delete-rule";
  readonly rulesetId: string;
  readonly prefix: Prefix;
}

/** One step of a batch. A later one sees what an earlier one did. */
export type BatchItem =
  | { readonly add: AddRequest }
  | { readonly delete: Prefix; /** Where there is no rule, the item fails. */ readonly mustExist?: boolean };

export interface BatchRulesCommand extends Conditional {
  readonly kind: "batch-rules";
  readonly rulesetId: string;
  readonly items: readonly BatchItem[];
  /** One item that fails rejects them all (`batch-refused`). */
  readonly atomic: boolean;
}

/**
 * Takes a change of rules back: those that it touched are exactly as they were before it, times of creation too.
 * Rejected (`rules-changed`) where one of them is no longer as the change left it, and (`change-not-kept`) where the
 * rules of the change have not been kept.
 */
export interface RestoreRulesCommand extends Owned {
  readonly kind: "restore-rules";
  readonly rulesetId: string;
  /** Of the change that is taken back. */
  readonly sequence: number;
}

/**
 * What came of an item; with `not_applied`, nothing: another item has failed. An item that fails says why. `absent`:
 * there was nothing to delete.
 */
export type BatchResult = { readonly error?: string } & (
  | { readonly action: Addition["action"]; readonly rule: Rule }
  | { readonly action: "deleted" | "absent" | "too_many_rules" | "not_applied"; readonly prefix: Prefix }
);

/** The ruleset shall hold these rules and no others, all or nothing. */
export interface ReplaceRulesCommand extends Conditional {
  readonly kind: "replace-rules";
  readonly rulesetId: string;
  /**
   * Prefixes, names and expiries, in the order of prefixes and each once, IPv4 first; the other times are not read.
   * Parts whose names are packed are the store's from now on: they go to its thread without a copy, and the times are
   * written into them.
   */
  readonly rules: readonly RuleColumns[];
  readonly digest?: string | undefined;
  /** Rejected (`shrinks-too-much`) where it would remove more. */
  readonly shrink?: ShrinkLimits;
}

/**
 * Adds the rules, all or nothing (`batch-refused`), each as `add-rule` does in this mode. For lists of any length: one
 * result is given for all.
 */
export interface ImportRulesCommand extends Conditional {
  readonly kind: "import-rules";
  readonly rulesetId: string;
  /** As for `replace-rules`. */
  readonly rules: readonly RuleColumns[];
  readonly mode: ConflictMode;
  /** SHA-256 of the list as it was sent, for the audit log. */
  readonly digest?: string | undefined;
}

export interface ImportCounts {
  readonly created: number;
  readonly updated: number;
  readonly skipped: number;
  /** Whether the rules as they were are kept, so that it can be taken back. */
  readonly isKept: boolean;
}

/** How many rules a replacement added, changed, removed and left as they were. */
export interface ReplacementCounts {
  /** As in `ImportCounts`. */
  readonly isKept: boolean;
  readonly added: number;
  readonly updated: number;
  readonly removed: number;
  readonly unchanged: number;
}

export interface CreateRulesetCommand extends Conditional {
  readonly kind: "create-ruleset";
  readonly name: string;
  readonly purpose: Purpose;
  readonly description: string;
}

export interface UpdateRulesetCommand extends Conditional {
  readonly kind: "update-ruleset";
  readonly rulesetId: string;
  readonly name?: string | undefined;
  readonly description?: string | undefined;
}

export interface DeleteRulesetCommand extends Conditional {
  readonly kind: "delete-ruleset";
  readonly rulesetId: string;
}

/**
 * Makes a ruleset that was deleted once more, as it was then: with its id, its time of creation, and its rules.
 * Rejected (`ruleset-exists`, `change-not-kept`).
 */
export interface RestoreRulesetCommand extends Owned {
  readonly kind: "restore-ruleset";
  /** Of the change that deleted it. */
  readonly sequence: number;
}

/** With its two first rulesets, "My Allowlist rules" and "My Blocklist rules". */
export interface CreateOrganisationCommand extends Signed {
  readonly kind: "create-organisation";
  readonly name: string;
}

export interface SetPlanCommand extends Owned {
  readonly kind: "set-plan";
  readonly area: Area;
  readonly active: boolean;
  readonly until: number | null;
  readonly perMinute: number | null;
  readonly perMonth: number | null;
}

export interface CreateKeyCommand extends Owned {
  readonly kind: "create-key";
  readonly label: string;
  readonly access: AccessLevel;
  readonly digest: string;
  readonly start: string;
  readonly expiresAt: number | null;
}

/** Once more changes nothing. */
export interface RevokeKeyCommand extends Owned {
  readonly kind: "revoke-key";
  readonly keyId: string;
}

/**
 * Notes that a user has had the server's catalogue or its threat intelligence replaced. The data themselves are files
 * of the server; this is for the audit log alone.
 */
export type RecordDatasetCommand = RecordOf<"update-catalogue"> | RecordOf<"import-feed">;

interface RecordOf<Kind extends string> extends Owned {
  readonly kind: Kind;
  /** What answered before; null where nothing did. */
  readonly old: DatasetFacts | null;
  readonly new: DatasetFacts;
}

/** A session that begins: the digest of its token, and its end. */
export type NewSession = Pick<Session, "digest" | "expiresAt">;

/** An invitation: the digest of its token, and its end. An earlier one of the same user ends. */
export type Invitation = Pick<Session, "digest" | "expiresAt">;

/**
 * Makes the first user, an admin, and starts a session; where there is no organisation of the name, that too, with all
 * plans.
 */
export interface SetUpCommand extends Signed {
  readonly kind: "set-up";
  readonly organisation: string;
  readonly name: string;
  readonly password: string;
  readonly session: NewSession;
}

export interface CreateUserCommand extends Owned {
  readonly kind: "create-user";
  readonly name: string;
  readonly role: Role;
  readonly invitation: Invitation;
}

/** An organisation keeps an admin who can sign in (`last-admin`). */
export interface SetRoleCommand extends Owned {
  readonly kind: "set-role";
  readonly userId: string;
  readonly role: Role;
}

/** With the sessions. An organisation keeps an admin who can sign in (`last-admin`). */
export interface DeleteUserCommand extends Owned {
  readonly kind: "delete-user";
  readonly userId: string;
}

/** Lets the user choose a (new) password; the old one is good until then. */
export interface InviteUserCommand extends Owned {
  readonly kind: "invite-user";
  readonly userId: string;
  readonly invitation: Invitation;
}

/**
 * Follows an invitation: sets the password, ends the user's sessions and starts one. The change is the user's, whatever
 * the actor.
 */
export interface JoinCommand extends Signed {
  readonly kind: "join";
  /** The digest of its token. */
  readonly invitation: string;
  readonly password: string;
  readonly session: NewSession;
}

/** Ends the user's other sessions, and an open invitation. */
export interface SetPasswordCommand extends Owned {
  readonly kind: "set-password";
  readonly userId: string;
  /** The hash of the old password as it was checked; rejected (`password-changed`) where it is another by now. */
  readonly checked: string;
  readonly password: string;
  /** The digest of the session that goes on. */
  readonly session: string;
}

export interface StartSessionCommand extends Owned {
  readonly kind: "start-session";
  readonly userId: string;
  /** As in SetPasswordCommand. */
  readonly checked: string;
  readonly session: NewSession;
}

/** Once more changes nothing. */
export interface EndSessionCommand extends Owned {
  readonly kind: "end-session";
  readonly digest: string;
}

export type UserCommand =
  | SetUpCommand
  | CreateUserCommand
  | SetRoleCommand
  | DeleteUserCommand
  | InviteUserCommand
  | JoinCommand
  | SetPasswordCommand
  | StartSessionCommand
  | EndSessionCommand;

export type Command =
  | AddRuleCommand
  | UpdateRuleCommand
  | DeleteRuleCommand
  | BatchRulesCommand
  | RestoreRulesCommand
  | ReplaceRulesCommand
  | ImportRulesCommand
  | CreateRulesetCommand
  | UpdateRulesetCommand
  | DeleteRulesetCommand
  | RestoreRulesetCommand
  | CreateOrganisationCommand
  | SetPlanCommand
  | CreateKeyCommand
  | RevokeKeyCommand
  | RecordDatasetCommand
  | UserCommand;

export type CommandKind = Command["kind"];

/** What a command that was executed gives. */
export interface Outcomes {
  /** Never `conflict`: that is rejected (`conflict`), with the rule as it is. */
  readonly "add-rule": Addition;
  readonly "update-rule": { readonly rule: Rule };
  readonly "delete-rule": Record<never, never>;
  readonly "batch-rules": { readonly results: readonly BatchResult[] };
  readonly "restore-rules": Record<never, never>;
  readonly "replace-rules": ReplacementCounts;
  readonly "import-rules": ImportCounts;
  readonly "create-ruleset": { readonly ruleset: Ruleset };
  readonly "update-ruleset": { readonly ruleset: Ruleset };
  readonly "delete-ruleset": Record<never, never>;
  readonly "restore-ruleset": { readonly ruleset: Ruleset };
  readonly "create-organisation": { readonly organisation: Organisation; readonly rulesets: readonly Ruleset[] };
  readonly "set-plan": { readonly plan: Plan };
  readonly "create-key": { readonly key: ApiKey };
  readonly "revoke-key": { readonly key: ApiKey };
  readonly "update-catalogue": Record<never, never>;
  readonly "import-feed": Record<never, never>;
  readonly "set-up": { readonly user: User; readonly session: Session };
  readonly "create-user": { readonly user: User };
  readonly "set-role": { readonly user: User };
  readonly "delete-user": Record<never, never>;
  readonly "invite-user": { readonly user: User };
  readonly join: { readonly user: User; readonly session: Session };
  readonly "set-password": Record<never, never>;
  readonly "start-session": { readonly user: User; readonly session: Session };
  readonly "end-session": Record<never, never>;
}

export type Outcome<Kind extends CommandKind = CommandKind> = Outcomes[Kind];
