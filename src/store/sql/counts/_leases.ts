import { type RawBuilder, sql } from "kysely";
import type { Engine } from "../_engine.ts";

/**
 * See `COUNTERS.lease`. By the database's clock, which all its servers share. A lease with more than twice its maximum
 * time left was taken before the clock was set back, and its holder may be gone. A SQLite file is written only by the
 * holder.
 */
export async function takeLease(engine: Engine, name: string, holder: string, milliseconds: number): Promise<boolean> {
  const { rows } = await sql`
    insert into leases (name, holder, until) values (${name}, ${holder}, ${clock(engine)} + ${sql.lit(milliseconds)})
    on conflict (name) do update set holder = excluded.holder, until = excluded.until
    where leases.holder = excluded.holder or leases.until <= ${clock(engine)}
    or (${sql.lit(milliseconds)} > 0 and leases.until > ${clock(engine)} + ${sql.lit(2 * milliseconds)})
    returning name`.execute(engine.db);
  return rows.length === 1;
}

/** Milliseconds since 1970 by the database's clock, which all its servers share. */
export function clock({ name }: Engine): RawBuilder<number> {
  return name === "sqlite"
    ? sql`cast(unixepoch('subsec') * 1000 as integer)`
    : sql`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`;
}
