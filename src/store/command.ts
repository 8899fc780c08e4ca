import type { Prefix } from "../address/address.ts";
import type { Rule } from "../rulesets/rule.ts";
import type { CarvedColumns, RuleColumns } from "../rulesets/rule-columns.ts";
import type { ShrinkLimits } from "../rulesets/shrink-guard.ts";
import type { Addition, AddRequest, ConflictMode, RuleChanges } from "../rulesets/write-rule.ts";
import type {
  DefinitionChanges,
  Deployment,
  DeploymentDefinition,
  PublishedList,
  RefusedList,
  Together,
} from "./records/deployment.ts";
import type { Credential, CredentialKind, GivenScopes } from "./records/credential.ts";
import type {
  ExternalList,
  ExternalListDefinition,
  FetchedContent,
  FetchProblem,
  FetchValidators,
  ListCredentials,
} from "./records/external-list.ts";
import type { StopReason, Webhook, WebhookDefinition } from "./records/webhook.ts";
import type { GuardClasses, GuardPolicy } from "./records/guard-policy.ts";
import type { IfMatch } from "./if-match.ts";
import type { Area, DatasetFacts, Organisation, Plan, Purpose, Role, Ruleset, Session, User } from "./state.ts";

/** The properties of every command. */
interface Signed {
  /** Who issues it: `key:<key id>`, `user:<user id>`, or `command:<name of the account on the command line>`. */
  readonly actor: string;
  /** Its time, by the caller's clock, which becomes `createdAt` and `updatedAt`. */
  readonly at: number;
}

/** Within an organisation: another organisation's ruleset or key is treated as if it did not exist. */
interface Owned extends Signed {
  readonly organisationId: string;
  readonly idempotency?: Idempotency;
}

/** Commands that concern one ruleset or its rules, or create one, or one deployment. */
interface Conditional extends Owned {
  readonly ifMatch?: IfMatch | undefined;
  /**
   * The server requires the version from which it has made the command, and makes it again from another one: a
   * `version-mismatch` is no answer to the request, and is not remembered with its idempotency key.
   */
  readonly isOwnMatch?: boolean | undefined;
}

/** A command with the key of an earlier one is not executed: the earlier outcome or error is returned. */
export interface Idempotency {
  /** Chosen by the client. Forgotten after a day. */
  readonly key: string;
  /** A digest of the whole request; the same key with a different one is rejected (`idempotency-mismatch`). */
  readonly request: string;
}

