import { sql } from "kysely";
import { type Engine, jsonRows } from "../_engine.ts";
import type { KeyUsage, Usage } from "../../state.ts";

/** Instead of an area, in rows from before areas were counted separately. */
const ANY_AREA = "";

function orderOf({ keyId, area, month }: Usage): string {
  return `${keyId} ${area} ${month}`;
}

/**
 * Adds the increments to the recorded counts. In one order of keys, so that two servers never wait for each other. After
 * a failure there may be several of one key, which PostgreSQL does not accept as rows of one statement.
 */
export async function recordUsage(engine: Engine, increments: readonly Usage[]): Promise<void> {
  if (increments.length === 0) return;
  const ordered = [...Map.groupBy(increments, orderOf)]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, uses]) => uses.reduce(sumOf));
  const rows = ordered.map(({ keyId, area, month, requests, lastUsedAt }) => [
    keyId,
    area ?? ANY_AREA,
    month,
    requests,
    lastUsedAt,
  ]);
  await engine.db.transaction().execute((within) =>
    sql`
      insert into key_usage (key_id, area, month, requests, last_used_at)
      select value ->> 0, value ->> 1, value ->> 2, cast(value ->> 3 as bigint), cast(value ->> 4 as bigint) from ${jsonRows(engine, rows)} as given where true
      on conflict (key_id, area, month) do update set requests = key_usage.requests + excluded.requests,
      last_used_at = case when excluded.last_used_at > key_usage.last_used_at then excluded.last_used_at else key_usage.last_used_at end`.execute(
      within,
    ),
  );
}

function sumOf(one: Usage, other: Usage): Usage {
  return {
    ...one,
    requests: one.requests + other.requests,
    lastUsedAt: Math.max(one.lastUsedAt, other.lastUsedAt),
  };
}

export async function readUsage({ db }: Engine, month: string): Promise<Usage[]> {
  const rows = await db.selectFrom("key_usage").selectAll().where("month", "=", month).execute();
  return rows.map(({ key_id, area, requests, last_used_at }) => ({
    keyId: key_id,
    area: area === ANY_AREA ? null : area,
    month,
    requests,
    lastUsedAt: last_used_at,
  }));
}

/** See `READS.usageOf`. */
export async function readUsageOf({ db }: Engine, organisationId: string, month: string): Promise<KeyUsage[]> {
  const { rows } = await sql<{ key_id: string; requests: number; last_used_at: number }>`
    select key_id, cast(sum(case when month = ${month} then requests else 0 end) as bigint) as requests, max(last_used_at) as last_used_at
    from key_usage join credentials on credentials.id = key_id where organisation_id = ${organisationId} group by key_id`.execute(
    db,
  );
  return rows.map(({ key_id, requests, last_used_at }) => ({
    keyId: key_id,
    month,
    requests,
    lastUsedAt: last_used_at,
  }));
}
