import { DatabaseSync } from "node:sqlite";
import { Client } from "pg";
import type { StoreLocation } from "../../../src/store/open-store.ts";

/** Runs a statement without the store. Returns the column `result` of the first row, if there is one. */
export async function runSql(location: StoreLocation, statement: string): Promise<number | undefined> {
  const rows = "url" in location ? await runInPostgres(location.url, statement) : runInFile(location.file, statement);
  return rows[0]?.result === undefined ? undefined : Number(rows[0].result);
}

type Rows = readonly { readonly result?: unknown }[];

async function runInPostgres(url: string, statement: string): Promise<Rows> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query("set search_path = ipsieve");
    return (await client.query<{ result?: unknown }>(statement)).rows;
  } finally {
    await client.end();
  }
}

function runInFile(file: string, statement: string): Rows {
  const database = new DatabaseSync(file, { timeout: 60_000 });
  try {
    return database.prepare(statement).all();
  } finally {
    database.close();
  }
}
