import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { type ControlledTransaction, sql } from "kysely";
import { Client } from "pg";
import type { GroupAnswer } from "../_answer.ts";
import type { Backend } from "../_backend.ts";
import { readFurtherChanges } from "../sql/history/_changes.ts";
import type { Tables } from "../sql/_tables.ts";
import { executeGroup } from "../sql/commands/_group-commit.ts";
import { readState } from "../sql/_read-state.ts";
import { readReport } from "../sql/_report.ts";
import { takesLong, type Command } from "../command.ts";
import type { Change } from "../change.ts";
import { type CounterName, type Increments, record, type Recorded } from "../counters.ts";
import { find, type ReadFound, type ReadName, type ReadRequest } from "../reads.ts";
import { checkSchema, migrate } from "../migrations/migrate.ts";
import type { RulesetRules, StoreReport } from "../state.ts";
import type { LoadedState, SavedRules } from "../saved-rules.ts";
import { StoreError } from "../store-error.ts";
import type { StoreOptions } from "../store-options.ts";
import { noticeRestore } from "./_restored-tables.ts";
import { connection, openPool, peerSettings, SCHEMA, WRITER_SILENCE } from "./_database.ts";
import { asStoreError, isOutage, isRetriable } from "./_errors.ts";
import { SeenHistory } from "./_seen-history.ts";

/** Milliseconds until an unavailable database is tried again. */
const AGAIN_AFTER = 100;
/** Milliseconds until a lost connection for notifications is replaced. */
const LISTEN_AGAIN_AFTER = 1000;
const CHANNEL = "ipsieve_changes";

/** A connection of pg with its stream, which pg's types leave out. */
interface Breakable {
  readonly connection: { readonly stream: { destroy(): void } };
}

/** The result of a transaction. `committing`: it failed in the commit, and may have succeeded nevertheless. */
type Attempt = { readonly answer: GroupAnswer } | { readonly error: unknown; readonly committing?: GroupAnswer };

/** A PostgreSQL database that several servers share: one connection writes, two read, one listens. */
export class PostgresBackend implements Backend {
  readonly #url: string;
  readonly #options: StoreOptions;
  readonly #writer: ReturnType<typeof openPool>;
  readonly #reader: ReturnType<typeof openPool>;
  #writing: Breakable | undefined;
  #listener: Client | undefined;
  #isFollowed = false;
  readonly #seen = new SeenHistory();
  #isClosed = false;

  /** Throws StoreError. */
  static async open(url: string, options: StoreOptions): Promise<PostgresBackend> {
    const backend = new PostgresBackend(url, options);
    try {
      const { engine } = backend.#writer;
      await reporting(async () => {
        if (!options.create) return void (await checkSchema(engine));
        await migrate(engine);
        await noticeRestore(engine);
      });
      return backend;
    } catch (error) {
      await backend.close();
      throw error;
    }
  }

