import { type Kysely, sql } from "kysely";
import { type Activity, FIRST_ERROR } from "../../records/activity.ts";
import type { BlockedUnit } from "../../records/blocked.ts";
import type { Engine } from "../_engine.ts";
import type { Tables } from "../_tables.ts";
import { IS_SHOWN } from "../history/_audit-log.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const SHOWN_DAYS = 31;
/** The newest changes, so that an organisation with millions of them waits no longer. */
const MAX_SCANNED = 10_000;

/** See `READS.activity`. */
export async function readActivity({ db }: Engine, organisationId: string, now: number): Promise<Activity> {
  const from = now - (now % HOUR) - DAY + HOUR;
  const own = db
    .selectFrom("deployments")
    .select("id")
    .where("organisation_id", "=", organisationId)
    .where("deleted_at", "is", null);
  const errors = db
    .selectFrom("pulls")
    .select(({ fn }) => ["deployment_id", "status", fn.countAll<number>().as("count"), fn.max<number>("at").as("at")])
    .where("deployment_id", "in", own)
    .where("status", ">=", FIRST_ERROR)
    .where("at", ">", now - DAY)
    .groupBy(["deployment_id", "status"]);
  const days = db
    .selectFrom("pull_counts")
    .select(({ fn }) => ["day", fn.sum<number | string>("pulls").as("pulls")])
    .where("deployment_id", "in", own)
    .where("day", ">", now - SHOWN_DAYS * DAY)
    .groupBy("day")
    .orderBy("day");
  const blocked = db
    .selectFrom("blocked_counts")
    .select(({ fn }) => ["hour", "unit", fn.sum<number | string>("amount").as("amount")])
    .where("deployment_id", "in", own)
    .where("hour", ">=", from)
    .groupBy(["hour", "unit"])
    .orderBy("hour")
    .orderBy("unit");
  return {
    changes: await changesByHour(db, organisationId, from),
    blocked: (await blocked.execute()).map(({ hour, unit, amount }) => ({
      at: hour,
      unit: unit as BlockedUnit,
      amount: Number(amount),
    })),
    days: (await days.execute()).map(({ day, pulls }) => ({ day, pulls: Number(pulls) })),
    errors: (await errors.execute()).map(({ deployment_id: deploymentId, status, count, at }) => {
      return { deploymentId, status, count: Number(count), at };
    }),
  };
}

async function changesByHour(db: Kysely<Tables>, organisationId: string, from: number): Promise<Activity["changes"]> {
  const newest = db
    .selectFrom("changes")
    .select(["at", "kind", "command"])
    .where("organisation_id", "=", organisationId)
    .orderBy("sequence", "desc")
    .limit(MAX_SCANNED);
  const hour = sql<number>`at - at % ${sql.lit(HOUR)}`;
  const rows = db
    .selectFrom(newest.as("newest"))
    .select(({ fn }) => [hour.as("hour"), fn.countAll<number>().as("count")])
    .where((is) => is.and([IS_SHOWN, is("at", ">=", from)]))
    .groupBy(hour)
    .orderBy("hour");
  return (await rows.execute()).map(({ hour: at, count }) => ({ at, count: Number(count) }));
}
