import { closeSync, fchmodSync, openSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDialect,
  SqliteDriver,
  type TransactionSettings,
} from "kysely";
import type { Engine, Insertion } from "../sql/_engine.ts";
import type { RuleValues } from "../_rule-values.ts";
import type { Tables } from "../sql/_tables.ts";
import { StoreError } from "../store-error.ts";
import { CommitError } from "./_errors.ts";

/** Marks a file as a store of this program, in its header: "ipsv". */
const APPLICATION_ID = 0x69707376;
/** Milliseconds for which a writer waits for another process's writer. */
export const BUSY_TIMEOUT = 10_000;
/** Pages of the log after which a writer copies it into the file: some 16 MB. */
const CHECKPOINT_PAGES = 4000;
/** The mode of files with the data of users. */
const PRIVATE = 0o600;
/** The thread of the file has nothing else to do meanwhile. */
const ROWS_AT_ONCE = 10_000;
/** Kilobytes of pages kept in memory. */
const CACHE = 64_000;

export interface SqliteEngine extends Engine {
  readonly file: DatabaseSync;
}

/** What a commit waits for. Servers use `full`; the tests show that with `normal` a power failure loses commits. */
export type Synchronous = "full" | "normal" | "off";

/**
 * Opens the file, or creates it. Throws StoreError (`not-found`, `not-a-store`); `named` is the file's name in its
 * message.
 */
export function openDatabase(
  path: string,
  create: boolean,
  synchronous: Synchronous = "full",
  named = path,
): SqliteEngine {
  if (!create && isMissing(path))
    throw new StoreError("not-found", `${path}: no such file; create it with "ipsieve admin db migrate"`);
  if (isFolder(path))
    throw new StoreError("not-a-store", `${named}: a folder; name a file in it, such as ${join(named, "ipsieve.db")}`);
  const isNew = create && makePrivateFile(path);
  const file = new DatabaseSync(path, { timeout: BUSY_TIMEOUT, enableForeignKeyConstraints: true });
  try {
    checkOwner(file, named);
    file.exec(
      `pragma journal_mode = wal; pragma synchronous = ${synchronous}; pragma wal_autocheckpoint = ${CHECKPOINT_PAGES}; pragma cache_size = -${CACHE}`,
    );
  } catch (error) {
    file.close();
    // Not even its first page could be written.
    if (isNew && statSync(path).size === 0) rmSync(path);
    throw error;
  }
  return engineOf(file);
}

/**
 * Opens a file that another process writes, and has open: this one can neither write nor checkpoint it. Throws
 * StoreError (`not-found`).
 */
export function openReader(path: string): SqliteEngine {
  if (isMissing(path)) throw new StoreError("not-found", `${path}: no such file`);
  const file = new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT });
  file.exec(`pragma cache_size = -${CACHE}`);
  return engineOf(file);
}

function engineOf(file: DatabaseSync): SqliteEngine {
  return {
    name: "sqlite",
    rowsAtOnce: ROWS_AT_ONCE,
    // It has a thread of its own.
    pause: async () => {},
    db: new Kysely<Tables>({ dialect: new NodeSqliteDialect(file) }),
    file,
    readRules: rulesReader(file),
    insertRows: rowInserter(file),
    query: statementRunner(file),
  };
}