  private constructor(url: string, options: StoreOptions) {
    this.#url = url;
    this.#options = options;
    this.#writer = openPool(url, 1, WRITER_SILENCE);
    this.#reader = openPool(url, 2);
    this.#writer.pool.on("connect", (client) => {
      this.#writing = client as unknown as Breakable;
    });
  }

  /**
   * Executes the commands, and tries again as long as the database is unavailable. If the confirmation of a commit is
   * lost, its outcome is looked up, not guessed.
   */
  async execute(commands: readonly Command[]): Promise<GroupAnswer> {
    const deadline = performance.now() + this.#options.patience;
    if (commands.some(takesLong)) await this.execute([expiriesBefore(commands)]);
    for (;;) {
      const transaction = randomUUID();
      const attempt = await this.#attempt(commands, transaction);
      if ("answer" in attempt) return this.#noted(attempt.answer, transaction);
      const { error, committing } = attempt;
      if (committing !== undefined && (await this.#wasCommitted(committing.changes, transaction, deadline, error)))
        return this.#noted(committing, transaction);
      if (!isRetriable(error) || performance.now() > deadline) throw asStoreError(error);
      await delay(AGAIN_AFTER);
    }
  }

  async load(receive: ((part: RulesetRules) => void) | null, saved: readonly SavedRules[]): Promise<LoadedState> {
    // Changes that are written meanwhile are added.
    this.#seen.forget();
    const loaded = await reporting(() => readState(this.#reader.engine, receive, saved));
    if (loaded.mark !== null) this.#seen.add(loaded.mark);
    return loaded;
  }

  async changesAfter(sequence: number): Promise<Change[]> {
    const seen = this.#seen.all();
    try {
      const { changes, mark } = await reporting(() => readFurtherChanges(this.#reader.engine, sequence, seen));
      this.#seen.found(seen, mark);
      return changes;
    } catch (error) {
      const isGone = error instanceof StoreError && error.code === "changes-gone";
      if (isGone && this.#options.create) await reporting(() => noticeRestore(this.#writer.engine));
      throw error;
    }
  }

  find<Name extends ReadName>(name: Name, request: ReadRequest<Name>): Promise<ReadFound<Name>> {
    return reporting(() => find(this.#reader.engine, name, request));
  }

  record<Name extends CounterName>(name: Name, ...increments: Increments<Name>): Promise<Recorded<Name>> {
    return reporting(() => record(this.#reader.engine, name, increments));
  }

  probe(): Promise<void> {
    return reporting(async () => {
      await this.#writer.engine.db
        .updateTable("store")
        .set((row) => ({ sequence: row.ref("sequence") }))
        .execute();
    });
  }

  check(): Promise<StoreReport> {
    return reporting(() => readReport(this.#reader.engine));
  }

  /** PostgreSQL's own tools are better for backups. */
  async backup(path: string): Promise<void> {
    throw new StoreError(
      "unsupported",
      `back up a PostgreSQL database with its own tool: pg_dump --format=custom --schema=${SCHEMA} --file=${path} "$DATABASE_URL"`,
    );
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#listener?.end().catch(() => {});
    await Promise.all([this.#writer.engine.db.destroy(), this.#reader.engine.db.destroy()]);
    // kysely ends a pool only if it has used it.
    await Promise.all(
      [this.#writer.pool, this.#reader.pool].filter(({ ended, ending }) => !ended && !ending).map((pool) => pool.end()),
    );
  }

  onHint(hint: () => void): void {
    this.#isFollowed = true;
    void this.#listen(hint);
  }

  async #listen(hint: () => void): Promise<void> {
    if (this.#isClosed) return;
    const client = new Client(connection(this.#url));
    this.#listener = client;
    client.on("error", () => {});
    client.on("notification", hint);
    client.once("end", () => setTimeout(() => void this.#listen(hint), LISTEN_AGAIN_AFTER).unref());
    try {
      await client.connect();
      await client.query(peerSettings());
      await client.query(`listen ${CHANNEL}`);
      hint(); // for changes that were missed
    } catch {
      await client.end().catch(() => {});
    }
  }

  /** Remembers the last change, so that reads look for it; without a follower of changes, none does. */
  #noted(answer: GroupAnswer, transaction: string): GroupAnswer {
    const last = answer.changes.at(-1);
    if (this.#isFollowed && last !== undefined) this.#seen.add({ sequence: last.sequence, transaction });
    return answer;
  }

  async #attempt(commands: readonly Command[], transaction: string): Promise<Attempt> {
    const { engine } = this.#writer;
    let within: ControlledTransaction<Tables> | undefined;
    let answer: GroupAnswer | undefined;
    try {
      within = await engine.db.startTransaction().execute();
      const result = await executeGroup(engine, within, commands, this.#options, transaction);
      if (result.changes.length + result.organisations.length > 0)
        await sql`select pg_notify(${CHANNEL}, '')`.execute(within);
      answer = result;
      await within.commit().execute();
      return { answer };
    } catch (error) {
      // Do not wait for a connection that has gone silent.
      if (isOutage(error)) this.#writing?.connection.stream.destroy();
      // Also needed after a failed commit: kysely then releases the connection, and removes a broken one for good.
      await within
        ?.rollback()
        .execute()
        .catch(() => {});
      return answer === undefined ? { error } : { error, committing: answer };
    }
  }

  /**
   * Whether the transaction committed: whether its last change exists. The row that numbers the changes is locked
   * first: if PostgreSQL is still committing, it holds that lock until it has finished. Throws StoreError
   * (`outcome-unknown`).
   */
  async #wasCommitted(
    changes: readonly Change[],
    transaction: string,
    deadline: number,
    cause: unknown,
  ): Promise<boolean> {
    if (changes.length === 0) return false; // it has changed nothing except claims of idempotency keys: repeating it is safe
    const { sequence } = changes.at(-1)!;
    for (;;) {
      try {
        return await this.#writer.engine.db.transaction().execute(async (within) => {
          await within.selectFrom("store").select("sequence").forUpdate().execute();
          const row = await within
            .selectFrom("changes")
            .select("transaction")
            .where("sequence", "=", sequence)
            .executeTakeFirst();
          return row?.transaction === transaction;
        });
      } catch {
        if (performance.now() > deadline) {
          throw new StoreError(
            "outcome-unknown",
            "the connection to the database was lost during a commit, and the outcome is unknown until the database responds again",
            { cause },
          );
        }
        await delay(AGAIN_AFTER);
      }
    }
  }
}

/** Executed before a list, whose own transaction appends only the expiries of its ruleset. */
function expiriesBefore(commands: readonly Command[]): Command {
  return { kind: "expire-rules", actor: commands[0]!.actor, at: Math.max(...commands.map(({ at }) => at)) };
}

/** Turns errors of a failing database into StoreError. */
async function reporting<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw asStoreError(error);
  }
}
