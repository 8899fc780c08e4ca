import { type Engine, isStorable } from "./_engine.ts";
import type { Credentials } from "./state.ts";

/** By what names are compared: compatible characters and capitals are the same. */
export function keyOfName(name: string): string {
  return name.normalize("NFKC").toLowerCase();
}

/** See `Store.credentials`. */
export async function readCredentials({ db }: Engine, name: string): Promise<Credentials | null> {
  if (!isStorable(name)) return null;
  const row = await db
    .selectFrom("users").select(["id", "organisation_id", "password"]).where("name_key", "=", keyOfName(name)).where("deleted_at", "is", null).executeTakeFirst();
  return row === undefined || row.password === null ? null : { userId: row.id, organisationId: row.organisation_id, password: row.password };
}
