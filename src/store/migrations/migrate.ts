import { sql, type Transaction } from "kysely";
import type { Engine } from "../sql/_engine.ts";
import type { Tables } from "../sql/_tables.ts";
import { StoreError } from "../store-error.ts";
import { first } from "./0001-first.ts";
import { users } from "./0002-users.ts";
import { keptRules } from "./0003-kept-rules.ts";
import { usageByArea } from "./0004-usage-by-area.ts";
import { traffic } from "./0005-traffic.ts";
import type { Migration } from "./migration.ts";

/** All of them, in the order in which they run. */
export const MIGRATIONS: readonly Migration[] = [first, users, keptRules, usageByArea, traffic];

/** Any number that no one else takes: the bytes of "ipsieve" and a zero. */
const ADVISORY_LOCK = 0x6970736965;

/**
 * Brings the tables up to date, one transaction per migration; of several processes that start at once, one does. Gives
 * how many ran. Throws StoreError (`newer-schema`).
 */
export async function migrate(engine: Engine, migrations: readonly Migration[] = MIGRATIONS): Promise<number> {
  for (let ran = 0; ; ran++) {
    const more = await engine.db.transaction().execute((within) => runNext(engine, within, migrations));
    if (!more) return ran;
  }
}

/** Throws StoreError (`newer-schema`, `older-schema`) unless the tables are those of this release. */
export async function checkSchema(engine: Engine): Promise<number> {
  const schema = await engine.db
    .transaction()
    .setAccessMode("read only")
    .execute((within) => readSchema(engine, within));
  refuseNewer(schema, MIGRATIONS.length);
  if (schema < MIGRATIONS.length) {
    throw new StoreError(
      "older-schema",
      `the database has schema ${schema}, this release has ${MIGRATIONS.length}; run "ipsieve db migrate"`,
    );
  }
  return schema;
}

/** Until the end of the transaction no other process migrates. PostgreSQL only. */
export async function lockMigrations(within: Transaction<Tables>): Promise<void> {
  await sql`select pg_advisory_xact_lock(${sql.lit(ADVISORY_LOCK)})`.execute(within);
}

async function runNext(
  engine: Engine,
  within: Transaction<Tables>,
  migrations: readonly Migration[],
): Promise<boolean> {
  if (engine.name === "postgres") await lockMigrations(within);
  const schema = await readSchema(engine, within);
  refuseNewer(schema, migrations.length);
  const migration = migrations[schema];
  if (migration === undefined) return false;
  for (const statement of migration(engine.name)) await sql.raw(statement).execute(within);
  await within
    .updateTable("store")
    .set({ schema: schema + 1 })
    .execute();
  return true;
}

/** How many migrations have run: none where there are no tables. */
async function readSchema({ name }: Engine, within: Transaction<Tables>): Promise<number> {
  const { rows } = await (
    name === "sqlite"
      ? sql<{
          found: string | null;
        }>`select max(name) as found from sqlite_master where type = 'table' and name = 'store'`
      : sql<{ found: string | null }>`select to_regclass('store')::text as found`
  ).execute(within);
  if (rows[0]!.found === null) return 0;
  return (await within.selectFrom("store").select("schema").executeTakeFirstOrThrow()).schema;
}

function refuseNewer(schema: number, known: number): void {
  if (schema <= known) return;
  throw new StoreError(
    "newer-schema",
    `the database has schema ${schema}, and this release knows schemas up to ${known}; use the release of ipsieve that made it, or a newer one`,
  );
}
