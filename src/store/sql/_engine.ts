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
  insertRows(within: Transaction<Tables>, insertion: Insertion, rows: readonly (readonly Parameter[])[]): Promise<void>;
  /** Runs a statement as it stands, with its parameters; what it returns. */
  query(within: Transaction<Tables>, text: string, parameters: readonly Parameter[]): Promise<readonly unknown[]>;
}

export type Parameter = string | number | null;

/** Rows in a statement of `statement`: as those of `jsonRows`. */
export class GivenRows {
  readonly items: readonly unknown[];

  constructor(items: readonly unknown[]) {
    this.items = items;
  }
}

/** A part of the text of a statement. */
export class TextPart {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/**
 * Runs a statement that every group of commands has; its values are parameters, rows and parts of its text. It is written
 * down as it is sent: for a group of one command, building such statements with kysely took longer than running them.
 *
 *     const rows = await statement<{ id: string }>(engine, within)`select id from rulesets where number = ${7}`;
 */
export function statement<Row = never>(engine: Engine, within: Transaction<Tables>) {
  return (
    strings: TemplateStringsArray,
    ...values: readonly (Parameter | GivenRows | TextPart)[]
  ): Promise<readonly Row[]> => {
    const parameters: Parameter[] = [];
    let text = strings[0]!;
    for (const [i, value] of values.entries()) {
      if (value instanceof TextPart) text += value.text;
      else if (value instanceof GivenRows) {
        parameters.push(JSON.stringify(value.items));
        text += rowsOf(engine, placeholder(engine, parameters.length));
      } else {
        parameters.push(value);
        text += placeholder(engine, parameters.length);
      }
      text += strings[i + 1]!;
    }
    return engine.query(within, text, parameters) as Promise<readonly Row[]>;
  };
}

function placeholder({ name }: Engine, number: number): string {
  return name === "sqlite" ? "?" : `$${number}`;
}

/** An array of JSON as rows. */
function rowsOf({ name }: Engine, array: string): string {
  return name === "sqlite" ? `json_each(${array})` : `jsonb_array_elements(cast(${array} as jsonb))`;
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

/** The same in a `statement`, if wanted without those that another server has locked. */
export function lockPart({ name }: Engine, skipsLocked = false): TextPart {
  return new TextPart(name === "sqlite" ? "" : skipsLocked ? "for update skip locked" : "for update");
}
