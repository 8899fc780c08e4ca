import { sql } from "kysely";
import type { Engine } from "../sql/_engine.ts";
import { startAnotherHistory } from "../sql/_another-history.ts";

/**
 * Starts another history if the tables were restored from a dump or copied since the last start. The tables are recognized by
 * PostgreSQL's own numbers for its cluster, the database and the table, which no dump contains. The files of a cluster
 * that were restored to an earlier time have the same numbers.
 */
export async function noticeRestore({ db }: Engine): Promise<void> {
  // Without the lock, as a start must not wait for a server that was cut off in the middle of a write.
  const { found, known } = await identities(db);
  if (found === known) return;
  await db.transaction().execute(async (within) => {
    const { rows } = await sql<{ known: string | null }>`select identity as known from store for update`.execute(
      within,
    );
    if (rows[0]!.known === found) return;
    await within.updateTable("store").set({ identity: found }).execute();
    if (rows[0]!.known !== null) await startAnotherHistory(within);
  });
}

async function identities(db: Engine["db"]): Promise<{ readonly found: string; readonly known: string | null }> {
  const { rows } = await sql<{ found: string; known: string | null }>`
    select identity as known, concat_ws('/', (select system_identifier from pg_control_system()),
      (select oid from pg_database where datname = current_database()), to_regclass('event_heads')::oid) as found
    from store`.execute(db);
  return rows[0]!;
}