/** Whether there is no file. False if this user may not search its folder. */
function isMissing(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/**
 * Creates the file, unless it exists: for its owner alone, whatever the umask. SQLite gives its log and the log's index
 * the mode of the file. Returns whether it was created.
 */
export function makePrivateFile(path: string): boolean {
  let descriptor: number;
  try {
    descriptor = openSync(path, "wx", PRIVATE);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return false;
    throw new StoreError(
      "unavailable",
      `${path}: the file cannot be created (${code}); check its folder and the space on its disk`,
      { cause: error },
    );
  }
  fchmodSync(descriptor, PRIVATE);
  closeSync(descriptor);
  return true;
}

/** Throws StoreError (`not-a-store`) for a file that is not a database, or another program's. */
function checkOwner(file: DatabaseSync, path: string): void {
  try {
    const { application_id: owner } = file.prepare("pragma application_id").get() as { application_id: number };
    if (owner === APPLICATION_ID) return;
    const { tables } = file.prepare("select count(*) as tables from sqlite_master").get() as { tables: number };
    if (owner === 0 && tables === 0) return file.exec(`pragma application_id = ${APPLICATION_ID}`);
  } catch (error) {
    if ((error as { errcode?: number }).errcode !== 26) throw error;
  }
  throw new StoreError("not-a-store", `${path}: not an ipsieve database; use another path`);
}

/** Bypasses kysely: arrays instead of objects, on the connection of the transaction, because there is no other. */
function rulesReader(file: DatabaseSync): Engine["readRules"] {
  const text =
    "select prefix, name, expires_at, created_at, updated_at from rules where ruleset = ? and prefix > ? order by prefix limit ?";
  return async (_within, ruleset, after, limit) => {
    const statement = file.prepare(text);
    statement.setReturnArrays(true);
    return statement.all(ruleset, after, limit) as unknown as RuleValues[];
  };
}

/** One prepared statement, run for each row: three times as fast as one statement for all of them. */
function rowInserter(file: DatabaseSync): Engine["insertRows"] {
  const prepared = new Map<Insertion, StatementSync>();
  return async (_within, insertion, rows) => {
    const statement = prepared.get(insertion) ?? file.prepare(insertText(insertion));
    prepared.set(insertion, statement);
    for (const row of rows) statement.run(...row);
  };
}

/** Statements that are prepared once: there are as many as places that write one down. */
function statementRunner(file: DatabaseSync): Engine["query"] {
  const prepared = new Map<string, StatementSync>();
  return async (_within, text, parameters) => {
    let statement = prepared.get(text);
    if (statement === undefined) prepared.set(text, (statement = file.prepare(text)));
    return statement.all(...parameters);
  };
}

function insertText({ table, columns, ending }: Insertion): string {
  const names = Object.keys(columns);
  return `insert into ${table} (${names.map((name) => `"${name}"`).join(", ")}) values (${names.map(() => "?").join(", ")}) ${ending}`;
}

/** kysely's dialect, which is made for better-sqlite3, over the database that comes with Node. */
class NodeSqliteDialect extends SqliteDialect {
  readonly #file: DatabaseSync;

  constructor(file: DatabaseSync) {
    super({ database: adapted(file) });
    this.#file = file;
  }

  override createDriver(): Driver {
    return new WriterDriver(this.#file);
  }

  override createAdapter(): SqliteAdapter {
    return new TransactionalAdapter();
  }
}

/** SQLite can create and alter tables in a transaction; kysely leaves that to the drivers. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/**
 * A transaction that writes takes the lock when it begins: if it found out later that another one has it, it could only
 * start again.
 */
class WriterDriver extends SqliteDriver {
  readonly #file: DatabaseSync;

  constructor(file: DatabaseSync) {
    super({ database: adapted(file) });
    this.#file = file;
  }

  override async beginTransaction(connection: DatabaseConnection, settings?: TransactionSettings): Promise<void> {
    await connection.executeQuery(
      CompiledQuery.raw(settings?.accessMode === "read only" ? "begin" : "begin immediate"),
    );
  }

  /** @throws CommitError */
  override async commitTransaction(connection: DatabaseConnection): Promise<void> {
    try {
      await super.commitTransaction(connection);
    } catch (error) {
      throw new CommitError(error);
    }
  }

  /**
   * After a full disk or an I/O error, SQLite has already rolled back, and a second rollback would hide the error
   * behind its own.
   */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#file.isTransaction) await super.rollbackTransaction(connection);
  }
}

function adapted(file: DatabaseSync): SqliteDatabase {
  const prepared = new Map<string, ReturnType<SqliteDatabase["prepare"]>>();
  return {
    close: () => file.close(),
    prepare(text) {
      const known = prepared.get(text);
      if (known !== undefined) return known;
      const statement = file.prepare(text);
      const made: ReturnType<SqliteDatabase["prepare"]> = {
        reader: statement.columns().length > 0,
        all: (parameters) => statement.all(...(parameters as [])),
        run: (parameters) => statement.run(...(parameters as [])),
        iterate: (parameters) => statement.iterate(...(parameters as [])),
      };
      if (prepared.size < 200) prepared.set(text, made);
      return made;
    },
  };
}
