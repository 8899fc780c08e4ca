/** The DuckDB example: every row of a log in Parquet gets what the library says about its address. */
import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { formatAddress } from "../../src/address/format-address.ts";
import { parseAddress } from "../../src/address/parse-address.ts";
import { CatalogueTree } from "../../src/cbs/catalogue-tree.ts";
import { openCatalogue } from "../../src/datasets/open-catalogue.ts";
import { Ruleset } from "../../src/rulesets/ruleset.ts";
import { catalogueOf } from "../cbs/catalogues.ts";
import { temporaryFolder } from "../cli/run-command.ts";
import { AROUND_MAPPED, bytesOf, HARD_LINES, type Line, probes } from "../formats/subjects.ts";
import { onlyLong } from "../rounds.ts";
import { run } from "../tools.ts";

const EXAMPLE = join(import.meta.dirname, "../../examples/duckdb");
const missing = existsSync(join(EXAMPLE, "node_modules/@duckdb/node-api"))
  ? false
  : "@duckdb/node-api is not installed; install it with: npm run examples:setup";

interface Connection {
  run(sql: string): Promise<unknown>;
  runAndReadAll(sql: string): Promise<{ getRowObjectsJson(): Record<string, unknown>[] }>;
  closeSync(): void;
}

const folder = temporaryFolder();
after(() => folder.remove());
const path = (name: string) => join(folder.path, name);

