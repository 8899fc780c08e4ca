import type { ApplyChanges, Change } from "./change.ts";
import type { Command, CommandKind, Outcome } from "./command.ts";
import type { CounterName, Increments, Recorded } from "./counters.ts";
import type { ReadAnswer, ReadName, ReadRequest } from "./reads.ts";
import type { RulesetRules, StoreReport } from "./state.ts";
import type { LoadedState, SavedRules } from "./saved-rules.ts";

/**
 * Stores organisations, plans, keys, users, rulesets and rules durably. Servers read from memory, which they fill with
 * `load` and keep up to date with `follow`. A command is decided by the content of the database, in one transaction for
 * all commands of a few milliseconds. SQLite and PostgreSQL behave alike.
 *
 *     const state = await store.load((part) => memory.addRules(part));
 *     memory.addState(state);
 *     store.follow(state.sequence, (changes) => memory.apply(changes), (error) => log(error));
 *     const { action, rule } = await store.write({ kind: "add-rule", ... }); // memory has it
 */
export interface Store {
  /**
   * Reads everything as of one instant. Rules come in parts while they are read, ruleset by ruleset, IPv4 first, in the
   * order of prefixes; `receive` is called for each part before the promise resolves. A ruleset without rules has no
   * part. With null, no rules are read. For a ruleset with `saved` rules, only the changes that they
   * lack are read (`LoadedState.caughtUp`), unless the saved rules cannot be used.
   */
  load(receive: ((part: RulesetRules) => void) | null, saved?: readonly SavedRules[]): Promise<LoadedState>;

  /**
   * Calls `apply` with all changes after `sequence`, each once, in order and without gaps: those of this store's
   * `write` immediately, before its promise resolves, and those of other processes when they are seen, within a second.
   * `apply` may return a promise and get the next changes meanwhile: a write resolves only when its changes are
   * applied. `failed` is called when polling for changes fails; it is retried. If `isLost`, because changes are no
   * longer kept (`changes-gone`) or `apply` has failed, no more changes are delivered, and writes wait: reload and call
   * `resume`. Once per store; `close` ends it.
   */
  follow(sequence: number, apply: ApplyChanges, failed: (error: unknown, isLost: boolean) => void): void;

  /** Continues `follow` with the changes after `sequence`, up to which the state has been reloaded. */
  resume(sequence: number): void;

  /** Polls for changes of other processes now, for callers that cannot wait a second; `follow` delivers them. */
  poll(): void;

  /**
   * Milliseconds since `follow` last had all changes of others, which may have made further ones since; 0 before it is
   * called.
   */
  staleness(): number;

  /**
   * The changes after `sequence`, in order; possibly not all: call it again until it returns none. Throws StoreError
   * (`changes-gone`).
   */
  changesAfter(sequence: number): Promise<readonly Change[]>;

  /** Executes the command durably, or throws StoreError and has written nothing (except for `outcome-unknown`). */
  write<Kind extends CommandKind>(command: Extract<Command, { kind: Kind }>): Promise<Outcome<Kind>>;

  /** Runs one of `READS`. */
  read<Name extends ReadName>(name: Name, ...request: ReadRequest<Name>): Promise<ReadAnswer<Name>>;

  /** Adds to one of `COUNTERS`. */
  record<Name extends CounterName>(name: Name, ...increments: Increments<Name>): Promise<Recorded<Name>>;

  /**
   * Calls `look` when there may be new events in the feed of an organisation, or (null) in any feed. Events by other
   * processes are noticed when the database announces them, which SQLite does not do: poll as well. Returns a function
   * that ends it.
   */
  onEvents(look: (organisationId: string | null) => void): () => void;

  /** Makes the database write something that changes no content. Rejects while the database fails. */
  probe(): Promise<void>;

  /** Checks that the database responds and is intact. Throws StoreError (`corrupt`). Reads all of it. */
  check(): Promise<StoreReport>;

  /** Writes a consistent copy to a new file while others write. Throws StoreError (`exists`). */
  backup(path: string): Promise<void>;

  /** Executes the commands already passed to `write`, then releases the database. */
  close(): Promise<void>;
}
