import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { after, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { sql } from "kysely";
import { parsePrefix } from "../../src/address/prefix.ts";
import { migrate, MIGRATIONS, type Migrations, SCHEMA_VERSION } from "../../src/store/migrations/migrate.ts";
import type { CredentialKind } from "../../src/store/records/credential.ts";
import { openStore, type StoreLocation } from "../../src/store/open-store.ts";
import type { Engine } from "../../src/store/sql/_engine.ts";
import { first } from "../../src/store/migrations/0001-first.ts";
import { migrateAsEarlier } from "./harness/earlier-migrator.ts";
import { DEPLOYMENT, fillEarlierCredentials, ORGANISATION } from "./harness/earlier-credentials.ts";
import { GROWN } from "./harness/grown-migrations.ts";
import { openEngine } from "./harness/open-engine.ts";
import { databases } from "./harness/stores.ts";
import { onlyLong, rounds } from "../rounds.ts";

/** The long form kills at every step, the short one at every seventh. */
const STRIDE = rounds({ short: 28, long: 1 });
const GROWN_VERSION = Object.keys(GROWN).length;

/** The names of the migrations that kysely has recorded, in the order in which they ran. */
async function recordedNames({ db }: Engine): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by timestamp, name`.execute(db);
  return rows.map(({ name }) => name);
}

/** The whole contents of the database: tables with their columns, and the rows of those that the tests write to. */
async function everythingIn({ name, db }: Engine): Promise<unknown> {
  const tables =
    name === "sqlite"
      ? sql`select name, sql from sqlite_master order by name`
      : sql`select table_name, column_name, data_type from information_schema.columns where table_schema = 'ipsieve' order by 1, 2`;
  const rows = await Promise.all(
    ["store", "organisations", "changes"].map((table) => sql`select * from ${sql.table(table)}`.execute(db)),
  ).catch((error: Error) => [{ rows: [/no such table|does not exist/.test(error.message)] }]);
  return [(await tables.execute(db)).rows, rows.map((result) => result.rows)];
}

/** Rows that the first release wrote. */
const FIRST_DATA = [
  "insert into organisations (id, name, created_at) values ('o', 'Example', 1)",
  `insert into changes (sequence, "transaction", at, actor, organisation_id, kind, body) values (1, 't', 1, 'user:root', 'o', 'organisation', '{"kind":"organisation"}')`,
  `insert into changes (sequence, "transaction", at, actor, organisation_id, kind, body) values (2, 't', 1, 'key:user:x', 'o', 'organisation', '{"kind":"organisation"}')`,
  `insert into changes (sequence, "transaction", at, actor, organisation_id, kind, body)
   values (3, 't', 1, 'key:x', 'o', 'rules', '{"rulesetId":"r","upserts":[],"deletes":["4:cb007100/24"]}')`,
  "update store set sequence = 3",
  "insert into api_keys (id, organisation_id, label, access, digest, start, created_at) values ('k', 'o', '', 'read', 'd', '', 1)",
  "insert into key_usage (key_id, month, requests, last_used_at) values ('k', '2026-11', 7, 9)",
];

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
  describe(`migrations on ${name}`, { skip: skip || (name === "PostgreSQL" && onlyLong()) }, () => {
    after(stop);

    test("killed at any step, they have run completely or not at all, and continue from there", async (t) => {
      let step = 1;
      for (let isDone = false; !isDone; step += STRIDE) {
        const location = await make();
        isDone = await killAt(location, step);
        const shared = openEngine(location);
        await using _ = shared;
        const schema = await sql<{ schema: number }>`select schema from store`.execute(shared.db).then(
          ({ rows }) => rows[0]!.schema,
          () => 0,
        );
        const notes = sql`select note from organisations`.execute(shared.db).then(
          ({ rows }) => rows.length,
          ({ message }) => message,
        );
        const users = sql`select * from sessions cross join users`.execute(shared.db).then(
          ({ rows }) => rows.length,
          ({ message }) => message,
        );
        const isMissing = /no such table|no such column|does not exist/;
        assert.match(String(await users), schema < 2 ? isMissing : /^0$/);
        assert.match(String(await notes), schema < GROWN_VERSION ? isMissing : /^1$/);
        assert.equal(await migrate(shared, GROWN), GROWN_VERSION - schema);
        assert.equal(
          (await sql`select note from organisations where note = name or id = '1'`.execute(shared.db)).rows.length,
          1,
        );
      }
      t.diagnostic(`${(step - 1) / STRIDE - 1} kills`);
      assert.ok(step > 20);
    });

    test("deployments that left out what their format cannot express keep doing so, and others are unchanged", async () => {
      const location = await make();
      const shared = openEngine(location);
      await using _ = shared;
      await migrate(shared, Object.fromEntries(Object.entries(MIGRATIONS).slice(0, 20)));
      await sql`insert into organisations (id, name, created_at) values ('o', 'Example', 1)`.execute(shared.db);
      const definitions = {
        a: { firewall_format: "sophos", options: { max_entries: 5 } },
        b: { firewall_format: "text", options: {} },
      };
      for (const [id, definition] of Object.entries(definitions))
        await sql`insert into deployments (id, organisation_id, name, definition, created_at, updated_at, rotation)
          values (${id}, 'o', ${id}, ${JSON.stringify(definition)}, 1, 1, 0)`.execute(shared.db);
      assert.equal(await migrate(shared), SCHEMA_VERSION - 20);
      const { rows } = await sql<{ definition: string }>`select definition from deployments order by id`.execute(
        shared.db,
      );
      assert.deepEqual(
        rows.map(({ definition }) => JSON.parse(definition)),
        [{ ...definitions.a, options: { max_entries: 5, unprocessable: "omit" } }, definitions.b],
      );
    });

    test("the credentials of all kinds are in one table, with their state, what they open and their use", async () => {
      const location = await make();
      const earlier = await fillEarlierCredentials(location);
      const store = await openStore(location, { create: true });
      const { credentials } = await store.load(null);
      assert.equal(credentials.length, earlier.length);
      const about = { organisationId: ORGANISATION, createdAt: 1000 };
      const opens: Readonly<Record<CredentialKind, readonly object[]>> = {
        api: [
          { access: "read", scopes: [], networks: [] },
          { access: "read", scopes: ["edl", "rulesets"], networks: ["127.0.0.0/8"] },
        ],
        bouncer: [
          { deploymentId: DEPLOYMENT, hostsOnly: false },
          { deploymentId: DEPLOYMENT, hostsOnly: true },
        ],
        edge: [{ deploymentId: DEPLOYMENT }, { deploymentId: DEPLOYMENT }],
        taxii: [{ collections: [DEPLOYMENT] }, { collections: [DEPLOYMENT] }],
      };
      for (const [index, { kind, id, state, digest, start }] of earlier.entries())
        assert.deepEqual(
          credentials.find((each) => each.id === id),
          {
            ...about,
            id,
            kind,
            label: `${state} ${kind} '"{`,
            digest,
            start,
            expiresAt: state === "expired" ? 1001 : null,
            revokedAt: state === "revoked" ? 1001 : null,
            ...opens[kind][index % 2],
          },
        );
      const used = await store.read("usageOf", ORGANISATION, "2026-11");
      assert.deepEqual(used.map(({ requests, lastUsedAt }) => [requests, lastUsedAt]).sort(), [
        ...Array.from({ length: 3 }, () => [7, 1000]),
        ...Array.from({ length: 3 }, () => [8, 1001]),
      ]);
      const states = await store.read("bouncerStates", ORGANISATION);
      assert.deepEqual(states.map(({ version, pulledAt }) => [version, pulledAt]).sort(), [
        [1, 1000],
        [2, 1001],
      ]);
      await store.close();
    });

    test("replaced URLs and secrets keep working until the end that they were promised", async () => {
      const location = await make();
      const shared = openEngine(location);
      await using _ = shared;
      await migrate(shared, Object.fromEntries(Object.entries(MIGRATIONS).slice(0, 22)));
      await sql`insert into organisations (id, name, created_at) values ('o', 'Example', 1)`.execute(shared.db);
      for (const [id, until] of [
        ["a", 500],
        ["b", null],
      ] as const) {
        await sql`insert into deployments (id, organisation_id, name, definition, created_at, updated_at, rotation, previous_until)
          values (${id}, 'o', ${id}, '{}', 1, 1, 3, ${until})`.execute(shared.db);
        await sql`insert into webhooks (id, organisation_id, definition, rotation, previous_until, secret, previous_secret, created_at, updated_at)
          values (${id}, 'o', '{}', 3, ${until}, 'sealed-3', ${until === null ? null : "sealed-2"}, 1, 1)`.execute(
          shared.db,
        );
      }
      await sql`insert into url_readers (key_id, deployment_id, rotation, at) values ('k', 'a', 2, 9)`.execute(
        shared.db,
      );
      await migrate(shared);
      const before = [{ rotation: 2, replacedAt: null, until: 500 }];
      const { db } = shared;
      const deployments = await db.selectFrom("deployments").select(["id", "previous"]).orderBy("id").execute();
      assert.deepEqual(
        deployments.map(({ id, previous }) => [id, JSON.parse(previous)]),
        [
          ["a", before],
          ["b", []],
        ],
      );
      const webhooks = await db.selectFrom("webhooks").select(["secret", "previous"]).orderBy("id").execute();
      assert.deepEqual(
        webhooks.map(({ secret, previous }) => [secret, JSON.parse(previous)]),
        [
          ["sealed-3", [{ ...before[0], secret: "sealed-2" }]],
          ["sealed-3", []],
        ],
      );
      const read = { key_id: "k", deployment_id: "a", rotation: 2, at: 9 };
      const readers = await db.selectFrom("url_readers").selectAll().execute();
      assert.deepEqual(
        readers.map((row) => ({ ...row })),
        [read],
      );
    });

    test("negative control: half of a migration, without its transaction, is detected", async () => {
      const location = await make();
      const shared = openEngine(location);
      await using _ = shared;
      if ("url" in location) await sql`create schema ipsieve`.execute(shared.db);
      for (const statement of first(shared.name).slice(2, 5)) await sql.raw(statement).execute(shared.db);
      await assert.rejects(migrate(shared), /already exists/);
    });

    test("a store of the first release, with data, is brought up to date: everything is unchanged, and its changes can be read", async () => {
      const location = await make();
      {
        const shared = openEngine(location);
        await using _ = shared;
        await migrateAsEarlier(shared, 1);
        for (const statement of FIRST_DATA) await sql.raw(statement).execute(shared.db);
      }
      await assert.rejects(openStore(location, { create: false }), { code: "older-schema" });
      const store = await openStore(location);
      const { sequence, organisations, rulesets, users, sessions } = await store.load(null);
      assert.deepEqual([sequence, organisations[0]!.name, rulesets.length, users, sessions], [3, "Example", 0, [], []]);
      const changes = await store.changesAfter(0);
      assert.deepEqual(
        changes.map(({ actor }) => actor),
        ["command:root", "key:user:x", "key:x"],
      );
      assert.deepEqual(changes[2], {
        sequence: 3,
        stamp: "t",
        at: 1,
        actor: "key:x",
        organisationId: "o",
        kind: "rules",
        rulesetId: "r",
        upserts: [],
        deletes: [parsePrefix("203.0.113.0/24")],
      });
      assert.deepEqual(
        (await store.read("audit", "o", { limit: 1 })).entries.map(({ command, rules: touched }) => [command, touched]),
        [["rules", null]],
      );
      assert.equal((await store.check()).schema, SCHEMA_VERSION);
      await store.record("usage", [{ keyId: "k", area: "cti", month: "2026-11", requests: 1, lastUsedAt: 10 }]);
      const used = { keyId: "k", month: "2026-11" };
      assert.deepEqual(
        (await store.read("usage", "2026-11")).toSorted((a, b) => b.requests - a.requests),
        [
          { ...used, area: null, requests: 7, lastUsedAt: 9 },
          { ...used, area: "cti", requests: 1, lastUsedAt: 10 },
        ],
      );
      assert.deepEqual(await store.read("usageOf", "o", "2026-11"), [{ ...used, requests: 8, lastUsedAt: 10 }]);
      const session = { digest: "d", expiresAt: 10 };
      const { user } = await store.write({
        kind: "set-up",
        actor: "command:test",
        at: 2,
        organisation: "Example",
        name: "Ann",
        password: "p",
        session,
      });
      assert.equal(user.organisationId, "o");
      await store.close();
    });

    test("a database of the earlier migrator is taken over: only missing migrations run, once", async () => {
      for (const count of [SCHEMA_VERSION, 3]) {
        const location = await make();
        const shared = openEngine(location);
        await using _ = shared;
        await migrateAsEarlier(shared, count);
        for (const statement of FIRST_DATA.slice(0, 2)) await sql.raw(statement).execute(shared.db);
        const before = await everythingIn(shared);
        const servers = await Promise.all([openStore(location), openStore(location), openStore(location)]);
        for (const server of servers) await server.close();
        assert.deepEqual(await recordedNames(shared), Object.keys(MIGRATIONS));
        await sql`drop table kysely_migration`.execute(shared.db);
        await sql`drop table kysely_migration_lock`.execute(shared.db);
        // Servers write the identity of the tables.
        await sql`update store set identity = null`.execute(shared.db);
        if (count === SCHEMA_VERSION) assert.deepEqual(await everythingIn(shared), before);
        // The record is recreated if it has been lost.
        assert.equal(await migrate(shared), 0);
        assert.deepEqual(await recordedNames(shared), Object.keys(MIGRATIONS));
      }
    });

    test("a migration that fails halfway leaves the database unchanged, with the reason", async () => {
      const failing: Migrations = {
        ...GROWN,
        "9999-wrong": () => [
          "create table half (id integer)",
          "insert into half values (1)",
          "insert into nowhere values (1)",
        ],
      };
      for (const count of [0, 2, SCHEMA_VERSION]) {
        const shared = openEngine(await make());
        await using _ = shared;
        await migrateAsEarlier(shared, count);
        if (count > 0) for (const statement of FIRST_DATA.slice(0, 2)) await sql.raw(statement).execute(shared.db);
        const before = await everythingIn(shared);
        await assert.rejects(migrate(shared, failing), /no such table: nowhere|relation "nowhere" does not exist/);
        assert.deepEqual(await everythingIn(shared), before);
        assert.equal(await migrate(shared, GROWN), GROWN_VERSION - count);
        assert.deepEqual(await recordedNames(shared), Object.keys(GROWN));
      }
    });

    test("several processes that start at once migrate once", async () => {
      const location = await make();
      const stores = await Promise.all(Array.from({ length: 4 }, () => openStore(location)));
      assert.equal((await stores[3]!.check()).schema, SCHEMA_VERSION);
      for (const store of stores) await store.close();
    });

    test("tables of a newer release are always rejected; those of an older one if they must not be changed", async () => {
      const location = await make();
      await (await openStore(location)).close();
      {
        const shared = openEngine(location);
        await using _ = shared;
        await migrate(shared, GROWN);
      }
      for (const create of [true, false]) {
        await assert.rejects(openStore(location, { create }), {
          name: "StoreError",
          code: "newer-schema",
          message: new RegExp(
            `the database has schema ${GROWN_VERSION}, and this release knows schemas up to ${SCHEMA_VERSION}; use the release`,
          ),
        });
      }
      const older = await make();
      {
        const shared = openEngine(older);
        await using _ = shared;
        await migrate(shared, {});
      }
      await assert.rejects(openStore(older, { create: false }), {
        name: "StoreError",
        code: "older-schema",
        message: /ipsieve admin db migrate/,
      });
    });
  });
}

describe("other programs' files", () => {
  test("are rejected and unchanged", async (t) => {
    const [{ make, stop }] = (await databases()) as [Awaited<ReturnType<typeof databases>>[number]];
    t.after(stop);
    const fresh = async () => ((await make()) as { file: string }).file;
    await assert.rejects(openStore({ file: await fresh() }, { create: false }), {
      name: "StoreError",
      code: "not-found",
    });
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
