import type { ListCheck } from "../records/external-list.ts";
import type { Engine } from "./_engine.ts";

/** See `READS.listContent`. */
export async function readListContent(
  { db }: Engine,
  listId: string,
): Promise<{ readonly number: number; readonly content: string } | null> {
  const contents = db.selectFrom("list_contents").select(["number", "content"]);
  return (await contents.where("list_id", "=", listId).executeTakeFirst()) ?? null;
}

/** See `READS.listChecks`. */
export async function readListChecks({ db }: Engine, organisationId: string): Promise<ListCheck[]> {
  const lists = db.selectFrom("external_lists").select(["id", "checked_at", "due_at"]);
  const rows = await lists.where("organisation_id", "=", organisationId).execute();
  return rows.map(({ id, checked_at: checkedAt, due_at: dueAt }) => ({ listId: id, checkedAt, dueAt }));
}
