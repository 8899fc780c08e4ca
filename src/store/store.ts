import type { ApplyChanges } from "./_change-feed.ts";
import type { Change } from "./change.ts";
import type { Command, CommandKind, Outcome } from "./command.ts";
import type { CounterName, Increments, Recorded } from "./counters.ts";
import type { ReadAnswer, ReadName, ReadRequest } from "./reads.ts";
import type { RulesetRules, State } from "./state.ts";

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
   * resolve. `failed` is called when looking for changes fails; it is tried again. But where `isLost`, since changes
   * are no longer kept (`changes-gone`) or `apply` has failed, no more are given, and writes wait: load again and
   * `resume`. Once per store; `close` ends it.
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

  /** Executes the command, durably, or throws StoreError and has written nothing (but for `outcome-unknown`). */
  write<Kind extends CommandKind>(command: Extract<Command, { kind: Kind }>): Promise<Outcome<Kind>>;

  /** Answers one of the questions of `READS`. */
  read<Name extends ReadName>(name: Name, ...request: ReadRequest<Name>): Promise<ReadAnswer<Name>>;

  /** Adds to one of `COUNTERS`. */
  record<Name extends CounterName>(name: Name, ...increments: Increments<Name>): Promise<Recorded<Name>>;

  /** Has the database write what changes nothing, at once: rejects while it fails. */
  probe(): Promise<void>;

  /** Whether the database answers and is whole. Throws StoreError (`damaged`). Reads all of it. */
  check(): Promise<StoreReport>;

  /** Writes a consistent copy to a new file while others write. Throws StoreError (`exists`). */
  backup(path: string): Promise<void>;

  /** Executes what has been given to `write`, then lets go of the database. */
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
   * Whether to make the tables, or bring them up to date; else a store of another schema is rejected (`older-schema`).
   */
  readonly create: boolean;
}
