import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Client } from "pg";
import { type PostgresServer, startPostgres, whyNoPostgres } from "./harness/postgres.ts";
import { startProxy } from "./harness/proxy.ts";
import { adding, by, Replica } from "./harness/stores.ts";
import { sampled } from "../rounds.ts";
import { until } from "../until.ts";

/**
 * How many changes the server has written since the backup, and how many others write after it was restored. The server
 * notices in any case, as changes are counted on from a larger number.
 */
const CASES = [
  { name: "as many changes as were lost", lost: 2, written: 2 },
  { name: "fewer changes than were lost", lost: 3, written: 1 },
  { name: "more changes than were lost", lost: 1, written: 4 },
  { name: "nothing", lost: 2, written: 0 },
  { name: "further changes, and nothing was lost", lost: 0, written: 2 },
] as const;

describe("a PostgreSQL database that is restored under a running server", { skip: await whyNoPostgres() }, () => {
  let server: PostgresServer;
  before(async () => {
    server = await startPostgres();
  });
  after(() => server[Symbol.asyncDispose]());

  for (const { name, lost, written } of sampled(CASES, 3))
    for (const isIdle of [true, false])
      test(`others write ${name}; the server ${isIdle ? "only reads" : "wrote what was lost, and writes again"}`, async (t) => {
        const url = await server.database();
        const proxy = await startProxy(url);
        t.after(() => proxy.close());
        const replica = await Replica.open({ url: proxy.url });
        t.after(() => replica.store.close());
        const { organisation, blocklist } = await replica.organisation();
        const add = (to: Replica, text: string) =>
          to.store.write({
            kind: "add-rule",
            organisationId: organisation.id,
            rulesetId: blocklist.id,
            request: adding(text),
            ...by(2),
          });
        await add(replica, "192.0.2.1");
        const feed = await feedOf(url);
        proxy.shut();
        await administer(url, (database) => [`create database "${database}_copy" template "${database}"`]);
        proxy.open();
        const other = await Replica.open({ url });
        for (let i = 0; i < lost; i++) await add(isIdle ? other : replica, `198.51.100.${i}`);
        await until("all is seen", () => replica.memory.sequence === 4 + lost);
        await other.store.close();
        // The server does not see the database until others have written.
        proxy.shut();
        await administer(url, (database) => [
          `drop database "${database}"`,
          `create database "${database}" template "${database}_copy"`,
        ]);
        const later = await Replica.open({ url });
        t.after(() => later.store.close());
        for (let i = 0; i < written; i++) await add(later, `203.0.113.${i}`);
        proxy.open();
        if (!isIdle) void add(replica, "192.0.2.2");
        const expected = new Set(["192.0.2.1"]);
        for (let i = 0; i < written; i++) expected.add(`203.0.113.${i}`);
        if (!isIdle) expected.add("192.0.2.2");
        await until("the other server has all", () => later.memory.rulesOf(blocklist.id).size === expected.size);
        await until("the server is told to load again", () => replica.failures.some(isGone), { every: 5 });
        await replica.loadAgain();
        await until("the server has what the database has", () => replica.memory.sequence >= later.memory.sequence);
        assert.deepEqual(replica.memory.contents(), later.memory.contents());
        assert.equal(replica.failures.filter(isGone).length, 1);
        // Consumers of the events read everything again.
        assert.notEqual(await feedOf(url), feed);
        await add(later, "192.0.2.3");
        await until("the server goes on reading changes", () => replica.memory.sequence === later.memory.sequence);
        assert.deepEqual(replica.memory.contents(), later.memory.contents());
      });

  /** Other clients are disconnected first. */
  async function administer(url: string, statements: (database: string) => readonly string[]): Promise<void> {
    const database = new URL(url).pathname.slice(1);
    const client = new Client({ connectionString: url.replace(/[^/]+$/, "postgres") });
    await client.connect();
    const end = `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${database}'`;
    await client.query(`alter database "${database}" allow_connections false`);
    for (const statement of statements(database)) {
      await client.query(end);
      await client.query(statement);
    }
    await client.query(`alter database "${database}" allow_connections true`);
    await client.end();
  }
});

const isGone = (error: unknown): boolean => (error as { code?: string }).code === "changes-gone";

async function feedOf(url: string): Promise<string> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ feed: string }>("select feed from ipsieve.event_heads");
  await client.end();
  return rows[0]!.feed;
}
