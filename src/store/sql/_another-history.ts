import { randomBytes } from "node:crypto";
import { sql, type Transaction } from "kysely";
import type { PublishedList, RefusedList } from "../records/deployment.ts";
import type { Tables } from "./_tables.ts";

/** A million changes, or lists that were refused, are more than a database loses by a restore. */
export const NEVER_LOST = 1_000_000;

/**
 * For a database that was restored from a backup, whose later states others have seen. What was lost had numbers, which
 * must not come to mean something else: changes (versions, the audit log, `X-After-Sequence`) and refused lists are
 * counted from a number that is larger than any of them, and larger than after an earlier restore of the same backup.
 * Events are counted on, but their feed gets another id. Bouncers get everything with their next request, as they may
 * have been sent what was deleted since the backup.
 */
export async function startAnotherHistory(within: Transaction<Tables>): Promise<void> {
  const feed = randomBytes(16).toString("hex");
  await sql`update event_heads set feed = ${feed}`.execute(within);
  await sql`update bouncer_states set issued_at = 0`.execute(within);
  const { sequence } = await within.selectFrom("store").select("sequence").executeTakeFirstOrThrow();
  await within
    .updateTable("store")
    .set({ sequence: further(sequence, Date.now()) })
    .execute();
  await countRefusalsFurther(within);
}

async function countRefusalsFurther(within: Transaction<Tables>): Promise<void> {
  const seconds = Math.floor(Date.now() / 1000);
  const rows = await within.selectFrom("deployments").select(["id", "published", "refused"]).execute();
  for (const { id, ...row } of rows) {
    const published = row.published === null ? null : (JSON.parse(row.published) as PublishedList);
    const refused = row.refused === null ? null : (JSON.parse(row.refused) as RefusedList);
    const refusals = further(refused?.number ?? published?.refusals ?? 0, seconds);
    const changed = {
      published: published && JSON.stringify({ ...published, refusals }),
      refused: refused && JSON.stringify({ ...refused, number: refusals }),
    };
    await within.updateTable("deployments").set(changed).where("id", "=", id).execute();
  }
}

function further(number: number, time: number): number {
  return Math.max(number + NEVER_LOST, time);
}
