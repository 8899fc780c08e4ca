/** CSV and JSON records, read beside DuckDB: the same records, and the same address in each. */
import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Random } from "../../../bench/data/random.ts";
import { rounds } from "../../rounds.ts";
import { clientsIn } from "../clients-in.ts";
import { temporaryFolder } from "../fixture.ts";

const SEED = 20261129;
const RECORDS = 2000;
const ROUNDS = rounds({ short: 26, long: 100 });

const EXAMPLE = join(import.meta.dirname, "../../../examples/duckdb");
const missing = existsSync(join(EXAMPLE, "node_modules/@duckdb/node-api"))
  ? false
  : "@duckdb/node-api is not installed; install it with: npm run examples:setup";

interface Connection {
  runAndReadAll(sql: string): Promise<{ getRows(): unknown[][] }>;
  closeSync(): void;
}

/** Texts of cells that a reader may take for the end of something, or for an address. */
const TEXTS = ["x", ",", '"', '","', '""', "a\nb", "\r\n", " ", "10.9.9.9", "10.9.9.9,", '"10.9.9.9"', "é", '5" disk'];

function cell(random: Random): string {
  return Array.from({ length: random.below(4) }, () => TEXTS[random.below(TEXTS.length)]!).join("");
}

/** As RFC 4180 writes it; sometimes in quotes without need. */
function written(text: string, random: Random): string {
  return /[",\r\n]/.test(text) || random.below(3) === 0 ? `"${text.replaceAll('"', '""')}"` : text;
}

function randomCsv(random: Random): string {
  const rows = Array.from({ length: RECORDS }, () => {
    const cells = [cell(random), `203.0.113.${random.below(256)}`, cell(random)];
    return cells.map((text) => written(text, random)).join(",");
  });
  return `note,ip,other\n${rows.join("\n")}\n`;
}

function randomJson(random: Random): string {
  const rows = Array.from({ length: RECORDS }, () => ({
    note: cell(random),
    ip: `203.0.113.${random.below(256)}`,
    nested: { ip: cell(random) },
  }));
  return rows.map((row) => `${JSON.stringify(row)}\n`).join("");
}

describe("DuckDB", { skip: missing }, () => {
  const path = join(temporaryFolder(), "records");
  let connection: Connection;
  before(async () => {
    const { DuckDBInstance } = createRequire(join(EXAMPLE, "package.json"))("@duckdb/node-api");
    connection = await (await DuckDBInstance.create(":memory:")).connect();
  });
  after(() => connection.closeSync());

  const KINDS: readonly (readonly [kind: string, table: string, text: (random: Random) => string])[] = [
    [
      "CSV",
      `read_csv('${path}', header = true, all_varchar = true, delim = ',', quote = '"', escape = '"', auto_detect = false, columns = {note: 'VARCHAR', ip: 'VARCHAR', other: 'VARCHAR'}, strict_mode = true, parallel = false)`,
      randomCsv,
    ],
    ["JSON", `read_json('${path}', format = 'newline_delimited', columns = {ip: 'VARCHAR'})`, randomJson],
  ];
  for (const [kind, table, text] of KINDS)
    test(`${kind}: the addresses that DuckDB reads`, async () => {
      const random = new Random(SEED);
      for (let round = 0; round < ROUNDS; round++) {
        const records = text(random);
        writeFileSync(path, records);
        const rows = (await connection.runAndReadAll(`SELECT ip FROM ${table}`)).getRows();
        const expected = rows.map(([ip]) => String(ip));
        assert.equal(expected.length, RECORDS);
        assert.deepEqual(await clientsIn(records, "ip"), expected);
        assert.notDeepEqual(await clientsIn(records, "note"), expected, "negative control: another column");
      }
    });
});
