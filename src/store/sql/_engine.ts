import { type Kysely, type RawBuilder, sql, type Transaction } from "kysely";
import type { RuleValues } from "../_rule-values.ts";
import type { Tables } from "./_tables.ts";

/**
 * Rows to insert: the columns with their types in PostgreSQL, and what follows the values, such as `on conflict ...`.
 */
export interface Insertion {
  readonly table: string;
  readonly columns: Readonly<Record<string, "bigint" | "text">>;
  readonly ending: string;
}

/** Where the databases differ. All other SQL is the same. */
export interface Engine {
  readonly name: "sqlite" | "postgres";
  readonly db: Kysely<Tables>;
  /** The schema of the tables, if a database has several. */
  readonly schema?: string;
  /**
   * Rows read or written by one statement: for PostgreSQL few enough that the thread that serves requests prepares them
   * in some milliseconds.
   */
  readonly rowsAtOnce: number;
  /** Lets other requests run if the thread of the database client serves them, too. */
  pause(): Promise<void>;
  /**
   * Rules of a ruleset in the order of prefixes, those after a key, as arrays: for a million rows, objects cost too
   * much.
   */
  readRules(within: Transaction<Tables>, ruleset: number, after: string, limit: number): Promise<readonly RuleValues[]>;
  /**
   * Inserts rows, each an array in the order of the columns: the fastest way that the database has, because most of the
   * time of a group is spent here.
   */
  insertRows(
    within: Transaction<Tables>,
    insertion: Insertion,
    rows: readonly (readonly (string | number | null)[])[],
  ): Promise<void>;
}

/** An array, one row per item, with the item in the column `value`: whatever its length, the statement is the same. */
export function jsonRows({ name }: Engine, items: readonly unknown[]): RawBuilder<unknown> {
  const text = JSON.stringify(items);
  return name === "sqlite" ? sql`json_each(${text})` : sql`jsonb_array_elements(cast(${text} as jsonb))`;
}

/** Locks what a query selects until the transaction ends. SQLite has one writer at a time anyway. */
export function forUpdate({ name }: Engine): RawBuilder<unknown> {
  return name === "sqlite" ? sql`` : sql`for update`;
}
