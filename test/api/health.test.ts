import assert from "node:assert/strict";
import { renameSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import type { Settings } from "../../src/service/settings.ts";
import { addUser, visit } from "./dashboard/browser.ts";
import { addKey, addOrganisation, ask, startServer, type TestServer } from "./start-server.ts";
import { until } from "../until.ts";

async function serverFor(context: TestContext, settings: Partial<Settings> = {}): Promise<TestServer> {
  const server = await startServer(settings);
  context.after(() => server.close());
  return server;
}

async function readyzWith(t: TestServer, status: number): Promise<string> {
  let text = "";
  await until(`/readyz answers ${status}`, async () => {
    const answer = await ask(t, "GET", "/readyz");
    text = answer.text;
    return answer.status === status;
  });
  return text;
}

test("a server whose database fails is not ready, even without writes; it names the component and no internals", async (context) => {
  const t = await serverFor(context);
  assert.equal(await readyzWith(t, 200), "ok\n");
  const file = join(t.folder, "store.db");
  renameSync(file, `${file}.elsewhere`);
  assert.equal(await readyzWith(t, 503), "not ready: the database fails\n");
  assert.equal((await ask(t, "GET", "/livez")).status, 200);
  const details = async () => {
    const { body } = await ask(t, "GET", "/readyz", { headers: { Accept: "application/json" } });
    assert.ok(body.staleness_seconds >= 0);
    return { ...body, staleness_seconds: 0 };
  };
  const failing = { ready: false, missing: ["the database fails"], database: "fails", staleness_seconds: 0 };
  assert.deepEqual(await details(), failing);
  renameSync(`${file}.elsewhere`, file);
  assert.equal(await readyzWith(t, 200), "ok\n");
  assert.deepEqual(await details(), { ...failing, ready: true, missing: [], database: "ok" });
});

test("loading again without threat intelligence logs no error", async (context) => {
  const t = await serverFor(context);
  await t.server.reload();
  const lines = t
    .logged()
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    lines.filter(({ level }) => level >= 40),
    [],
  );
  assert.ok(lines.some(({ snapshot, generation }) => snapshot === "catalogue" && generation === 2));
});

test("the log has the client's address as reported by trusted proxies, and its key or session, even for rejected requests", async (context) => {
  const proxied = await serverFor(context, { trustProxy: "127.0.0.0/8" });
  const direct = await serverFor(context);
  const last = (t: TestServer, path: string) =>
    t
      .logged()
      .split("\n")
      .filter((line) => line.includes(`"path":"${path}"`))
      .map((line) => JSON.parse(line))
      .at(-1);
  const headers = { "X-Forwarded-For": "198.51.100.7" };
  for (const [t, address] of [
    [proxied, "198.51.100.7"],
    [direct, "127.0.0.1"],
  ] as const) {
    const organisation = await addOrganisation(t, "log", ["edl"]);
    const key = await addKey(t, organisation, "read");
    const user = await addUser(t, organisation, "viewer");
    const told = async (path: string, answer: Promise<unknown>) => {
      await answer;
      const { address: from, key: keyId, user: userId, status } = last(t, path);
      return [from, keyId ?? userId, status];
    };
    assert.deepEqual(
      await told("/v1/edl/ip-rulesets/", ask(t, "GET", "/v1/edl/ip-rulesets/", { key: key.text, headers })),
      [address, key.id, 200],
    );
    assert.deepEqual(await told("/v1/cbs/providers", ask(t, "GET", "/v1/cbs/providers", { key: key.text, headers })), [
      address,
      key.id,
      403,
    ]);
    assert.deepEqual(await told("/v1/cbs/regions", ask(t, "GET", "/v1/cbs/regions", { headers })), [
      address,
      undefined,
      401,
    ]);
    assert.deepEqual(await told("/dashboard/api/users", visit(t, "GET", "/users", { token: user.token, headers })), [
      address,
      user.id,
      403,
    ]);
    assert.doesNotMatch(t.logged(), new RegExp(`${key.text}|${user.token}`));
  }
});
