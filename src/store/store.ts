import type { AuditEntry, AuditPage, AuditQuery } from "./audit.ts";
import type { ApplyChanges } from "./_change-feed.ts";
import type { Change } from "./change.ts";
import type { Command, CommandKind, Outcome } from "./command.ts";
import type { Credentials, Invited, KeyUsage, RulesetRules, State, Usage } from "./state.ts";
import type { Traffic } from "./traffic.ts";

/**
 * Organisations, plans, keys, users, rulesets and rules, durably. Servers read from memory, which they fill by `load`
 * and keep by `follow`; writing is deciding: a command is decided by what the database holds, in one transaction for
 * all the commands of a few milliseconds. SQLite and PostgreSQL behave alike.
 *
 *     const state = await store.load((part) => memory.addRules(part));
 *     memory.addState(state);
 *     store.follow(state.sequence, (changes) => memory.apply(changes), (error) => log(error));
 *     const { action, rule } = await store.write({ kind: "add-rule", ... }); // memory has it
 */
export interface Store {
  /**
   * Reads everything as of one instant. Rules come in parts as they are read, ruleset by ruleset, IPv4 first, in the
   * order of prefixes; `receive` is called as often as there are parts, before the promise resolves. A ruleset without
   * rules has none. With null no rules are read.
   */
  load(receive: ((part: RulesetRules) => void) | null): Promise<State>;

  /**
   * Calls `apply` with all changes after `sequence`, each once, in order and without a gap: those of this store's
   * `write` at once, before its promise resolves, and those of other processes when they are seen, within a second.
   * `apply` may take its time, and be given the next ones meanwhile: a write that it has not taken yet does not
   * resolve. `failed` is told when looking for changes fails; it is tried again. But where `isLost`, since changes are
   * no longer kept (`changes-gone`) or `apply` has failed, no more are given, and writes wait: load again and `resume`.
   * Once per store; `close` ends it.
   */
  follow(sequence: number, apply: ApplyChanges, failed: (error: unknown, isLost: boolean) => void): void;

  /** Goes on with `follow`: with the changes after `sequence`, up to which the state has been loaded again. */
  resume(sequence: number): void;

  /** Looks for changes of other processes now, for who cannot wait a second; `follow` gives them. */
  look(): void;

  /** For how many milliseconds others may have made changes that `follow` has not given; 0 before it is called. */
  staleness(): number;

  /**
   * The changes after `sequence`, in order; perhaps not all: until it gives none there may be more. Throws StoreError
   * (`changes-gone`).
   */
  changesAfter(sequence: number): Promise<readonly Change[]>;

  /** Carries the command out, durably, or throws StoreError and has written nothing (but for `outcome-unknown`). */
  write<Kind extends CommandKind>(command: Extract<Command, { kind: Kind }>): Promise<Outcome<Kind>>;

  /** What the user of this name signs in with; null where there is none, or no password yet. Capitals do not matter. */
  credentials(name: string): Promise<Credentials | null>;

  /** Whom the invitation of this digest is for; null where it cannot be followed at that time. */
  invited(digest: string, at: number): Promise<Invited | null>;

  /** Adds the requests to those recorded for the key and month. For increments of seconds, not for every request. */
  recordUsage(increments: readonly Usage[]): Promise<void>;

  /**
   * Adds what was asked in these minutes to what other servers have recorded of them, and to the longer steps in which
   * older traffic is kept.
   */
  recordTraffic(minutes: readonly Traffic[]): Promise<void>;

  /**
   * What was asked of all servers together, in steps of one of the lengths that are kept, from a time on, the oldest
   * first. Steps without a request are left out.
   */
  traffic(step: number, from: number): Promise<readonly Traffic[]>;

  /** Has the database write what changes nothing, at once: rejects while it fails. */
  probe(): Promise<void>;

  /** The requests of each key, by area, that has made some in the month (`YYYY-MM`), by all servers together. */
  usage(month: string): Promise<readonly Usage[]>;

  /** The requests in the month, and the last use in any month, of each key of the organisation that was ever used. */
  usageOf(organisationId: string, month: string): Promise<readonly KeyUsage[]>;

  /** The audit log of an organisation, page by page. Changes of many rules come without them. */
  audit(organisationId: string, query: AuditQuery): Promise<AuditPage>;

  /**
   * One entry; null where it is not the organisation's. Of as many rules as are kept it tells how many were added,
   * changed and deleted; of more than a page shows, no more.
   */
  auditEntry(organisationId: string, sequence: number): Promise<AuditEntry | null>;

  /** Whether all rules that a change touched are still as it left them. */
  isAsLeft(organisationId: string, sequence: number): Promise<boolean>;

  /** Whether the database answers and is whole. Throws StoreError (`damaged`). Reads all of it. */
  check(): Promise<StoreReport>;

  /** Writes a consistent copy to a new file while others write. Throws StoreError (`exists`). */
  backup(path: string): Promise<void>;

  /** Carries out what has been given to `write`, then lets go of the database. */
  close(): Promise<void>;
}

/** What a store holds. */
export interface StoreReport {
  readonly schema: number;
  readonly sequence: number;
  readonly organisations: number;
  readonly keys: number;
  readonly rulesets: number;
  readonly rules: number;
}

/** What is limited in the database. */
export type StoreLimits = Pick<StoreOptions, "rulesPerRuleset" | "rulesetsPerOrganisation" | "auditDays">;

/** Where a store is and how it is used. */
export interface StoreOptions {
  /** Most rules of a ruleset, active and expired. */
  readonly rulesPerRuleset: number;
  readonly rulesetsPerOrganisation: number;
  /** For how many days changes are kept, for the audit log. */
  readonly auditDays: number;
  /** How often to look for other processes' changes, in milliseconds. */
  readonly pollEvery: number;
  /** How long a write goes on trying while PostgreSQL is away, in milliseconds. */
  readonly patience: number;
  /**
   * Whether to make the tables, or bring them up to date; else a store of another schema is refused (`older-schema`).
   */
  readonly create: boolean;
}
