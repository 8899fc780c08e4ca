import type { Transaction } from "kysely";
import type { HistoryMark } from "../../saved-rules.ts";
import type { Tables } from "../_tables.ts";

/** The last change of the database. */
export interface LastChange {
  readonly schema: number;
  readonly sequence: number;
  /** Null if there is no change, or none is kept. */
  readonly mark: HistoryMark | null;
}

/** The last change, and whether the database has all of the given changes: the ids of their transactions, by number. */
export async function compareHistory(
  within: Transaction<Tables>,
  seen: ReadonlyMap<number, string>,
): Promise<LastChange & { readonly hasAll: boolean }> {
  const store = await within.selectFrom("store").select(["schema", "sequence"]).executeTakeFirstOrThrow();
  const found = await transactionsOf(within, [...seen.keys(), store.sequence]);
  const transaction = found.get(store.sequence);
  return {
    ...store,
    mark: transaction === undefined ? null : { ...store, transaction },
    hasAll: [...seen].every(([sequence, id]) => found.get(sequence) === id),
  };
}

/** The last change. */
export async function readLast(within: Transaction<Tables>): Promise<LastChange> {
  const { schema, sequence, mark } = await compareHistory(within, new Map());
  return { schema, sequence, mark };
}

/** By the numbers of changes, the ids of the transactions that wrote them. */
export async function transactionsOf(
  within: Transaction<Tables>,
  sequences: readonly number[],
): Promise<Map<number, string>> {
  const rows = await within
    .selectFrom("changes")
    .select(["sequence", "transaction"])
    .where("sequence", "in", sequences)
    .execute();
  return new Map(rows.map(({ sequence, transaction }) => [sequence, transaction]));
}
