import { isStorable } from "../decide/_texts.ts";
import type { Engine } from "./_engine.ts";
import { keyOfName } from "../name-key.ts";
import type { Credentials, Invited } from "../state.ts";

/** See `READS.credentials`. */
export async function readCredentials({ db }: Engine, name: string): Promise<Credentials | null> {
  if (!isStorable(name)) return null;
  const row = await db
    .selectFrom("users")
    .select(["id", "organisation_id", "password"])
    .where("name_key", "=", keyOfName(name))
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  return row === undefined || row.password === null
    ? null
    : { userId: row.id, organisationId: row.organisation_id, password: row.password };
}

/** See `READS.invited`. */
export async function readInvited({ db }: Engine, digest: string, at: number): Promise<Invited | null> {
  const row = await db
    .selectFrom("users")
    .select(["id", "organisation_id", "name"])
    .where("invitation", "=", digest)
    .where("invited_until", ">", at)
    .executeTakeFirst();
  return row === undefined ? null : { id: row.id, organisationId: row.organisation_id, name: row.name };
}