async function withDuckdb<Result>(use: (connection: Connection) => Promise<Result>): Promise<Result> {
  const { DuckDBInstance } = createRequire(join(EXAMPLE, "package.json"))("@duckdb/node-api");
  const instance = await DuckDBInstance.create(":memory:");
  const connection: Connection = await instance.connect();
  try {
    return await use(connection);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/**
 * Runs the example on a log of these texts, which also has columns with names that a query uses; returns its rows in
 * order.
 */
async function answered(query: string, ranges: Buffer | string, texts: readonly (string | null)[]) {
  writeFileSync(path("ranges.csv"), ranges);
  writeFileSync(path("log.json"), texts.map((ip, row) => `${JSON.stringify({ row, ip })}\n`).join(""));
  await withDuckdb((duckdb) =>
    duckdb.run(
      `COPY (SELECT *, 7 AS ipv4, 8 AS ipv6, 9 AS hi, 10 AS lo FROM read_json('${path("log.json")}', columns = {row: 'INTEGER', ip: 'VARCHAR'})) TO '${path("log.parquet")}' (FORMAT parquet)`,
    ),
  );
  const files = ["ranges.csv", "log.parquet", "out.parquet"].map(path);
  const { code, output } = await run(process.execPath, [join(EXAMPLE, "run.js"), query, ...files]);
  assert.equal(code, 0, output);
  const rows = await withDuckdb(async (duckdb) =>
    (await duckdb.runAndReadAll(`SELECT * FROM '${path("out.parquet")}' ORDER BY row`)).getRowObjectsJson(),
  );
  assert.deepEqual(
    rows.map(({ row }) => row),
    texts.map((_, row) => row),
    "each row once",
  );
  for (const { ipv4, ipv6, hi, lo } of rows) assert.deepEqual([ipv4, ipv6, hi, lo], [7, 8, 9, 10]);
  return rows.map(({ ipv4: _4, ipv6: _6, hi: _hi, lo: _lo, ...row }) => row);
}

/** Texts of addresses in every form, and texts that are not addresses, an empty one first. */
const TEXTS: readonly (string | null)[] = `
  0.0.0.0 255.255.255.255 10.1.2.3 010.1.2.3 10.1.2 10.1.2.3.4 10.1.2.256 10.1.2.3:80 10.1.2.3/32
  :: ::1 2001:DB8::1 2001:0db8:0:0:0:0:0:1 2001:db8::0.0.0.1 2001:db8:0:0:0:0:0:0:1 2001:db8 fe80::1%eth0 [::1]
  ::ffff:10.1.2.3 ::FFFF:a01:203 0:0:0:0:0:ffff:10.1.2.4 ::fffe:10.1.2.3 ::ffff:0:10.1.2.3 ::1.2.3 ::01.2.3.4
  1:2:3:4:5:6:7:: ::2:3:4:5:6:7:8 1::2::3 1:2:3:4:5:6:7:8:: :1 1: 12345:: g:: ::: 1:::2 1.2.3.4::
  20010:db8:1:2:3:4:5:6 12345678:1:2:3:4:5:6:7
  1:2:3:4:5:6:1.2.3.4 1:2:3:4:5:6:7:1.2.3.4 ::1.2.3.4:5 ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff`
  .split(/\s+/)
  .map((text): string | null => text)
  .concat("10.1.2.3 ", "a name", null);

function parsed(text: string | null) {
  try {
    return parseAddress(text ?? "");
  } catch {
    return undefined;
  }
}

/** Compares every row with the catalogue; returns how many have services. */
function compare(rows: readonly Record<string, unknown>[], { catalogue }: CatalogueTree): number {
  let found = 0;
  for (const { ip, cbs_ids } of rows) {
    const address = parsed(ip as string | null);
    const nodes = address === undefined ? [] : catalogue.nodesOf(catalogue.table.lookupAddress(address));
    const expected = nodes.map(({ id }) => id).sort();
    assert.deepEqual((cbs_ids as string[]).toSorted(), expected, String(ip));
    if (expected.length > 0) found++;
  }
  return found;
}

/** CSV puts a "'" before what a spreadsheet would execute; that is not what is tested here. */
const isPlain = (lines: readonly Line[]): Line[] =>
  lines.map(([prefix, ...ids]) => [prefix, ...ids.filter((id) => !id.startsWith("="))]);

const HARD = new CatalogueTree(catalogueOf(isPlain(HARD_LINES)));

describe("DuckDB, by ranges and ASOF joins", { skip: missing }, () => {
  for (const [name, tree, skip] of [
    ["hard cases", HARD, false],
    ["around the mapped block", new CatalogueTree(catalogueOf(AROUND_MAPPED)), onlyLong()],
  ] as const)
    test(`${name}: every row has the services of the library`, { skip }, async (t) => {
      const texts = [...TEXTS, ...Array.from(probes(tree.catalogue), formatAddress)];
      const rows = await answered("identify.sql", bytesOf(tree, "ranges-csv"), texts);
      const found = compare(rows, tree);
      t.diagnostic(`${rows.length} rows, ${found} with services`);
      assert.ok(found > 20);
    });

  test("the bundled catalogue", { skip: onlyLong() }, async (t) => {
    const tree = new CatalogueTree(await openCatalogue());
    const texts = Array.from(probes(tree.catalogue), formatAddress).filter((_, index) => index % 20 === 0);
    const rows = await answered("identify.sql", bytesOf(tree, "ranges-csv"), texts);
    const found = compare(rows, tree);
    t.diagnostic(`${rows.length} rows, ${found} with services`);
    assert.ok(found > rows.length / 4);
  });

  test("negative control: the ranges of another catalogue are detected", { skip: onlyLong() }, async () => {
    const other = new CatalogueTree(catalogueOf([["10.0.0.0/9", "/cloud/aws"]]));
    const rows = await answered("identify.sql", bytesOf(other, "ranges-csv"), TEXTS);
    assert.throws(() => compare(rows, HARD), { name: "AssertionError" });
  });

  test("every row has the rule that decides", { skip: onlyLong() }, async () => {
    const rules = new Ruleset({ name: "rules", allowSpecialPurpose: true });
    rules.add("10.0.0.0/8");
    rules.add("10.1.2.0/24", { name: 'a "name", quoted' });
    rules.add("10.1.2.3", { name: "", expiresInDays: 1 });
    rules.add("2001:db8::/32", { name: "documentation" });
    const rows = await answered("check.sql", [...rules.export("ranges-csv")].join(""), TEXTS);
    for (const { ip, row: _, ...decided } of rows) {
      const rule = parsed(ip as string | null) === undefined ? null : rules.check(ip as string);
      const expiresAt = rule?.expiresAt ?? null;
      const expected = {
        listed: rule !== null,
        name: rule?.name ?? null,
        expires_at: expiresAt === null ? null : new Date(expiresAt).toISOString(),
      };
      assert.deepEqual(decided, expected, String(ip));
    }
    assert.equal(rows.filter(({ listed }) => listed === true).length > 5, true);
  });

  test("a file without the column `ip`, and ranges that are not numbers, are errors that say so", async () => {
    await assert.rejects(answered("identify.sql", "family,lo,hi,cbs_ids\n4,x,2,a\n", ["10.1.2.3"]), /"x"|'x'/);
    await assert.rejects(answered("absent.sql", "", ["10.1.2.3"]), /ENOENT/);
  });
});
