import type { GuardClasses, GuardPolicy } from "./records/guard-policy.ts";
import type { Deployment } from "./records/deployment.ts";
import type { Credential } from "./records/credential.ts";
import type { ExternalList } from "./records/external-list.ts";
import type { Webhook } from "./records/webhook.ts";
import type { RuleColumns } from "../rulesets/rule-columns.ts";

// What the store holds besides rules. Times are integers: milliseconds since 1970 UTC. Ids are UUIDs.

/** What a ruleset is for. It never changes. */
export const PURPOSES = ["allowlist", "blocklist"] as const;
export type Purpose = (typeof PURPOSES)[number];

/** The areas of the service that an organisation can have a plan for. */
export const AREAS = ["edl", "cbs", "cti"] as const;
export type Area = (typeof AREAS)[number];

/** What a user may do: see everything except users and the audit log, also write rulesets, or everything. */
export const ROLES = ["viewer", "editor", "admin"] as const;
export type Role = (typeof ROLES)[number];

export interface Organisation {
  readonly id: string;
  /** Unique among organisations. */
  readonly name: string;
  readonly createdAt: number;
  /** Of guards that say nothing about it. */
  readonly guardClasses: GuardClasses;
}

/** Each organisation has at most one plan per area; an area without a plan is not active. */
export interface Plan {
  readonly organisationId: string;
  readonly area: Area;
  readonly active: boolean;
  /** The first millisecond at which it is no longer active; null: it does not end. */
  readonly until: number | null;
  /** Requests allowed per key; null: the server's default. */
  readonly perMinute: number | null;
  readonly perMonth: number | null;
}

/** A person who signs in. Only `READS.credentials` returns the hash of the password. */
export interface User {
  readonly id: string;
  readonly organisationId: string;
  /** Unique in the service, regardless of case, except for deleted users. */
  readonly name: string;
  readonly role: Role;
  readonly createdAt: number;
  readonly lastSignInAt: number | null;
  /** The first millisecond at which the open invitation has expired; null: there is none. */
  readonly invitedUntil: number | null;
  /** Deleted users are kept for their names in the audit log. */
  readonly deletedAt: number | null;
}

export interface Session {
  /** SHA-256 of the session's token in base64url; the token itself is not stored. */
  readonly digest: string;
  readonly userId: string;
  readonly createdAt: number;
  /** The first millisecond at which it has ended. */
  readonly expiresAt: number;
}

/** The credentials of a user. */
export interface Credentials {
  readonly userId: string;
  readonly organisationId: string;
  /** The password's hash. */
  readonly password: string;
}

/** The user of an invitation. */
export type Invited = Pick<User, "id" | "organisationId" | "name">;

/** The guard of a ruleset that was created before rulesets had guards. */
export const UNGUARDED = { guard: "warn", guardClasses: null, neverBlock: false } as const satisfies Partial<Ruleset>;

export interface Ruleset {
  readonly id: string;
  readonly organisationId: string;
  readonly name: string;
  readonly purpose: Purpose;
  /** "" if there is none. */
  readonly description: string;
  /** What happens to writes that would block something protected. Allowlists block nothing. */
  readonly guard: GuardPolicy;
  /** Null: as the organisation's. */
  readonly guardClasses: GuardClasses;
  /** Whether an allowlist has the organisation's own networks. */
  readonly neverBlock: boolean;
  readonly createdAt: number;
  /** Changes when the ruleset or one of its rules changes. */
  readonly updatedAt: number;
  /** The sequence of the last change of the ruleset or one of its rules. */
  readonly version: number;
  /** `Change.stamp` of that change: two histories of a restored database may both have the version. */
  readonly stamp: string;
}

/**
 * Identifies the content of a ruleset, for tags and keys of caches: a database that was restored from a backup gives
 * the versions that it lost to other contents, but with other stamps.
 */
export function stateOf({ version, stamp }: Pick<Ruleset, "version" | "stamp">): string {
  return `${version}.${stamp}`;
}

/** A dataset of the server, as the audit log describes it. Properties that do not apply are left out. */
export interface DatasetFacts {
  readonly dataset: "catalogue" | "cti";
  /** Where it comes from: the name of a feed, or the number of lists. */
  readonly source?: string;
  readonly createdAt?: number;
  readonly prefixes?: number;
  /** Prefixes that the previous one did not have, and those that this one no longer has. */
  readonly added?: number;
  readonly removed?: number;
  /** Lines that could not be read. */
  readonly skipped?: number;
  /** SHA-256 in hexadecimal: of a feed as it was sent, of a catalogue as a file. */
  readonly digest?: string;
}

/**
 * Everything except rules at one instant; `load` delivers the rules of the same instant separately. Organisations,
 * users and rulesets are in the order of their creation: by `createdAt`, then `id`.
 */
export interface State {
  /** The last change that it includes. */
  readonly sequence: number;
  readonly organisations: readonly Organisation[];
  readonly plans: readonly Plan[];
  /** Including revoked ones. */
  readonly credentials: readonly Credential[];
  /** Including deleted ones. */
  readonly users: readonly User[];
  /** Possibly including expired ones. */
  readonly sessions: readonly Session[];
  readonly rulesets: readonly Ruleset[];
  /** Including deleted ones. */
  readonly deployments: readonly Deployment[];
  readonly externalLists: readonly ExternalList[];
  readonly webhooks: readonly Webhook[];
}

/** The state of a store to which nothing has been written. */
export const EMPTY_STATE: State = {
  sequence: 0,
  organisations: [],
  plans: [],
  credentials: [],
  users: [],
  sessions: [],
  rulesets: [],
  deployments: [],
  externalLists: [],
  webhooks: [],
};

/** A part of the rules of one ruleset: of one family, in the order of prefixes. */
export interface RulesetRules {
  readonly rulesetId: string;
  readonly rules: RuleColumns;
}

/** The requests made with a key under a plan in a month. */
export interface Usage {
  readonly keyId: string;
  /** null: recorded by a release that did not distinguish areas. Such requests count against no plan. */
  readonly area: Area | null;
  /** `YYYY-MM`, UTC. */
  readonly month: string;
  /** When recorded: how many more. When read: how many in all. */
  readonly requests: number;
  readonly lastUsedAt: number;
}

/** The requests made with a key under all plans in a month. */
export type KeyUsage = Omit<Usage, "area">;

/** What a store contains. */
export interface StoreReport {
  readonly schema: number;
  readonly sequence: number;
  readonly organisations: number;
  readonly keys: number;
  readonly rulesets: number;
  readonly rules: number;
}
