/** What is limited in the database. */
export const STORE_LIMITS = [
  "rulesPerRuleset",
  "rulesetsPerOrganisation",
  "deploymentsPerOrganisation",
  "listsPerOrganisation",
  "webhooksPerOrganisation",
  "credentialsPerOrganisation",
  "auditDays",
  "eventDays",
  "eventsPerOrganisation",
] as const satisfies readonly (keyof StoreOptions)[];
export type StoreLimits = Pick<StoreOptions, (typeof STORE_LIMITS)[number]>;

/** How a store is opened and used. */
export interface StoreOptions {
  /** Maximum rules of a ruleset, active and expired. */
  readonly rulesPerRuleset: number;
  readonly rulesetsPerOrganisation: number;
  /** Those that are not deleted. */
  readonly deploymentsPerOrganisation: number;
  /** External lists. */
  readonly listsPerOrganisation: number;
  readonly webhooksPerOrganisation: number;
  /** Those that are not revoked: of deployments, and of TAXII clients, so many of each. */
  readonly credentialsPerOrganisation: number;
  /** Days for which changes are kept, for the audit log. */
  readonly auditDays: number;
  /** Days for which the events of the feed are kept, and how many of each organisation. */
  readonly eventDays: number;
  readonly eventsPerOrganisation: number;
  /** Milliseconds between two polls for other processes' changes. */
  readonly pollEvery: number;
  /** Milliseconds for which a write is retried while PostgreSQL is unavailable. */
  readonly patience: number;
  /**
   * Whether to create the tables or bring them up to date; otherwise a store with another schema is rejected
   * (`older-schema`).
   */
  readonly create: boolean;
}
