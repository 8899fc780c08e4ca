import { type RawBuilder, sql } from "kysely";
import type { FoundMessage, LimitMessage, SeenMessage } from "../../limit-message.ts";
import { type Engine, jsonRows } from "../_engine.ts";
import { clock } from "./_leases.ts";

/** Milliseconds for which messages are delivered to other servers. Their counts are of one minute. */
const READ_FOR = 120_000;
/** Milliseconds after which they are deleted. */
const KEPT_FOR = 180_000;

/**
 * See `COUNTERS.limits`. One round trip with PostgreSQL; a SQLite file is written only if there is something to report.
 */
export async function exchangeLimitCounts(
  engine: Engine,
  server: string,
  message: LimitMessage | null,
  seen: readonly SeenMessage[],
): Promise<FoundMessage[]> {
  const others = selectOthers(engine, server, seen);
  if (message === null) return (await others.execute(engine.db)).rows;
  const insert = insertMessage(engine, server, message);
  if (engine.name === "postgres") {
    const statement = sql<FoundMessage>`with written as (${insert}), deleted as (${deleteOld(engine)}) ${others}`;
    return (await statement.execute(engine.db)).rows;
  }
  return engine.db.transaction().execute(async (within) => {
    await insert.execute(within);
    await deleteOld(engine).execute(within);
    return (await others.execute(within)).rows;
  });
}

function insertMessage(engine: Engine, server: string, { number, age, counts }: LimitMessage): RawBuilder<unknown> {
  return sql`
    insert into limit_counts (server, number, at, age, counts)
    values (${server}, ${number}, ${clock(engine)}, ${Math.round(age)}, ${counts})
    on conflict (server, number) do nothing`;
}

/**
 * Including those of servers that are gone. Rows that another server is deleting are left to it, so that neither waits.
 */
function deleteOld(engine: Engine): RawBuilder<unknown> {
  // Messages from the far future were written before the clock was set back.
  const old = sql`abs(${clock(engine)} - at) > ${sql.lit(KEPT_FOR)}`;
  if (engine.name === "sqlite") return sql`delete from limit_counts where ${old}`;
  return sql`
    delete from limit_counts using (select server, number from limit_counts where ${old} for update skip locked) as gone
    where limit_counts.server = gone.server and limit_counts.number = gone.number`;
}

function selectOthers(engine: Engine, server: string, seen: readonly SeenMessage[]): RawBuilder<FoundMessage> {
  return sql<FoundMessage>`
    select limit_counts.server, limit_counts.number, ${clock(engine)} - at + age as begun, counts
    from limit_counts left join (
      select value ->> 0 as server, cast(value ->> 1 as bigint) as number from ${jsonRows(engine, seen)} as given
    ) as seen on seen.server = limit_counts.server
    where limit_counts.server <> ${server} and limit_counts.number > coalesce(seen.number, 0)
    and abs(${clock(engine)} - at) < ${sql.lit(READ_FOR)}
    order by limit_counts.server, limit_counts.number`;
}
