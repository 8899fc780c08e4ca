import { sql } from "kysely";
import { datasetCollectionId } from "../../records/indicator.ts";
import { type Engine, forUpdate } from "../_engine.ts";

/** Indicators that are deleted in one transaction. */
const AT_ONCE = 2000;
/** The mark of a collection whose indicators have been deleted. */
export const DELETED_MARK = -2;

/**
 * See `COUNTERS.unreadIndicators`. The row of the collection stays, so that later indicators are numbered after the
 * deleted ones.
 */
export async function deleteUnreadIndicators(engine: Engine): Promise<boolean> {
  return engine.db.transaction().execute(async (within) => {
    const { rows } = await sql<{ id: string; number: number; organisationId: string }>`
      select id, number, organisation_id as "organisationId" from indicator_collections
      where exists (select 1 from indicators where collection = number)
      and not exists (select 1 from rulesets where rulesets.id = indicator_collections.id)
      and not exists (select 1 from deployments where deployments.id = indicator_collections.id and deleted_at is null)
      and not exists (
        select 1 from credentials where kind = 'taxii' and revoked_at is null
        and credentials.organisation_id = indicator_collections.organisation_id
        and scope like '%' || indicator_collections.id || '%')
      ${forUpdate(engine)}`.execute(within);
    const unread = rows.find(({ id, organisationId }) => id !== datasetCollectionId(organisationId));
    if (unread === undefined) return false;
    const { number } = unread;
    await sql`
      delete from indicators where collection = ${number} and added <= (
        select max(added) from (
          select added from indicators where collection = ${number} order by added limit ${AT_ONCE}) as first)`.execute(
      within,
    );
    const values = { mark: DELETED_MARK, feed: "", scan_mark: null, scan_after: null };
    await within.updateTable("indicator_collections").set(values).where("number", "=", number).execute();
    return true;
  });
}
