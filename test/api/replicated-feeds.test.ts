import assert from "node:assert/strict";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { type PostgresServer, startPostgres, whyNoPostgres } from "../store/harness/postgres.ts";
import { until } from "../until.ts";
import { addKey, addOrganisation, ask, startServer, type TestServer, useStores } from "./start-server.ts";

describe("feeds of two servers on one PostgreSQL", { skip: await whyNoPostgres() }, () => {
  let postgres: PostgresServer;
  let servers: TestServer[] = [];
  before(async () => {
    postgres = await startPostgres();
    const url = await postgres.database();
    useStores(async () => ({ url }));
    servers = [await startServer(), await startServer()];
  });
  after(async () => {
    await Promise.all(servers.map((server) => server.close()));
    await postgres[Symbol.asyncDispose]();
  });

  test("both serve the same bytes with the same tag, even after changes on either", async () => {
    const [first, second] = servers as [TestServer, TestServer];
    const organisation = await addOrganisation(first, "replicated");
    const { text: key } = await addKey(first, organisation);
    const body = { name: "edge", include: [{ prefixes: ["192.0.2.0/24", "2001:db8::/32"] }] };
    const created = await ask(first, "POST", "/v1/edl/deployments/", { key, body });
    assert.equal(created.status, 201, created.text);
    const { id } = created.body;
    const path = async (server: TestServer): Promise<string> => {
      const { body: urls, text } = await ask(server, "GET", `/v1/edl/deployments/${id}/urls/`, { key });
      assert.ok(urls.urls !== undefined, text);
      return new URL(urls.urls.combined[0]).pathname;
    };
    const feed = await path(first);
    copyFileSync(join(first.folder, "store.db.key"), join(second.folder, "store.db.key"));
    const got = async (server: TestServer) => {
      const { status, text, headers } = await ask(server, "GET", feed);
      return { status, text, tag: headers.get("etag"), modified: headers.get("last-modified") };
    };
    const becomes = async (expected: string) => {
      for (const server of servers)
        await until("the server has the list", async () => (await got(server)).text === expected);
      const [one, other] = await Promise.all([got(first), got(second)]);
      assert.deepEqual(one, other);
      const known = await ask(second, "GET", feed, { headers: { "If-None-Match": one!.tag! } });
      assert.equal(known.status, 304, "the tag of one is known to the other");
    };
    await becomes("192.0.2.0/24\n2001:db8::/32\n");
    const include = [{ prefixes: ["198.51.100.0/24"] }];
    await ask(second, "PATCH", `/v1/edl/deployments/${id}`, { key, body: { include } });
    await becomes("198.51.100.0/24\n");
  });
});
