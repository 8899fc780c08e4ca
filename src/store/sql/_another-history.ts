import { randomBytes } from "node:crypto";
import { sql, type Transaction } from "kysely";
import type { Tables } from "./_tables.ts";

/**
 * For a database that was restored from a backup, whose later states others have seen. Feeds get another id, as events
 * written from now on get numbers that readers may have seen with other events. Bouncers get everything with their next
 * request, as they may have been sent what was deleted since the backup.
 */
export async function startAnotherHistory(within: Transaction<Tables>): Promise<void> {
  const feed = randomBytes(16).toString("hex");
  await sql`update event_heads set feed = ${feed}`.execute(within);
  await sql`update bouncer_states set issued_at = 0`.execute(within);
}
