import assert from "node:assert/strict";
import { after, before, describe, test, type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { runSql } from "../store/harness/run-sql.ts";
import { type PostgresServer, startPostgres, whyNoPostgres } from "../store/harness/postgres.ts";
import { visit } from "./dashboard/browser.ts";
import { addKey, addOrganisation, ask, startServer, type TestServer, useStores } from "./start-server.ts";
import { until } from "../until.ts";
import { onlyLong } from "../rounds.ts";

const LIMIT = 40;

describe("limits of several servers on one PostgreSQL", { skip: await whyNoPostgres() }, () => {
  let postgres: PostgresServer;
  before(async () => {
    postgres = await startPostgres();
  });
  after(() => postgres[Symbol.asyncDispose]());

  /**
   * Servers whose clock stands still, so that no minute ends, each on the database of its URL; and a key that all of
   * them know.
   */
  async function startServers(context: TestContext, urls: readonly string[], perMinute = LIMIT) {
    const servers: TestServer[] = [];
    for (const url of urls) {
      useStores(async () => ({ url }));
      const server = await startServer({ perMinute, signInsPerMinute: 4, failuresPerMinute: 5 });
      context.after(() => server.close());
      servers.push(server);
    }
    const organisationId = await addOrganisation(servers[0]!, "shared");
    const { text: key, id: keyId } = await addKey(servers[0]!, organisationId);
    for (const { server } of servers)
      await until(
        "the server knows the key",
        () => server.services.memory.credentials("api", organisationId).length > 0,
      );
    return { servers, key, keyId };
  }

  async function statusOf(server: TestServer, key: string): Promise<number> {
    return (await ask(server, "GET", "/v1/edl/ip-rulesets/", { key })).status;
  }

  /** How many of these requests, made one after the other, are allowed. */
  async function pass(server: TestServer, key: string, requests: number): Promise<number> {
    let passed = 0;
    for (let i = 0; i < requests; i++) if ((await statusOf(server, key)) === 200) passed++;
    return passed;
  }

  /**
   * Waits until a window of the key has `remaining` left, without a request that counts: uses the dashboard's own
   * response.
   */
  async function whenLeft(server: TestServer, keyId: string, remaining: number): Promise<void> {
    const allowance = { perMinute: LIMIT, perMonth: 1e9 };
    const { now } = server.server.services;
    const { keyLimits } = server.server.services.access;
    const left = () => keyLimits.peek(keyId, "edl", now(), allowance).minute.remaining;
    await until(`${remaining} requests are left`, () => left() === remaining);
  }

  test("requests accepted by one server count on the others, and their headers show it", async (context) => {
    const url = await postgres.database();
    const { servers, key, keyId } = await startServers(context, [url, url, url]);
    const [first, second, third] = servers as [TestServer, TestServer, TestServer];
    assert.equal(await pass(first, key, 25), 25);
    for (const other of [second, third]) await whenLeft(other, keyId, LIMIT - 25);
    const { status, headers } = await ask(second, "GET", "/v1/edl/ip-rulesets/", { key });
    assert.deepEqual(
      [status, ...["limit", "remaining", "reset"].map((name) => headers.get(`ratelimit-${name}`))],
      [200, "40", "14", "60"],
    );
    assert.equal(await pass(second, key, 50), 14);
    await whenLeft(first, keyId, 0);
    const refused = await ask(first, "GET", "/v1/edl/ip-rulesets/", { key });
    assert.deepEqual(
      [refused.status, refused.headers.get("ratelimit-remaining"), refused.headers.get("retry-after")],
      [429, "0", "60"],
    );
  });

  test("negative control: servers without a shared database each allow the whole limit", async (context) => {
    const { servers, key } = await startServers(context, [await postgres.database()]);
    assert.equal(await pass(servers[0]!, key, 50), LIMIT);
    const { servers: others, key: another } = await startServers(context, [await postgres.database()]);
    await sleep(2500);
    assert.equal(await pass(others[0]!, another, 50), LIMIT);
  });

  test("attempts at a name, from an address, and without a key count on all servers", async (context) => {
    const url = await postgres.database();
    const { servers } = await startServers(context, [url, url]);
    const [first, second] = servers as [TestServer, TestServer];
    const body = { name: "not ann", password: "it may be a password" };
    const signIn = async (server: TestServer) => (await visit(server, "POST", "/session", { body })).status;
    for (let i = 0; i < 4; i++) assert.equal(await signIn(first), 401);
    for (let i = 0; i < 5; i++) assert.equal(await statusOf(first, "x"), 401);
    const { failureLimits, signIns } = second.server.services.access;
    const left = (count: { readonly headers: Readonly<Record<string, string>> }) =>
      count.headers["ratelimit-remaining"];
    const isTold = () =>
      left(failureLimits.peek("127.0.0.1", 5)) === "0" && left(signIns.addresses.peek("127.0.0.1", 4)) === "0";
    await until("the other server has been told", isTold);
    assert.equal(await signIn(second), 429);
    assert.equal(await statusOf(second, "x"), 429);
    const counts = await runSql({ url }, "select count(*) as result from limit_counts where counts like '%names%'");
    const typed = await runSql({ url }, "select count(*) as result from limit_counts where counts like '%ann%'");
    assert.ok(counts! > 0);
    assert.equal(typed, 0, "names are not written down");
  });

  test("while the database is down each server counts alone, rejects no one before the limit, and reports to the others afterwards", async (context) => {
    const own = await startPostgres();
    context.after(() => own[Symbol.asyncDispose]());
    const url = await own.database();
    const { servers, key, keyId } = await startServers(context, [url, url]);
    const [first, second] = servers as [TestServer, TestServer];
    assert.equal(await pass(first, key, 10), 10);
    await whenLeft(second, keyId, LIMIT - 10);
    await own.stop();
    assert.equal(await pass(first, key, LIMIT), LIMIT - 10, "no request waits for the database");
    assert.equal(await pass(second, key, 20), 20, "what it has not been told");
    await own.start();
    // Exchanged once the database is back.
    await whenLeft(second, keyId, 0);
    assert.equal(await statusOf(second, key), 429);
    assert.equal(await statusOf(first, key), 429);
  });

  test(
    "two servers under load: together they allow the limit plus the requests until they exchange counts",
    { skip: onlyLong() },
    async (context) => {
      const url = await postgres.database();
      const perMinute = 1500;
      const { servers, key } = await startServers(context, [url, url], perMinute);
      const passed = await Promise.all(
        servers.map(async (server) => {
          let count = 0;
          for (let i = 0; i < perMinute; i++) {
            const [status] = await Promise.all([statusOf(server, key), sleep(4)]);
            if (status !== 200) return count;
            count++;
          }
          return count;
        }),
      );
      const sum = passed.reduce((total, count) => total + count, 0);
      context.diagnostic(`${sum} passed of a limit of ${perMinute} (${passed.join(" and ")})`);
      assert.ok(sum >= perMinute, "no one is refused before the limit");
      assert.ok(sum < 2 * perMinute, "and not each lets the whole limit through");
    },
  );
});
