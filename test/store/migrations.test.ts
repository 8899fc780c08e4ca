import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { after, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { sql } from "kysely";
import { MIGRATIONS, migrate } from "../../src/store/migrations/migrate.ts";
import { openStore, type StoreLocation } from "../../src/store/open-store.ts";
import { openPool } from "../../src/store/postgres/_database.ts";
import { openDatabase } from "../../src/store/sqlite/_database.ts";
import { first } from "../../src/store/migrations/0001-first.ts";
import { GROWN } from "./harness/grown-migrations.ts";
import { databases } from "./harness/stores.ts";

/** Opens the tables without bringing them up to date. */
function openEngine(location: StoreLocation) {
  if ("url" in location) {
    const { engine } = openPool(location.url, 1);
    return { ...engine, [Symbol.asyncDispose]: () => engine.db.destroy() };
  }
  const engine = openDatabase(location.file, true);
  return { ...engine, [Symbol.asyncDispose]: async () => engine.file.close() };
}

async function killAt(location: StoreLocation, step: number): Promise<boolean> {
  const program = fileURLToPath(new URL("./harness/killed-migration.ts", import.meta.url));
  const [kind, where] = Object.entries(location)[0] as [string, string];
  const child = spawn(process.execPath, [program, kind, where, String(step)], { stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  child.stdout.on("data", (chunk) => (said += chunk));
  const [code, signal] = await once(child, "close");
  assert.ok(signal === "SIGKILL" || code === 0);
  return said === "done\n";
}

for (const { name, skip, make, stop } of await databases()) {
  describe(`migrations on ${name}`, { skip }, () => {
    after(stop);

    test("killed at any step, they have run whole or not at all, and go on where they were", async (t) => {
      let step = 1;
      for (let isDone = false; !isDone; step++) {
        const location = await make();
        isDone = await killAt(location, step);
        const shared = openEngine(location);
        await using _ = shared;
        const schema = await sql<{ schema: number }>`select schema from store`.execute(shared.db).then(({ rows }) => rows[0]!.schema, () => 0);
        const notes = sql`select note from organisations`.execute(shared.db).then(({ rows }) => rows.length, ({ message }) => message);
        const expected = [/no such table|does not exist/, /no such column|does not exist/, /^1$/][schema]!;
        assert.match(String(await notes), expected);
        if (schema === 0 && "url" in location) await sql`create schema if not exists ipsieve`.execute(shared.db);
        assert.equal(await migrate(shared, GROWN), GROWN.length - schema);
        assert.equal((await sql`select note from organisations where note = name or id = '1'`.execute(shared.db)).rows.length, 1);
      }
      t.diagnostic(`${step - 2} kills`);
      assert.ok(step > 20);
    });

    test("negative control: half of a migration, without its transaction, is not taken for none", async () => {
      const location = await make();
      const shared = openEngine(location);
      await using _ = shared;
      if ("url" in location) await sql`create schema ipsieve`.execute(shared.db);
      for (const statement of first(shared.name).slice(2, 5)) await sql.raw(statement).execute(shared.db);
      await assert.rejects(migrate(shared), /already exists/);
    });

    test("several processes that start at once migrate once", async () => {
      const location = await make();
      const stores = await Promise.all(Array.from({ length: 4 }, () => openStore(location)));
      assert.equal((await stores[3]!.check()).schema, MIGRATIONS.length);
      for (const store of stores) await store.close();
    });

    test("tables of a newer release are refused, whoever opens them; those of an older one by who is not to change them", async () => {
      const location = await make();
      await (await openStore(location)).close();
      {
        const shared = openEngine(location);
        await using _ = shared;
        await migrate(shared, GROWN);
      }
      for (const create of [true, false]) {
        await assert.rejects(openStore(location, { create }), { name: "StoreError", code: "newer-schema", message: /has schema 2, and this release knows schemas up to 1; use the release/ });
      }
      const older = await make();
      {
        const shared = openEngine(older);
        await using _ = shared;
        if ("url" in older) await sql`create schema ipsieve`.execute(shared.db);
        await migrate(shared, []);
      }
      await assert.rejects(openStore(older, { create: false }), { name: "StoreError", code: "older-schema", message: /ipsieve db migrate/ });
    });
  });
}

describe("files that are none of ours", () => {
  test("are refused and left alone", async (t) => {
    const [{ make, stop }] = (await databases()) as [Awaited<ReturnType<typeof databases>>[number]];
    t.after(stop);
    const fresh = async () => ((await make()) as { file: string }).file;
    await assert.rejects(openStore({ file: await fresh() }, { create: false }), { name: "StoreError", code: "not-found" });
    const text = await fresh();
    writeFileSync(text, "not a database, but long enough to have a header: ".repeat(20));
    await assert.rejects(openStore({ file: text }), { name: "StoreError", code: "not-a-store" });
    const other = await fresh();
    const file = new DatabaseSync(other);
    file.exec("create table notes (id integer)");
    file.close();
    await assert.rejects(openStore({ file: other }), { name: "StoreError", code: "not-a-store" });
  });
});
