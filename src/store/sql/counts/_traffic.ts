import { sql, type Transaction } from "kysely";
import { type Engine, jsonRows } from "../_engine.ts";
import type { Tables } from "../_tables.ts";
import { bySteps, sumOfTimes, type Times, type Traffic, TRAFFIC_STEPS } from "../../records/traffic.ts";

/**
 * Adds the traffic to the recorded steps of every length, and deletes steps that are too old. See `COUNTERS.traffic`.
 */
export async function recordTraffic(engine: Engine, minutes: readonly Traffic[]): Promise<void> {
  if (minutes.length === 0) return;
  const newest = Math.max(...minutes.map(({ at }) => at));
  await engine.db.transaction().execute(async (within) => {
    // Steps and times in one order, so that two servers never wait for each other.
    for (const { step, keptFor } of TRAFFIC_STEPS) {
      await addSteps(
        engine,
        within,
        step,
        bySteps(
          minutes.filter(({ at }) => at > newest - keptFor),
          step,
        ),
      );
      await within
        .deleteFrom("traffic")
        .where("step", "=", step)
        .where("at", "<=", newest - keptFor)
        .execute();
    }
  });
}

async function addSteps(
  engine: Engine,
  within: Transaction<Tables>,
  step: number,
  added: readonly Traffic[],
): Promise<void> {
  const rows = added.map(({ at, requests, refused, failed, lookups }) => [
    step,
    at,
    requests,
    refused,
    failed,
    lookups,
  ]);
  const number = (index: number) => sql`cast(value ->> ${sql.lit(index)} as bigint)`;
  // From here on, no other server changes these rows until the end of the transaction.
  await sql`
    insert into traffic (step, at, requests, refused, failed, lookups, times)
    select ${sql.join([0, 1, 2, 3, 4, 5].map(number))}, '[]' from ${jsonRows(engine, rows)} as given where true
    on conflict (step, at) do update set requests = traffic.requests + excluded.requests, refused = traffic.refused + excluded.refused,
    failed = traffic.failed + excluded.failed, lookups = traffic.lookups + excluded.lookups`.execute(within);
  const known = new Map((await selectSteps(within, step, added[0]!.at)).map(({ at, times }) => [at, times]));
  for (const { at, times } of added) {
    const sum = sumOfTimes([known.get(at) ?? [], times]);
    await within
      .updateTable("traffic")
      .set({ times: JSON.stringify(sum) })
      .where("step", "=", step)
      .where("at", "=", at)
      .execute();
  }
}

/** See `READS.traffic`. */
export function readTraffic({ db }: Engine, step: number, from: number): Promise<Traffic[]> {
  return selectSteps(db, step, from);
}

async function selectSteps(within: Engine["db"], step: number, from: number): Promise<Traffic[]> {
  const rows = await within
    .selectFrom("traffic")
    .selectAll()
    .where("step", "=", step)
    .where("at", ">=", from)
    .orderBy("at")
    .execute();
  return rows.map(({ at, requests, refused, failed, lookups, times }) => ({
    at,
    requests,
    refused,
    failed,
    lookups,
    times: JSON.parse(times) as Times,
  }));
}
