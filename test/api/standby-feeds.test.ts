import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Server } from "../../src/api/server.ts";
import { readFeedFolder } from "../../src/service/deployments/feed-folder.ts";
import { freePort } from "../free-port.ts";
import { type PostgresServer, startPostgres, whyNoPostgres } from "../store/harness/postgres.ts";
import { startProxy } from "../store/harness/proxy.ts";
import { until } from "../until.ts";
import { addKey, addOrganisation, ask, startServer, type TestServer, useStores } from "./start-server.ts";

const DEPLOYMENTS = "/v1/edl/deployments/";

describe("feeds without the database", { skip: await whyNoPostgres() }, () => {
  const folder = mkdtempSync(join(tmpdir(), "ipsieve-feeds-"));
  const feedsDir = join(folder, "feeds");
  let postgres: PostgresServer;
  let t: TestServer;
  let key = "";
  before(async () => {
    postgres = await startPostgres();
    const url = await postgres.database();
    useStores(async () => ({ url }));
    t = await startServer({ feedsDir, port: await freePort(), logLevel: "silent" });
    key = (await addKey(t, await addOrganisation(t, "standby"))).text;
  });
  after(async () => {
    await t.close();
    await postgres[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  const deploy = async (prefix: string): Promise<{ id: string; path: string }> => {
    const body = { name: prefix, include: [{ prefixes: [prefix] }] };
    const { id } = (await ask(t, "POST", DEPLOYMENTS, { key, body })).body;
    const { urls } = (await ask(t, "GET", `${DEPLOYMENTS}${id}/urls/`, { key })).body;
    return { id, path: new URL(urls.combined[0]).pathname };
  };

  test("a server that starts without the database serves its saved feeds, and 503 for everything else", async (c) => {
    const [good, off] = [await deploy("192.0.2.0/24"), await deploy("198.51.100.0/24")];
    await until("both are saved", async () => (await readFeedFolder(feedsDir)).lists.size === 2);
    await ask(t, "PATCH", DEPLOYMENTS + off.id, { key, body: { active: false } });
    await until("that one is not active is saved", async () =>
      (await readFeedFolder(feedsDir)).deployments.some(({ definition }) => !definition.active),
    );
    const etag = (await ask(t, "GET", good.path)).headers.get("etag");
    assert.equal(statSync(feedsDir).mode & 0o777, 0o700);
    const token = good.path.split("/")[2]!;
    for (const name of readdirSync(feedsDir)) {
      assert.equal(statSync(join(feedsDir, name)).mode & 0o777, 0o600);
      assert.ok(!readFileSync(join(feedsDir, name), "utf8").includes(token.slice(0, 40)), "no token is kept");
    }
    const { url } = t.server;
    await t.server.close();
    await postgres.stop();
    let isStarted = false;
    const restarted = t.restart();
    c.after(async () => {
      if (!isStarted) await postgres.start();
      await restarted;
    });
    // The server on this port is replaced during the test.
    const get = (path: string, headers = {}) =>
      ask({ ...t, server: { url } as Server }, "GET", path, { headers }).catch(() => undefined);
    const unknown = `/feeds/ipf_${"A".repeat(56)}/combined.txt`;
    await until("feeds are served without the database", async () => (await get(unknown))?.status === 503);
    const feed = (await get(good.path))!;
    assert.deepEqual([feed.text, feed.headers.get("etag")], ["192.0.2.0/24\n", etag]);
    assert.equal((await get(good.path, { "If-None-Match": etag }))!.status, 304);
    assert.equal((await get(off.path))!.status, 403, "somebody has decided that");
    const elsewhere = [
      unknown,
      `/feeds/${good.id}/combined.txt`,
      good.path.replace("combined", "nothing"),
      "/readyz",
      DEPLOYMENTS,
    ];
    for (const path of elsewhere) {
      const answer = (await get(path))!;
      assert.deepEqual([answer.status, answer.headers.has("retry-after")], [503, true], path);
    }
    await postgres.start();
    isStarted = true;
    await restarted;
    const again = (await get(good.path))!;
    assert.deepEqual([again.text, again.headers.get("etag")], ["192.0.2.0/24\n", etag]);
    assert.equal((await ask(t, "GET", DEPLOYMENTS, { key })).status, 200);
  });

  test("a server without saved feeds waits for a database that is starting or refuses connections, but not for one that rejects it", async (c) => {
    const [url, port] = [await postgres.database(), await freePort()];
    let proxy = await startProxy(url, { port });
    c.after(() => proxy.close());
    useStores(async () => ({ url: proxy.url }));
    const own = await startServer({ databaseWait: 86_400 });
    c.after(() => own.close());
    const toldOf = (reason: string) => () => own.logged().includes(`the database cannot be reached: ${reason}`);
    proxy.startUp();
    const restarted = own.restart();
    // Its failure is reported by what waits for it.
    restarted.catch(() => {});
    await until("it waits while the database starts up", toldOf("the database system is starting up"));
    await proxy.close();
    await until("it waits while connections are refused", toldOf("connect ECONNREFUSED"));
    proxy = await startProxy(url, { port });
    await restarted;
    assert.equal((await ask(own, "GET", "/readyz")).status, 200);
    useStores(async () => ({ url: `${url}-unknown` }));
    await assert.rejects(
      startServer({ databaseWait: 86_400 }),
      /the database rejects the service's connection: .*3D000/,
    );
  });

  for (const [what, settings] of [
    ["without saved feeds", { databaseWait: 86_400 }],
    ["with saved feeds", { databaseWait: 0, feedsDir: join(folder, "lost") }],
  ] as const)
    test(`a server ${what} that loses the database while it loads the state begins again`, async (c) => {
      const proxy = await startProxy(await postgres.database());
      c.after(() => proxy.close());
      useStores(async () => ({ url: proxy.url }));
      const own = await startServer(settings);
      c.after(() => own.close());
      const organisation = await addOrganisation(own, "loaded");
      // This one reads as well.
      await own.server.close();
      proxy.fate = "gone while loading";
      const restarted = own.restart();
      restarted.catch(() => {});
      await until("it has noticed", () => own.logged().includes("the database was lost during the start"));
      assert.equal(proxy.struck, 1);
      proxy.open();
      await restarted;
      assert.equal((await ask(own, "GET", "/readyz")).status, 200);
      assert.equal(own.server.services.memory.organisation(organisation)?.name, "loaded");
    });

  test("a server that loses the database for longer than it may wait ends", async (c) => {
    const proxy = await startProxy(await postgres.database());
    c.after(() => proxy.close());
    useStores(async () => ({ url: proxy.url }));
    const own = await startServer({ databaseWait: 0 });
    c.after(() => own.close());
    await own.server.close();
    proxy.fate = "gone while loading";
    await assert.rejects(own.restart(), /the database cannot be reached/);
    assert.equal(proxy.struck, 1);
  });
});
