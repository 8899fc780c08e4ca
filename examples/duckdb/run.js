// Usage: node run.js identify.sql|check.sql RANGES.csv LOG.parquet OUTPUT.parquet; the SQL files say what they do.
import { readFileSync } from "node:fs";
import { DuckDBInstance } from "@duckdb/node-api";

const [query, ranges, log, output] = process.argv.slice(2);
if (output === undefined)
  throw new Error("usage: node run.js identify.sql|check.sql RANGES.csv LOG.parquet OUTPUT.parquet");

const instance = await DuckDBInstance.create(":memory:");
const connection = await instance.connect();
for (const [name, value] of Object.entries({ ranges, log, output }))
  await connection.run(`SET VARIABLE ${name} = '${value.replaceAll("'", "''")}'`);
for (const file of ["addresses.sql", query]) await connection.run(readFileSync(new URL(file, import.meta.url), "utf8"));
connection.closeSync();
instance.closeSync();
