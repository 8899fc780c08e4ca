import { sql, type Transaction } from "kysely";
import { type Engine, jsonRows } from "../_engine.ts";
import type { Tables } from "../_tables.ts";

/** Versions that are deleted in one transaction. */
const AT_ONCE = 2000;
/** Superseded versions of one indicator that are kept, however new they are. */
const KEPT = 100;

/** See `COUNTERS.supersededIndicators`. Last versions are never deleted. */
export async function deleteSupersededIndicators(engine: Engine, until: number): Promise<boolean> {
  const deleted = await sql`
    delete from indicators where (collection, added) in (
      select collection, added from indicators where superseded <= ${until} order by superseded limit ${AT_ONCE})
    returning added`.execute(engine.db);
  return deleted.rows.length === AT_ONCE;
}

/** Deletes superseded versions beyond `KEPT` of each indicator that gets one of these new versions. */
export async function deleteSurplusVersions(
  engine: Engine,
  within: Transaction<Tables>,
  collection: number,
  added: readonly { readonly id: string; readonly version: number }[],
): Promise<void> {
  const many = added.filter(({ version }) => version > KEPT + 1).map(({ id, version }) => [id, version - KEPT - 1]);
  if (many.length === 0) return;
  await sql`
    delete from indicators where collection = ${collection} and added in (
      select added from ${jsonRows(engine, many)} as given cross join indicators as own
      where own.collection = ${collection} and own.id = given.value ->> 0
      and own.version <= cast(given.value ->> 1 as bigint))`.execute(within);
}
