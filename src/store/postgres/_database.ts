import { Kysely, PostgresAdapter, PostgresDialect, sql } from "kysely";
import { type ClientBase, Pool, type PoolConfig, types } from "pg";
import { turn } from "../../turns/in-slices.ts";
import type { Engine, Insertion } from "../sql/_engine.ts";
import type { RuleValues } from "../_rule-values.ts";
import type { Tables } from "../sql/_tables.ts";

/** Our tables have a schema of their own, so that the database may hold others. */
export const SCHEMA = "ipsieve";
/** How long PostgreSQL works on a statement, and on waiting for a lock, before it gives up, in milliseconds. */
const STATEMENT_TIMEOUT = 60_000;
const LOCK_TIMEOUT = 10_000;
/**
 * How long PostgreSQL keeps a transaction, and its locks, of which it hears nothing: the connection may be cut, and
 * every other server that writes waits for those locks, for its `patience`, which is longer. What is done between two
 * statements, also of a million rules, takes a fraction of it.
 */
export const WRITER_SILENCE = 5000;
/** What is only read holds no one up. */
const READER_SILENCE = STATEMENT_TIMEOUT;
/**
 * Seconds after which PostgreSQL asks whether an idle connection is still there, between questions, and how many it
 * asks: a machine that is gone leaves no connections.
 */
const [KEEPALIVE_IDLE, KEEPALIVE_INTERVAL, KEEPALIVE_COUNT] = [30, 10, 3];
/** Nothing heard for so long: the connection is dead. */
const SILENCE = STATEMENT_TIMEOUT + 5000;
const CONNECT_TIMEOUT = 5000;
const INT8 = 20;
const ROWS_AT_ONCE = 2000;

/** How to connect. 64-bit integers are numbers: times and counts are far below 2^53. */
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
    types: {
      getTypeParser: (oid: number, format?: "text" | "binary") =>
        oid === INT8 && format !== "binary" ? Number : types.getTypeParser(oid, format as "text"),
    },
  };
}

/**
 * What PostgreSQL does about a peer that is silent; also while it waits to send, where no timeout of its own counts. As
 * text, to be sent once per connection.
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
 * `connections` to the database, made when they are needed. A commit waits for the disk, whatever the server's default
 * is.
 */
export function openPool(
  url: string,
  connections: number,
  silence = READER_SILENCE,
): { readonly engine: Engine; readonly pool: Pool } {
  const pool = new Pool({
    ...connection(url, silence),
    max: connections,
    // The pool drops a connection that fails in here. kysely's own hook would keep it: no one gives such a one back, and
    // with it goes its place in the pool, for good.
    onConnect: (client) => setUp(client, silence),
  });
  // The query that was under way fails with the connection, and the pool makes another: no one else needs to know.
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
 * kysely's dialect without the lock of its migrator: `migrate` has a lock of its own, for the transaction. kysely's is the
 * connection's, and a migration that fails could not let go of it: its transaction takes no more statements.
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

/** One array per column: a statement of the same text for any number of rows. */
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
