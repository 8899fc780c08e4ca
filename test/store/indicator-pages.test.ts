import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { type RawBuilder, sql } from "kysely";
import type { IndicatorQuery } from "../../src/store/records/indicator.ts";
import { openStore } from "../../src/store/open-store.ts";
import { openPool } from "../../src/store/postgres/_database.ts";
import { migrate } from "../../src/store/migrations/migrate.ts";
import { pageQuery } from "../../src/store/sql/indicators/_indicator-pages.ts";
import { openDatabase, type SqliteEngine } from "../../src/store/sqlite/_database.ts";
import { makeFastFolder } from "./harness/fast-folder.ts";
import { type PostgresServer, startPostgres, whyNoPostgres } from "./harness/postgres.ts";
import { onlyLong } from "../rounds.ts";

const folder = makeFastFolder();
let engine: SqliteEngine;

before(async () => {
  engine = openDatabase(join(folder, "store.db"), true);
  await migrate(engine);
});
after(() => {
  engine.file.close();
  rmSync(folder, { recursive: true });
});

const LAST = { all: false, first: false, last: true, at: [] };
const EVERY: IndicatorQuery = { after: 5, limit: 10, types: ["indicator", "identity"], versions: LAST };

/** SQLite's query plan. */
async function planOf(query: Partial<IndicatorQuery>): Promise<string> {
  const page = pageQuery(engine, { number: 1, organisationId: "o" }, { ...EVERY, ...query });
  const { rows } = await sql<{ detail: string }>`explain query plan ${page}`.execute(engine.db);
  return rows[0]!.detail;
}

test("no filter scans a whole collection to find a few objects", async () => {
  const rows: readonly (readonly [query: Partial<IndicatorQuery>, plan: string])[] = [
    [{ versions: { ...LAST, last: false, all: true } }, "PRIMARY KEY (collection=? AND added>?)"],
    [{ types: ["identity"] }, "indicators_by_id (collection=? AND id=?"],
    [{ types: ["identity"], versions: { ...LAST, all: true } }, "indicators_by_id (collection=? AND id=?"],
    [{ ids: ["x"] }, "indicators_by_id (collection=? AND id=?"],
    [{ ids: ["x", "y"], types: ["indicator"] }, "indicators_by_id (collection=? AND id=?"],
    [{ versions: { ...LAST, last: false, at: [7] } }, "indicators_by_time (collection=? AND modified=? AND added>?)"],
    [
      { versions: { ...LAST, last: false, at: [7, 8] } },
      "indicators_by_time (collection=? AND modified=? AND added>?)",
    ],
  ];
  for (const [query, plan] of rows) {
    const found = await planOf(query);
    assert.ok(found.includes(plan), `${JSON.stringify(query)}: ${found}`);
  }
});

describe("on PostgreSQL", { skip: (await whyNoPostgres()) || onlyLong() }, () => {
  const OBJECTS = 50_000;
  let postgres: PostgresServer;
  let opened: ReturnType<typeof openPool>["engine"];

  before(async () => {
    postgres = await startPostgres();
    const url = await postgres.database();
    await (await openStore({ url })).close();
    opened = openPool(url, 1).engine;
    await sql`insert into organisations (id, name, created_at) values ('o', 'o', 0)`.execute(opened.db);
    for (const number of [1, 2])
      await sql`insert into indicator_collections (id, number, organisation_id, head, mark, feed)
        values (${`c${number}`}, ${number}, 'o', 0, 0, '')`.execute(opened.db);
    // Three of four versions are the last ones of their objects.
    await sql`insert into indicators
        (collection, added, id, version, prefix, created, modified, revoked, state)
      select 1 + n % 2, n, 'id' || (n / 4), 1, 'p' || n, n, n, 0, case when n % 4 = 0 then 0 else 2 end
      from generate_series(1, ${sql.lit(OBJECTS)}) as n`.execute(opened.db);
    await sql`analyze indicators`.execute(opened.db);
  });
  after(async () => {
    await opened.db.destroy();
    await postgres[Symbol.asyncDispose]();
  });

  const planOnPostgres = async (page: RawBuilder<unknown>): Promise<string> => {
    const { rows } = await sql<Record<string, string>>`explain ${page}`.execute(opened.db);
    return rows.map((row) => row["QUERY PLAN"]).join("\n");
  };

  test("no filter scans a whole collection on PostgreSQL either", async () => {
    const all = { ...LAST, last: false, all: true };
    const at = { ...LAST, last: false, at: [OBJECTS / 2] };
    const rows: readonly (readonly [query: Partial<IndicatorQuery>, indexes: RegExp])[] = [
      [{ versions: all }, /Index Scan using indicators_pkey/],
      [{}, /Index Scan using (last_indicators|indicators_pkey)/],
      [{ types: ["identity"] }, /indicators_by_id/],
      [{ types: ["identity"], versions: all }, /indicators_by_id/],
      [{ ids: ["id7"] }, /indicators_by_id/],
      [{ ids: ["id7", "id8"], types: ["indicator"] }, /indicators_by_id/],
      [{ versions: at }, /indicators_by_time/],
      [{ versions: { ...at, at: [7, OBJECTS - 1] } }, /indicators_by_time/],
    ];
    for (const [query, indexes] of rows) {
      const found = await planOnPostgres(pageQuery(opened, { number: 1, organisationId: "o" }, { ...EVERY, ...query }));
      assert.match(found, indexes, JSON.stringify(query));
      assert.doesNotMatch(found, /Seq Scan|Filter: .*\bid\b/, JSON.stringify(query));
    }
  });

  test("negative control: a column without an index causes a full scan", async () => {
    assert.match(await planOnPostgres(sql`select added from indicators where name = 'x'`), /Seq Scan/);
  });
});
