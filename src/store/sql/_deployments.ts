import { sql, type Transaction } from "kysely";
import type { PullLog, PullToRecord } from "../records/deployment.ts";
import { type Engine, jsonRows } from "./_engine.ts";
import type { Tables } from "./_tables.ts";

const DAY = 86_400_000;
/** Of each deployment. */
const KEPT_PULLS = 100;
const KEPT_DAYS = 31;

/** See `READS.publishedList`. */
export async function readPublishedList(
  { db }: Engine,
  deploymentId: string,
): Promise<{ readonly generation: number; readonly content: string } | null> {
  const lists = db.selectFrom("published_lists").select(["generation", "content"]);
  return (await lists.where("deployment_id", "=", deploymentId).executeTakeFirst()) ?? null;
}

/** See `READS.pulls`. */
export async function readPulls({ db }: Engine, deploymentId: string): Promise<PullLog> {
  const pulls = db.selectFrom("pulls").selectAll().where("deployment_id", "=", deploymentId);
  const days = db.selectFrom("pull_counts").selectAll().where("deployment_id", "=", deploymentId);
  return {
    pulls: (await pulls.orderBy("at", "desc").orderBy("id", "desc").limit(KEPT_PULLS).execute()).map(
      ({ deployment_id, at, file, address, agent, status, bytes }) => ({
        deploymentId: deployment_id,
        at,
        file,
        address,
        agent,
        status,
        bytes,
      }),
    ),
    days: (await days.orderBy("day").execute()).map(({ day, pulls: count, bytes }) => ({ day, pulls: count, bytes })),
  };
}

/** See `READS.pullTimes`. */
export async function readPullTimes({ db }: Engine): Promise<{ deploymentId: string; at: number }[]> {
  const rows = db
    .selectFrom("pulls")
    .select(({ fn }) => ["deployment_id", fn.max<number>("at").as("at")])
    .groupBy("deployment_id");
  return (await rows.execute()).map(({ deployment_id, at }) => ({ deploymentId: deployment_id, at }));
}

/** See `COUNTERS.pulls`. The oldest are deleted. */
export async function recordPulls(engine: Engine, pulls: readonly PullToRecord[]): Promise<void> {
  if (pulls.length === 0) return;
  // In one order, so that two servers never wait for each other.
  const ids = [...new Set(pulls.map(({ deploymentId }) => deploymentId))].sort();
  await engine.db.transaction().execute(async (within) => {
    for (const id of ids) {
      const own = pulls.filter(({ deploymentId }) => deploymentId === id);
      const added = await addPulls(engine, within, own);
      await addCounts(
        engine,
        within,
        id,
        own.filter((pull) => added.has(pull.id)),
      );
      await deleteOldPulls(within, id);
    }
  });
}

/** Returns the ids of those that had not been recorded before. */
async function addPulls(
  engine: Engine,
  within: Transaction<Tables>,
  pulls: readonly PullToRecord[],
): Promise<Set<string>> {
  const rows = pulls.map(({ deploymentId, at, id, file, address, agent, status, bytes }) => [
    deploymentId,
    at,
    id,
    file,
    address,
    agent,
    status,
    bytes,
  ]);
  const text = (index: number) => sql`value ->> ${sql.lit(index)}`;
  const number = (index: number) => sql`cast(value ->> ${sql.lit(index)} as bigint)`;
  const { rows: added } = await sql<{ id: string }>`
    insert into pulls (deployment_id, at, id, file, address, agent, status, bytes)
    select ${sql.join([text(0), number(1), text(2), text(3), text(4), text(5), number(6), number(7)])}
    from ${jsonRows(engine, rows)} as given where true
    on conflict (deployment_id, at, id) do nothing returning id`.execute(within);
  return new Set(added.map(({ id }) => id));
}

async function addCounts(
  engine: Engine,
  within: Transaction<Tables>,
  deploymentId: string,
  pulls: readonly PullToRecord[],
): Promise<void> {
  const days = Map.groupBy(pulls, ({ at }) => at - (at % DAY));
  const rows = [...days].map(([day, own]) => [
    deploymentId,
    day,
    own.reduce((sum, { earlier }) => sum + 1 + earlier.pulls, 0),
    own.reduce((sum, { bytes, earlier }) => sum + bytes + earlier.bytes, 0),
  ]);
  if (rows.length === 0) return;
  const number = (index: number) => sql`cast(value ->> ${sql.lit(index)} as bigint)`;
  await sql`
    insert into pull_counts (deployment_id, day, pulls, bytes)
    select value ->> 0, ${sql.join([1, 2, 3].map(number))} from ${jsonRows(engine, rows)} as given where true
    on conflict (deployment_id, day) do update set pulls = pull_counts.pulls + excluded.pulls,
    bytes = pull_counts.bytes + excluded.bytes`.execute(within);
}

async function deleteOldPulls(within: Transaction<Tables>, deploymentId: string): Promise<void> {
  await sql`
    delete from pulls where deployment_id = ${deploymentId} and at < (
      select min(at) from (
        select at from pulls where deployment_id = ${deploymentId} order by at desc limit ${sql.lit(KEPT_PULLS)}) as newest)`.execute(
    within,
  );
  const newest = within.selectFrom("pull_counts").where("deployment_id", "=", deploymentId);
  const { day } = await newest.select(({ fn }) => fn.max<number | null>("day").as("day")).executeTakeFirstOrThrow();
  if (day === null) return;
  await within
    .deleteFrom("pull_counts")
    .where("deployment_id", "=", deploymentId)
    .where("day", "<=", day - KEPT_DAYS * DAY)
    .execute();
}
