import { sql, type Transaction } from "kysely";
import type { Engine } from "../_engine.ts";
import type { Tables } from "../_tables.ts";

/** How long events of an organisation are kept, and how many. */
export interface EventLimits {
  readonly eventDays: number;
  readonly eventsPerOrganisation: number;
}

const DAY = 86_400_000;
/** Old events are deleted once this many have been added, at most so many rows at a time. */
const DELETED_EVERY = 1000;
const DELETED_AT_ONCE = 2000;

/**
 * Deletes events of an organisation that are too old, or too many. `end`: the number of its next event, after `added`
 * new ones.
 */
export async function deleteOldEvents(
  engine: Engine,
  within: Transaction<Tables>,
  { eventDays, eventsPerOrganisation }: EventLimits,
  { id, end, added, now }: { readonly id: string; readonly end: number; readonly added: number; readonly now: number },
): Promise<void> {
  if (Math.floor(end / DELETED_EVERY) === Math.floor((end - added) / DELETED_EVERY)) return;
  const oldest = await within
    .selectFrom("events")
    .select(["last", "at", "parts", "part"])
    .where("organisation_id", "=", id)
    .orderBy("last")
    .limit(DELETED_AT_ONCE)
    .execute();
  // Clocks differ: an event is deleted only if all before it are, so that the numbers have no gap.
  const kept = oldest.findIndex(({ last, at }) => last >= end - eventsPerOrganisation && at > now - eventDays * DAY);
  const gone = kept < 0 ? oldest : oldest.slice(0, kept);
  if (gone.length === 0) return;
  const last = gone.at(-1)!.last;
  await sql`
    delete from event_parts where (id, part) in
    (select parts, part from events where organisation_id = ${id} and last <= ${last} and parts is not null)`.execute(
    within,
  );
  await within.deleteFrom("events").where("organisation_id", "=", id).where("last", "<=", last).execute();
  await engine.pause();
}
