import { sql, type Transaction } from "kysely";
import { DEFAULT_MIGRATION_TABLE, type MigrationProvider, Migrator } from "kysely/migration";
import type { Engine } from "../sql/_engine.ts";
import type { Tables } from "../sql/_tables.ts";
import { StoreError } from "../store-error.ts";
import { first } from "./0001-first.ts";
import { users } from "./0002-users.ts";
import { keptRules } from "./0003-kept-rules.ts";
import { usageByArea } from "./0004-usage-by-area.ts";
import { traffic } from "./0005-traffic.ts";
import { limitCounts } from "./0006-limit-counts.ts";
import { deployments } from "./0007-deployments.ts";
import { changesByRuleset } from "./0008-changes-by-ruleset.ts";
import { deploymentCredentials } from "./0009-deployment-credentials.ts";
import { events } from "./0010-events.ts";
import { externalLists } from "./0011-external-lists.ts";
import { blockedCounts } from "./0012-blocked-counts.ts";
import { webhooks } from "./0013-webhooks.ts";
import { keyFile } from "./0014-key-file.ts";
import { guards } from "./0015-guards.ts";
import { announcements } from "./0016-announcements.ts";
import { taxii } from "./0017-taxii.ts";
import { indicatorsByTime } from "./0018-indicators-by-time.ts";
import { supersededIndicators } from "./0019-superseded-indicators.ts";
import { urlReaders } from "./0020-url-readers.ts";
import { unprocessable } from "./0021-unprocessable.ts";
import { bouncerDoubts } from "./0022-bouncer-doubts.ts";
import { previousSecrets } from "./0023-previous-secrets.ts";
import { announcedExpiries } from "./0024-announced-expiries.ts";
import { guardClasses } from "./0025-guard-classes.ts";
import { versionStamps } from "./0026-version-stamps.ts";
import { keyScopes } from "./0027-key-scopes.ts";
import { credentials } from "./0028-credentials.ts";
import type { Migration } from "./migration.ts";

/** By the name under which kysely records that it has run; they run in the order of their names. */
export type Migrations = Readonly<Record<string, Migration>>;

export const MIGRATIONS: Migrations = {
  "0001-first": first,
  "0002-users": users,
  "0003-kept-rules": keptRules,
  "0004-usage-by-area": usageByArea,
  "0005-traffic": traffic,
  "0006-limit-counts": limitCounts,
  "0007-deployments": deployments,
  "0008-changes-by-ruleset": changesByRuleset,
  "0009-deployment-credentials": deploymentCredentials,
  "0010-events": events,
  "0011-external-lists": externalLists,
  "0012-blocked-counts": blockedCounts,
  "0013-webhooks": webhooks,
  "0014-key-file": keyFile,
  "0015-guards": guards,
  "0016-announcements": announcements,
  "0017-taxii": taxii,
  "0018-indicators-by-time": indicatorsByTime,
  "0019-superseded-indicators": supersededIndicators,
  "0020-url-readers": urlReaders,
  "0021-unprocessable": unprocessable,
  "0022-bouncer-doubts": bouncerDoubts,
  "0023-previous-secrets": previousSecrets,
  "0024-announced-expiries": announcedExpiries,
  "0025-guard-classes": guardClasses,
  "0026-version-stamps": versionStamps,
  "0027-key-scopes": keyScopes,
  "0028-credentials": credentials,
};

/** The number of migrations of this release. */
export const SCHEMA_VERSION = Object.keys(MIGRATIONS).length;

/** The lock that every release takes; an arbitrary number, the bytes of "ipsieve". */
const ADVISORY_LOCK = 0x6970736965;

/**
 * Brings the tables up to date by kysely's migrator, in one transaction: all of it or nothing. If several processes
 * start at the same time, only one of them migrates. Returns how many migrations ran. Throws StoreError
 * (`newer-schema`).
 *
 * Releases before 1.0 had a migrator of their own and stored only the number in `store.schema`: the migrations it
 * stands for are recorded without running them again. The number is kept up to date, so that those releases reject
 * newer databases.
 */
export function migrate(engine: Engine, migrations: Migrations = MIGRATIONS): Promise<number> {
  const { length: latest } = Object.keys(migrations);
  return engine.db.transaction().execute(async (within) => {
    if (engine.name === "postgres") await lockMigrations(within);
    const schema = await readSchema(engine, within);
    rejectNewer(schema, latest);
    if (schema === latest && (await hasTable(engine, within, DEFAULT_MIGRATION_TABLE))) return 0;
    const { error } = await new Migrator({
      db: within,
      provider: providerOf(engine, migrations, schema),
      ...(engine.schema === undefined ? {} : { migrationTableSchema: engine.schema }),
    }).migrateToLatest();
    if (error !== undefined) throw error;
    if (schema < latest) await within.updateTable("store").set({ schema: latest }).execute();
    return latest - schema;
  });
}

/** The first `done` have already run: at most the record of them is missing. */
function providerOf({ name: database }: Engine, migrations: Migrations, done: number): MigrationProvider {
  const inOrder = Object.entries(migrations).sort(([one], [other]) => (one < other ? -1 : 1));
  const entries = inOrder.map(([name, statementsOf], index) => {
    const statements = index < done ? [] : statementsOf(database);
    return [name, { up: (within: Transaction<Tables>) => runAll(within, statements) }] as const;
  });
  return { getMigrations: () => Promise.resolve(Object.fromEntries(entries)) };
}

async function runAll(within: Transaction<Tables>, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(within);
}

/** Throws StoreError (`newer-schema`, `older-schema`) unless the tables are those of this release. */
export async function checkSchema(engine: Engine): Promise<number> {
  const schema = await engine.db
    .transaction()
    .setAccessMode("read only")
    .execute((within) => readSchema(engine, within));
  rejectNewer(schema, SCHEMA_VERSION);
  if (schema < SCHEMA_VERSION) {
    throw new StoreError(
      "older-schema",
      `the database has schema ${schema}, this release has ${SCHEMA_VERSION}; run "ipsieve admin db migrate"`,
    );
  }
  return schema;
}

/** Until the end of the transaction, no other process migrates. */
async function lockMigrations(within: Transaction<Tables>): Promise<void> {
  await sql`select pg_advisory_xact_lock(${sql.lit(ADVISORY_LOCK)})`.execute(within);
}

/** How many migrations have run: none if there are no tables. */
async function readSchema(engine: Engine, within: Transaction<Tables>): Promise<number> {
  if (!(await hasTable(engine, within, "store"))) return 0;
  return (await within.selectFrom("store").select("schema").executeTakeFirstOrThrow()).schema;
}

async function hasTable({ name: database }: Engine, within: Transaction<Tables>, table: string): Promise<boolean> {
  const { rows } = await (
    database === "sqlite"
      ? sql<{ found: string | null }>`
          select max(name) as found from sqlite_master where type = 'table' and name = ${table}`
      : sql<{ found: string | null }>`select to_regclass(${table})::text as found`
  ).execute(within);
  return rows[0]!.found !== null;
}

function rejectNewer(schema: number, known: number): void {
  if (schema <= known) return;
  throw new StoreError(
    "newer-schema",
    `the database has schema ${schema}, and this release knows schemas up to ${known}; use the release of ipsieve that made it, or a newer one`,
  );
}
