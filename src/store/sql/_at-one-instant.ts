import type { Transaction } from "kysely";
import type { Engine } from "./_engine.ts";
import type { Tables } from "./_tables.ts";

/** Runs `read` on a single snapshot of the database. */
export function atOneInstant<T>({ db }: Engine, read: (within: Transaction<Tables>) => Promise<T>): Promise<T> {
  return db.transaction().setIsolationLevel("repeatable read").setAccessMode("read only").execute(read);
}
