import { CompiledQuery, Kysely, PostgresAdapter, PostgresDialect, sql } from "kysely";
import { Client, type ClientBase, Pool, type PoolConfig, types } from "pg";
import { turn } from "../../turns/in-slices.ts";
import type { Engine, Insertion } from "../sql/_engine.ts";
import type { RuleValues } from "../_rule-values.ts";
import type { Tables } from "../sql/_tables.ts";

/** Our tables have a schema of their own, so that the database may contain others. */
export const SCHEMA = "ipsieve";
/** Milliseconds after which PostgreSQL gives up on a statement, or on waiting for a lock. */
const STATEMENT_TIMEOUT = 60_000;
const LOCK_TIMEOUT = 10_000;
/**
 * How long PostgreSQL keeps a transaction and its locks without hearing from the client: the connection may be cut, and
 * every other server that writes waits for those locks, for its `patience`, which is longer. What happens between two
 * statements, even for a million rules, takes a fraction of it.
 */
export const WRITER_SILENCE = 5000;
/** Readers block no one. */
const READER_SILENCE = STATEMENT_TIMEOUT;
/**
 * Seconds after which PostgreSQL probes an idle connection, seconds between probes, and how many it sends: a machine
 * that is gone leaves no connections behind.
 */
const [KEEPALIVE_IDLE, KEEPALIVE_INTERVAL, KEEPALIVE_COUNT] = [30, 10, 3];
/** After this much silence, the connection is dead. */
const SILENCE = STATEMENT_TIMEOUT + 5000;
/**
 * Milliseconds of silence after which the client's system asks whether the connection is still there, once a second and
 * ten times. PostgreSQL may have ended it while no packets arrived (`WRITER_SILENCE`): then it is replaced as soon as
 * they do, instead of after `SILENCE`.
 */
const KEEPALIVE_DELAY = 5000;
/** Milliseconds to open a connection, which requests wait for. */
const CONNECT_TIMEOUT = 5000;
/**
 * The same for the first connection of a pool, which only the start waits for: the machine may be busy with many
 * starts.
 */
const FIRST_CONNECT_TIMEOUT = 60_000;
const INT8 = 20;
const ROWS_AT_ONCE = 2000;

/**
 * Ends a connection that does not respond in time. pg itself rejects the query and goes on using the connection, on which
 * all further queries then wait for the response of that one.
 */
class TimedClient extends Client {
  // pg's overloads have results of several types, and the one for promises is the only one in use.
  override query(...request: unknown[]): any {
    const result: unknown = Reflect.apply(super.query, this, request);
    if (result instanceof Promise)
      result.catch((error: unknown) => {
        if (error instanceof Error && error.message === NO_RESPONSE) void this.end().catch(() => {});
      });
    return result;
  }
}

/** The message of pg's error after `query_timeout`, which has no code. */
const NO_RESPONSE = "Query read timeout";

/** Connection options. 64-bit integers are numbers: times and counts are far below 2^53. */
export function connection(url: string, silence = READER_SILENCE): PoolConfig {
  return {
    connectionString: url,
    application_name: "ipsieve",
    connectionTimeoutMillis: CONNECT_TIMEOUT,
    query_timeout: SILENCE,
    statement_timeout: STATEMENT_TIMEOUT,
    lock_timeout: LOCK_TIMEOUT,
    idle_in_transaction_session_timeout: silence,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEPALIVE_DELAY,
    types: {
      getTypeParser: (oid: number, format?: "text" | "binary") =>
        oid === INT8 && format !== "binary" ? Number : types.getTypeParser(oid, format as "text"),
    },
  };
}

/**
 * What PostgreSQL does about a silent peer, including while it waits to send, where none of its own timeouts apply. As
 * text, sent once per connection.
 */
export function peerSettings(silence = READER_SILENCE): string {
  const settings = {
    tcp_user_timeout: silence,
    tcp_keepalives_idle: KEEPALIVE_IDLE,
    tcp_keepalives_interval: KEEPALIVE_INTERVAL,
    tcp_keepalives_count: KEEPALIVE_COUNT,
  };
  return `select ${Object.entries(settings)
    .map(([name, value]) => `set_config('${name}', '${value}', false)`)
    .join(", ")}`;
}

/**
 * A pool of at most `connections` to the database, opened when they are needed. A commit waits for the disk, whatever
 * the server's default is.
 */
export function openPool(
  url: string,
  connections: number,
  silence = READER_SILENCE,
): { readonly engine: Engine; readonly pool: Pool } {
  const pool = new Pool({
    ...connection(url, silence),
    Client: TimedClient,
    max: connections,
    // The pool drops a connection that fails in here. kysely's own hook would keep it: no one returns such a
    // connection, and its slot in the pool would be lost for good.
    onConnect: (client) => setUp(client, silence),
  });
  pool.options.connectionTimeoutMillis = FIRST_CONNECT_TIMEOUT;
  pool.once("connect", () => (pool.options.connectionTimeoutMillis = CONNECT_TIMEOUT));
  // The query in progress fails with the connection, and the pool makes another one: nothing else needs to be done.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  const dialect = new LockedDialect({ pool });
  const plain = new Kysely<Tables>({ dialect });
  return {
    engine: {
      name: "postgres",
      schema: SCHEMA,
      rowsAtOnce: ROWS_AT_ONCE,
      pause: turn,
      db: plain,
      readRules,
      insertRows,
      query: async (within, text, parameters) =>
        (await within.executeQuery(CompiledQuery.raw(text, [...parameters]))).rows,
    },
    pool,
  };
}

/** What a new connection needs before it is used. */
async function setUp(client: ClientBase, silence: number): Promise<void> {
  await client.query(`set search_path = ${SCHEMA}`);
  await client.query(peerSettings(silence));
  await client.query(
    "select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'",
  );
}

/**
 * kysely's dialect without the lock of its migrator: `migrate` takes a lock of its own, for the transaction. kysely's
 * belongs to the connection, and a failed migration could not release it, because its transaction accepts no more
 * statements.
 */
class LockedDialect extends PostgresDialect {
  override createAdapter(): PostgresAdapter {
    return new LockedAdapter();
  }
}

class LockedAdapter extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}

const readRules: Engine["readRules"] = async (within, ruleset, after, limit) => {
  const rows = await within
    .selectFrom("rules")
    .select(["prefix", "name", "expires_at", "created_at", "updated_at"])
    .where("ruleset", "=", ruleset)
    .where("prefix", ">", after)
    .orderBy("prefix")
    .limit(limit)
    .execute();
  return rows.map(({ prefix, name, expires_at, created_at, updated_at }): RuleValues => [
    prefix,
    name,
    expires_at,
    created_at,
    updated_at,
  ]);
};

/** One array per column: the text of the statement is the same for any number of rows. */
const insertRows: Engine["insertRows"] = async (within, { table, columns, ending }: Insertion, rows) => {
  if (rows.length === 0) return;
  const names = Object.keys(columns);
  const arrays = Object.values(columns).map(
    (type, column) => sql`${rows.map((row) => row[column])}::${sql.raw(type)}[]`,
  );
  const into = names.map((name) => sql.ref(name));
  await sql`insert into ${sql.table(table)} (${sql.join(into)}) select * from unnest(${sql.join(arrays)}) ${sql.raw(ending)}`.execute(
    within,
  );
};
