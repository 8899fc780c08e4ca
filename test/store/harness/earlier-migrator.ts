import { sql } from "kysely";
import { MIGRATIONS } from "../../../src/store/migrations/migrate.ts";
import type { Engine } from "../../../src/store/sql/_engine.ts";

/** Creates the tables as releases up to 1.0 did: `count` migrations have run, and only their number is recorded. */
export async function migrateAsEarlier(engine: Engine, count: number): Promise<void> {
  if (engine.schema !== undefined) await engine.db.schema.createSchema(engine.schema).ifNotExists().execute();
  for (const [index, statementsOf] of Object.values(MIGRATIONS).slice(0, count).entries()) {
    await engine.db.transaction().execute(async (within) => {
      for (const statement of statementsOf(engine.name)) await sql.raw(statement).execute(within);
      await within
        .updateTable("store")
        .set({ schema: index + 1 })
        .execute();
    });
  }
}
