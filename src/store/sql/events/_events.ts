import { sql, type Transaction } from "kysely";
import type { EventPage, StoredEvents } from "../../event.ts";
import { atOneInstant } from "../_at-one-instant.ts";
import type { Engine } from "../_engine.ts";
import type { Tables } from "../_tables.ts";

/** Characters after which no further row is read: for a list, some twenty thousand events. */
const MAX_CHARACTERS = 1 << 20;
/** Rows that are read at a time, depending on how long they are. */
const [MIN_ROWS, MAX_ROWS] = [8, 1000];

/** See `READS.events`. */
export function readEvents(engine: Engine, organisationId: string, after: number, limit: number): Promise<EventPage> {
  return atOneInstant(engine, async (within) => {
    const { sequence: lastChange } = await within.selectFrom("store").select("sequence").executeTakeFirstOrThrow();
    const heads = within.selectFrom("event_heads").select(["feed", "sequence"]);
    const head = await heads.where("organisation_id", "=", organisationId).executeTakeFirst();
    const { feed, sequence } = head ?? { feed: "", sequence: 0 };
    const own = within.selectFrom("events").where("organisation_id", "=", organisationId);
    const oldest = (await own.select("first").orderBy("last").limit(1).executeTakeFirst())?.first ?? sequence + 1;
    if (after >= sequence || after + 1 < oldest) return { feed, sequence, lastChange, oldest, rows: [] };
    return {
      feed,
      sequence,
      lastChange,
      oldest,
      rows: await readRows(within, organisationId, after, Math.min(sequence, after + limit)),
    };
  });
}

/** The rows with the events after one number up to another, or the first of them. */
async function readRows(
  within: Transaction<Tables>,
  organisationId: string,
  after: number,
  end: number,
): Promise<StoredEvents[]> {
  const rows: StoredEvents[] = [];
  for (let [last, characters] = [after, 0]; last < end && characters < MAX_CHARACTERS;) {
    const count = Math.floor((rows.length * (MAX_CHARACTERS - characters)) / Math.max(characters, 1));
    const { rows: found } = await sql<StoredEvents>`
      select first, last, at, type, ruleset_id as "rulesetId", coalesce(events.body, event_parts.body) as body, parts
      from events left join event_parts on event_parts.id = events.parts and event_parts.part = events.part
      where organisation_id = ${organisationId} and last > ${last} and first <= ${end} order by last
      limit ${Math.max(MIN_ROWS, Math.min(MAX_ROWS, end - last, count))}`.execute(within);
    for (const row of found) characters += row.body.length;
    rows.push(...found);
    last = rows.at(-1)!.last;
  }
  return rows;
}

/** See `READS.nextExpiry`. */
export async function readNextExpiry({ db }: Engine): Promise<number | null> {
  const { next } = await db
    .selectFrom("rulesets")
    .select(({ fn }) => fn.min("next_expiry").as("next"))
    .where("next_expiry", "is not", null)
    .executeTakeFirstOrThrow();
  return next;
}