export interface AddRuleCommand extends Conditional {
  readonly kind: "add-rule";
  readonly rulesetId: string;
  readonly request: AddRequest;
  /**
   * Rejected (`rule-exists`), whatever the mode, if the prefix has a rule ("*") or a rule with one of these `ruleTag`s.
   */
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

/** One item of a batch. Later items see the effects of earlier ones. */
export type BatchItem =
  | { readonly add: AddRequest }
  | { readonly delete: Prefix; /** Where there is no rule, the item fails. */ readonly mustExist?: boolean };

export interface BatchRulesCommand extends Conditional {
  readonly kind: "batch-rules";
  readonly rulesetId: string;
  readonly items: readonly BatchItem[];
  /** If one item fails, all are rejected (`batch-refused`). */
  readonly atomic: boolean;
}

/**
 * Undoes a change of rules: those that it touched are exactly as they were before it, including their creation times.
 * Rejected (`rules-changed`) if one of them has changed since, and (`change-not-kept`) if the rules of the change have
 * not been kept.
 */
export interface RestoreRulesCommand extends Owned {
  readonly kind: "restore-rules";
  readonly rulesetId: string;
  /** The sequence of the change to undo. */
  readonly sequence: number;
}

/**
 * The result of an item; `not_applied`: another item failed, and nothing was done. A failed item has an `error`.
 * `absent`: there was nothing to delete.
 */
export type BatchResult = { readonly error?: string } & (
  | { readonly action: Addition["action"]; readonly rule: Rule }
  | { readonly action: "deleted" | "absent" | "too_many_rules" | "not_applied"; readonly prefix: Prefix }
);

/** Makes these rules the only ones of the ruleset, all or nothing. */
export interface ReplaceRulesCommand extends Conditional {
  readonly kind: "replace-rules";
  readonly rulesetId: string;
  /**
   * Prefixes, names and expiries, in the order of prefixes, each prefix once, IPv4 first; the other times are not read.
   * The store takes ownership of parts whose names are packed: they are transferred to its thread without a copy, and
   * the times are written into them.
   */
  readonly rules: readonly RuleColumns[];
  readonly digest?: string | undefined;
  /** Rejected (`shrinks-too-much`) if it would remove more. */
  readonly shrink?: ShrinkLimits;
  /** What else the response counts: part of the outcome, so that a repeated request gets the same. */
  readonly about?: Readonly<Record<string, number>> | undefined;
}

/**
 * Adds the rules, all or nothing (`batch-refused`), each as `add-rule` does in this mode. For lists of any length: all
 * rules share one result.
 */
export interface ImportRulesCommand extends Conditional {
  readonly kind: "import-rules";
  readonly rulesetId: string;
  /** As for `replace-rules`. */
  readonly rules: readonly CarvedColumns[];
  readonly mode: ConflictMode;
  /** SHA-256 of the list as it was sent, for the audit log. */
  readonly digest?: string | undefined;
  /** What the store has found out beforehand; not read at any other version of the ruleset. */
  readonly unskipped?: UnskippedRules;
}

/** The rules of a list that an import would not skip at a version of the ruleset: their indexes in each part. */
export interface UnskippedRules {
  readonly version: number;
  readonly indexes: readonly Uint32Array[];
}

export interface ImportCounts {
  readonly created: number;
  readonly updated: number;
  readonly skipped: number;
  /** Whether the previous rules are kept, so that it can be undone. */
  readonly isKept: boolean;
}

/** How many rules a replacement added, changed, removed and left unchanged. */
export interface ReplacementCounts {
  /** As in `ImportCounts`. */
  readonly isKept: boolean;
  readonly added: number;
  readonly updated: number;
  readonly removed: number;
  readonly unchanged: number;
}

/**
 * By a server: appends the expiries that are due at the time of the command to the feeds of all organisations.
 * Repeating it changes nothing.
 */
export interface ExpireRulesCommand extends Signed {
  readonly kind: "expire-rules";
}

export interface CreateRulesetCommand extends Conditional {
  readonly kind: "create-ruleset";
  readonly name: string;
  readonly purpose: Purpose;
  readonly description: string;
  /** `warn` by default. */
  readonly guard?: GuardPolicy | undefined;
  /** Null by default. */
  readonly guardClasses?: GuardClasses | undefined;
  /** False by default. */
  readonly neverBlock?: boolean | undefined;
}

export interface UpdateRulesetCommand extends Conditional {
  readonly kind: "update-ruleset";
  readonly rulesetId: string;
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly guard?: GuardPolicy | undefined;
  readonly guardClasses?: GuardClasses | undefined;
  readonly neverBlock?: boolean | undefined;
}

export interface DeleteRulesetCommand extends Conditional {
  readonly kind: "delete-ruleset";
  readonly rulesetId: string;
}

/**
 * Restores a deleted ruleset as it was: with its id, its creation time, and its rules. Rejected (`ruleset-exists`,
 * `change-not-kept`).
 */
export interface RestoreRulesetCommand extends Owned {
  readonly kind: "restore-ruleset";
  /** The sequence of the change that deleted it. */
  readonly sequence: number;
}

/** With its first two rulesets, "My Allowlist rules" and "My Blocklist rules". */
export interface CreateOrganisationCommand extends Signed {
  readonly kind: "create-organisation";
  readonly name: string;
}

/** Of guards of the organisation that say nothing about it. */
export interface SetGuardClassesCommand extends Owned {
  readonly kind: "set-guard-classes";
  readonly guardClasses: GuardClasses;
}

export interface SetPlanCommand extends Owned {
  readonly kind: "set-plan";
  readonly area: Area;
  readonly active: boolean;
  readonly until: number | null;
  readonly perMinute: number | null;
  readonly perMonth: number | null;
}

/** A new credential of a kind: its digest, and what it opens. */
export type CreateCredentialCommand<Kind extends CredentialKind = CredentialKind> = {
  [Each in Kind]: Owned & {
    readonly kind: "create-credential";
    readonly credential: Each;
    readonly label: string;
    readonly digest: string;
    readonly start: string;
    /** Null by default. */
    readonly expiresAt?: number | null;
  } & GivenScopes[Each];
}[Kind];

/** Repeating it changes nothing. */
export interface RevokeCredentialCommand extends Owned {
  readonly kind: "revoke-credential";
  readonly credential: CredentialKind;
  readonly credentialId: string;
}

/**
 * Records that a user has had the server's catalogue or its threat intelligence replaced. The data themselves are files
 * of the server; this is for the audit log and the feeds.
 */
export type RecordDatasetCommand = RecordOf<"update-catalogue"> | RecordOf<"import-feed">;

interface RecordOf<Kind extends string> extends Owned {
  readonly kind: Kind;
  /** The previous dataset; null if there was none. */
  readonly old: DatasetFacts | null;
  readonly new: DatasetFacts;
}

/** By a server: a key expires soon. Announced once, however many servers find it. */
export interface AnnounceKeyCommand extends Owned {
  readonly kind: "announce-expiring-key";
  readonly keyId: string;
}

/** By a server: devices have stopped requesting a list. Announced once until the list is requested again. */
export interface AnnounceSilenceCommand extends Owned {
  readonly kind: "announce-silent-deployment";
  readonly deploymentId: string;
}

export type AnnouncementCommand = AnnounceKeyCommand | AnnounceSilenceCommand;

export interface CreateDeploymentCommand extends Owned {
  readonly kind: "create-deployment";
  readonly name: string;
  readonly definition: DeploymentDefinition;
}

/** `definition`: only the properties that change. */
export interface UpdateDeploymentCommand extends Conditional {
  readonly kind: "update-deployment";
  readonly deploymentId: string;
  readonly name?: string | undefined;
  readonly definition: DefinitionChanges;
  /** With these the changes were checked. If they are others now, the command is rejected (`definition-changed`). */
  readonly checkedWith?: Together | undefined;
}

export interface DeleteDeploymentCommand extends Conditional {
  readonly kind: "delete-deployment";
  readonly deploymentId: string;
}

/** Replaces the token of the feed URLs, or the password: then the command has the digest of the new one. */
export interface RotateDeploymentCommand extends Owned {
  readonly kind: "rotate-deployment";
  readonly deploymentId: string;
  readonly credential: { readonly url: true } | { readonly password: string };
  /** The first millisecond at which the token before this one is no longer valid. */
  readonly graceUntil: number;
}

/**
 * Allows a list to be published that was refused because of how it changes or what it blocks. Rejected
 * (`list-not-refused`) if that list is not the refused one.
 */
export interface ReleaseListCommand extends Owned {
  readonly kind: "release-list";
  readonly deploymentId: string;
  /** The number of the refused list. */
  readonly number: number;
}

/** By a server: publishes the list that it has compiled. */
export interface PublishListCommand extends Owned {
  readonly kind: "publish-list";
  readonly deploymentId: string;
  /** The generation that it was compared with; 0: there was none. */
  readonly basedOn: number;
  readonly list: Omit<PublishedList, "generation" | "at">;
  /** The list in base64, as `READS.publishedList` returns it. */
  readonly content: string;
}

/** By a server: refuses to publish the list that it has compiled. */
export interface RefuseListCommand extends Owned {
  readonly kind: "refuse-list";
  readonly deploymentId: string;
  readonly basedOn: number;
  readonly refusal: Omit<RefusedList, "number" | "at">;
}

export type DeploymentCommand =
  | CreateDeploymentCommand
  | UpdateDeploymentCommand
  | DeleteDeploymentCommand
  | RotateDeploymentCommand
  | ReleaseListCommand
  | PublishListCommand
  | RefuseListCommand;

export interface CreateListCommand extends Owned {
  readonly kind: "create-list";
  readonly name: string;
  readonly definition: ExternalListDefinition;
}

/** `definition`: only the properties that change. */
export interface UpdateListCommand extends Owned {
  readonly kind: "update-list";
  readonly listId: string;
  readonly name?: string | undefined;
  readonly definition: Partial<ExternalListDefinition>;
}

export interface DeleteListCommand extends Owned {
  readonly kind: "delete-list";
  readonly listId: string;
}

/** Gives an external list other credentials, or none. Rejected (`list-moved`) if they are for another origin. */
export interface SetListCredentialsCommand extends Owned {
  readonly kind: "set-list-credentials";
  readonly listId: string;
  readonly credentials: ListCredentials | null;
  /** Encrypted. */
  readonly secret: string | null;
}

/** By a server that is about to fetch a list: keeps others from fetching it. */
export interface ClaimFetchCommand extends Owned {
  readonly kind: "claim-fetch";
  readonly listId: string;
  /** Until then no other server fetches it. */
  readonly until: number;
  /** Whether it was requested before it is due. */
  readonly isRequested: boolean;
}

/** By a server that has fetched a list. */
export interface FinishFetchCommand extends Owned {
  readonly kind: "finish-fetch";
  readonly listId: string;
  /** `until` of the claim. */
  readonly claimedUntil: number;
  /** `updatedAt` of the list that was fetched. */
  readonly basedOn: number;
  readonly dueAt: number;
  /** null: the fetch was aborted. */
  readonly result:
    | {
        /** null: the content is unchanged. */
        readonly content: Omit<FetchedContent, "number" | "at"> | null;
        /** The lines that were left out of unchanged content; absent if they are unchanged as well. */
        readonly rejected?: FetchedContent["rejected"];
        /** In the form of `READS.listContent`; absent if the content is unchanged. */
        readonly packed?: string;
        readonly validators: FetchValidators;
      }
    | { readonly problem: Omit<FetchProblem, "since"> }
    | null;
}

/** What a server needs to fetch a list. */
export interface FetchClaim {
  readonly list: ExternalList;
  readonly validators: FetchValidators | null;
  readonly secret: string | null;
}

export type ExternalListCommand =
  | CreateListCommand
  | UpdateListCommand
  | DeleteListCommand
  | SetListCredentialsCommand
  | ClaimFetchCommand
  | FinishFetchCommand;
export interface CreateWebhookCommand extends Owned {
  readonly kind: "create-webhook";
  readonly definition: WebhookDefinition;
  /** Sealed. */
  readonly secret: string;
}

/** `definition`: only the properties that change. */
export interface UpdateWebhookCommand extends Owned {
  readonly kind: "update-webhook";
  readonly webhookId: string;
  readonly definition: Partial<WebhookDefinition>;
  /** When it starts again, whether the events since it stopped are delivered; true by default. */
  readonly missed?: "resume" | "skip" | undefined;
}

export interface DeleteWebhookCommand extends Owned {
  readonly kind: "delete-webhook";
  readonly webhookId: string;
}

/** Replaces the secret; until `graceUntil`, messages are signed with the previous one as well. */
export interface RotateWebhookCommand extends Owned {
  readonly kind: "rotate-webhook";
  readonly webhookId: string;
  /** Sealed. */
  readonly secret: string;
  readonly graceUntil: number;
}

/** By a server: stops deliveries to the endpoint until a user activates it again. */
export interface StopWebhookCommand extends Owned {
  readonly kind: "stop-webhook";
  readonly webhookId: string;
  readonly reason: StopReason;
  /** The `updatedAt` of the endpoint that it has delivered to. */
  readonly seen: number;
}

export type WebhookCommand =
  | CreateWebhookCommand
  | UpdateWebhookCommand
  | DeleteWebhookCommand
  | RotateWebhookCommand
  | StopWebhookCommand;

/** A new session: the digest of its token, and its end. */
export type NewSession = Pick<Session, "digest" | "expiresAt">;

/** An invitation: the digest of its token, and its end. An earlier one of the same user ends. */
export type Invitation = Pick<Session, "digest" | "expiresAt">;

/**
 * Creates the first user, an admin, and starts a session; creates the organisation, with all plans, if it does not
 * exist.
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

/** Rejected (`last-admin`) if the organisation would have no admin left who can sign in. */
export interface SetRoleCommand extends Owned {
  readonly kind: "set-role";
  readonly userId: string;
  readonly role: Role;
}

/**
 * Also ends the user's sessions. Rejected (`last-admin`) if the organisation would have no admin left who can sign in.
 */
export interface DeleteUserCommand extends Owned {
  readonly kind: "delete-user";
  readonly userId: string;
}

/** Lets the user choose a (new) password; the old one is valid until then. */
export interface InviteUserCommand extends Owned {
  readonly kind: "invite-user";
  readonly userId: string;
  readonly invitation: Invitation;
}

/**
 * Accepts an invitation: sets the password, ends the user's sessions and starts one. The change is the user's, whatever
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
  /**
   * The hash of the old password that was verified; rejected (`password-changed`) if the password has changed since.
   */
  readonly checked: string;
  readonly password: string;
  /** The digest of the session that continues. */
  readonly session: string;
}

