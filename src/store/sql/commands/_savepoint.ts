import { sql, type Transaction } from "kysely";
import type { Tables } from "../_tables.ts";
import { StoreError } from "../../store-error.ts";

/** Runs work that writes while it decides. If it is rejected midway, its writes are rolled back. */
export async function withSavepoint<Result>(within: Transaction<Tables>, work: () => Promise<Result>): Promise<Result> {
  await sql`savepoint command`.execute(within);
  try {
    const result = await work();
    await sql`release savepoint command`.execute(within);
    return result;
  } catch (error) {
    if (error instanceof StoreError) await sql`rollback to savepoint command`.execute(within);
    throw error;
  }
}
