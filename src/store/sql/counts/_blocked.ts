import { sql, type Transaction } from "kysely";
import type { BlockedCount, BlockedReport, BlockedSummary, BlockedUnit } from "../../records/blocked.ts";
import { type Engine, forUpdate, jsonRows } from "../_engine.ts";
import type { Tables } from "../_tables.ts";

const HOUR = 3_600_000;
const KEPT_HOURS = 31 * 24;
/**
 * Maximum rows of a deployment per hour; whatever is reported beyond that counts as "other", because reports are not
 * trusted.
 */
const MAX_ROWS = 500;
const MAX_SHOWN = 200;

/** See `READS.blocked`. */
export async function readBlocked({ db }: Engine, deploymentId: string, now: number): Promise<BlockedSummary> {
  const kept = db
    .selectFrom("blocked_counts")
    .where("deployment_id", "=", deploymentId)
    .where("hour", ">", now - KEPT_HOURS * HOUR);
  const counts = kept
    .select(({ fn }) => ["source", "prefix", "unit", fn.sum<number | string>("amount").as("amount")])
    .groupBy(["source", "prefix", "unit"])
    .orderBy("amount", "desc")
    .orderBy("source")
    .orderBy("prefix")
    .limit(MAX_SHOWN);
  const hours = kept
    .select(({ fn }) => ["hour", "unit", fn.sum<number | string>("amount").as("amount")])
    .groupBy(["hour", "unit"])
    .orderBy("hour")
    .orderBy("unit");
  return {
    counts: (await counts.execute()).map(({ source, prefix, unit, amount }) => ({
      source,
      prefix,
      unit: unit as BlockedUnit,
      amount: Number(amount),
    })),
    hours: (await hours.execute()).map(({ hour, unit, amount }) => ({
      at: hour,
      unit: unit as BlockedUnit,
      amount: Number(amount),
    })),
  };
}

/** See `COUNTERS.blocked`. Hours that are too old are deleted. */
export async function recordBlocked(engine: Engine, { deploymentId, at, counts }: BlockedReport): Promise<void> {
  const hour = at - (at % HOUR);
  await engine.db.transaction().execute(async (within) => {
    // Takes reports about a deployment one after the other, so that together they stay within the limit.
    await sql`select id from deployments where id = ${deploymentId} ${forUpdate(engine)}`.execute(within);
    const rows = summed(counts, await keysOf(within, deploymentId, hour)).map(({ source, prefix, unit, amount }) => [
      deploymentId,
      hour,
      source,
      prefix,
      unit,
      amount,
    ]);
    const text = (index: number) => sql`value ->> ${sql.lit(index)}`;
    const number = (index: number) => sql`cast(value ->> ${sql.lit(index)} as bigint)`;
    if (rows.length > 0)
      await sql`
        insert into blocked_counts (deployment_id, hour, source, prefix, unit, amount)
        select ${sql.join([text(0), number(1), text(2), text(3), text(4), number(5)])}
        from ${jsonRows(engine, rows)} as given where true
        on conflict (deployment_id, hour, source, prefix, unit) do update set amount = blocked_counts.amount + excluded.amount`.execute(
        within,
      );
    await within
      .deleteFrom("blocked_counts")
      .where("deployment_id", "=", deploymentId)
      .where("hour", "<=", hour - KEPT_HOURS * HOUR)
      .execute();
  });
}

async function keysOf(within: Transaction<Tables>, deploymentId: string, hour: number): Promise<Set<string>> {
  const rows = within.selectFrom("blocked_counts").select(["source", "prefix", "unit"]);
  const own = await rows.where("deployment_id", "=", deploymentId).where("hour", "=", hour).execute();
  return new Set(own.map((row) => keyOf(row)));
}

/** Each source, prefix and unit once; those beyond the limit are added up as "other". */
function summed(counts: readonly BlockedCount[], known: Set<string>): BlockedCount[] {
  const sums = new Map<string, BlockedCount>();
  for (const count of counts) {
    const hasRoom = known.has(keyOf(count)) || known.size < MAX_ROWS;
    const row = hasRoom ? count : { ...count, source: "other", prefix: "" };
    known.add(keyOf(row));
    const before = sums.get(keyOf(row))?.amount ?? 0;
    sums.set(keyOf(row), { ...row, amount: before + row.amount });
  }
  return [...sums.values()];
}

function keyOf({ source, prefix, unit }: { readonly source: string; readonly prefix: string; readonly unit: string }) {
  return `${source} ${prefix} ${unit}`;
}