export interface StartSessionCommand extends Owned {
  readonly kind: "start-session";
  readonly userId: string;
  /** As in SetPasswordCommand. */
  readonly checked: string;
  readonly session: NewSession;
}

/** Repeating it changes nothing. */
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

/** Commands about anything except the rules of a ruleset. */
export type EntityCommand =
  | CreateRulesetCommand
  | UpdateRulesetCommand
  | CreateOrganisationCommand
  | SetGuardClassesCommand
  | SetPlanCommand
  | CreateCredentialCommand
  | RevokeCredentialCommand
  | RecordDatasetCommand
  | AnnouncementCommand
  | DeploymentCommand
  | ExternalListCommand
  | WebhookCommand
  | UserCommand;

export type Command =
  | AddRuleCommand
  | UpdateRuleCommand
  | DeleteRuleCommand
  | BatchRulesCommand
  | RestoreRulesCommand
  | ReplaceRulesCommand
  | ImportRulesCommand
  | ExpireRulesCommand
  | DeleteRulesetCommand
  | RestoreRulesetCommand
  | EntityCommand;

export type CommandKind = Command["kind"];

/** The outcome of each command that was executed. */
export interface Outcomes {
  /** Never `conflict`: that is rejected (`conflict`), with the existing rule. */
  readonly "add-rule": Addition;
  readonly "update-rule": { readonly rule: Rule };
  readonly "delete-rule": Record<never, never>;
  readonly "batch-rules": { readonly results: readonly BatchResult[] };
  readonly "restore-rules": Record<never, never>;
  readonly "replace-rules": ReplacementCounts & Pick<ReplaceRulesCommand, "about">;
  readonly "import-rules": ImportCounts;
  readonly "expire-rules": Record<never, never>;
  readonly "create-ruleset": { readonly ruleset: Ruleset };
  readonly "update-ruleset": { readonly ruleset: Ruleset };
  readonly "delete-ruleset": Record<never, never>;
  readonly "restore-ruleset": { readonly ruleset: Ruleset };
  readonly "create-organisation": { readonly organisation: Organisation; readonly rulesets: readonly Ruleset[] };
  readonly "set-guard-classes": { readonly organisation: Organisation };
  readonly "set-plan": { readonly plan: Plan };
  readonly "create-credential": { readonly credential: Credential };
  readonly "revoke-credential": { readonly credential: Credential };
  readonly "update-catalogue": Record<never, never>;
  readonly "import-feed": Record<never, never>;
  /** `isAnnounced`: whether it is announced, now or earlier. */
  readonly "announce-expiring-key": { readonly isAnnounced: boolean };
  readonly "announce-silent-deployment": { readonly isAnnounced: boolean };
  readonly "create-deployment": { readonly deployment: Deployment };
  readonly "update-deployment": { readonly deployment: Deployment };
  readonly "delete-deployment": Record<never, never>;
  readonly "rotate-deployment": { readonly deployment: Deployment };
  readonly "release-list": { readonly deployment: Deployment };
  /** `isLate`: another server was faster, and nothing was done. */
  readonly "publish-list": { readonly deployment: Deployment; readonly isLate: boolean };
  readonly "refuse-list": { readonly deployment: Deployment; readonly isLate: boolean };
  readonly "create-list": { readonly list: ExternalList };
  readonly "update-list": { readonly list: ExternalList };
  readonly "delete-list": Record<never, never>;
  readonly "set-list-credentials": { readonly list: ExternalList };
  /** `claim`: null if the list is not due, or another server is fetching it; `dueAt`: when to try again. */
  readonly "claim-fetch": { readonly claim: FetchClaim | null; readonly dueAt: number };
  /** `isLate`: the list has been changed meanwhile, and nothing was done. */
  readonly "finish-fetch": { readonly list: ExternalList; readonly isLate: boolean };
  readonly "create-webhook": { readonly webhook: Webhook };
  readonly "update-webhook": { readonly webhook: Webhook };
  readonly "delete-webhook": Record<never, never>;
  readonly "rotate-webhook": { readonly webhook: Webhook };
  readonly "stop-webhook": { readonly webhook: Webhook };
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

/** Whether the command may write a million rules: such a command gets a group of its own. */
export function takesLong({ kind }: Command): boolean {
  return (
    kind === "replace-rules" ||
    kind === "import-rules" ||
    kind === "restore-rules" ||
    kind === "delete-ruleset" ||
    kind === "restore-ruleset"
  );
}
