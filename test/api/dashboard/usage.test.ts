import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openLoading } from "../../../src/service/store/loading-store.ts";
import { createLog } from "../../../src/api/plugins/logging.ts";
import { Server } from "../../../src/api/server.ts";
import { SMALL_CATALOGUE } from "../harness/small-catalogue.ts";
import { addKey, addOrganisation, ask, snapshotsAt, startServer, type TestServer } from "../start-server.ts";
import { addUser, type TestUser, visit } from "./browser.ts";

const THREATS = fileURLToPath(new URL("../../../data/cti-sample.ipsieve", import.meta.url));

let t: TestServer;
let viewer: TestUser;
let key = { id: "", text: "" };
before(async () => {
  t = await startServer({ perMinute: 10, perMonth: 1000 }, undefined, THREATS);
  const organisation = await addOrganisation(t, "usage");
  viewer = await addUser(t, organisation, "viewer");
  key = await addKey(t, organisation);
});
after(() => t.close());

const usage = async (who = viewer) => (await visit(t, "GET", "/usage", { token: who.token })).body;

test("requests and lookups with keys appear in their minute; those of the dashboard do not", async () => {
  const first = (await usage()).steps.at(-1);
  assert.deepEqual([first.at, first.requests, first.p50_ms], [new Date(t.clock.now).toISOString(), 0, null]);
  for (let i = 0; i < 3; i++) await ask(t, "GET", "/v1/cbs/lookup?ip=1.1.1.1", { key: key.text });
  await ask(t, "POST", "/v1/cti/bulk_lookup", { key: key.text, body: { ips: ["1.1.1.1", "9.9.9.9"] } });
  await ask(t, "GET", "/v1/cbs/lookup?ip=x", { key: key.text });
  t.clock.now += 60_000;
  await ask(t, "GET", "/v1/cbs/lookup?ip=1.1.1.1", { key: key.text });
  const { steps, window, step_seconds: seconds } = await usage();
  assert.deepEqual([steps.length, window, seconds], [60, "hour", 60]);
  assert.deepEqual(
    steps.slice(-3).map(({ requests, refused, failed, lookups }: any) => [requests, refused, failed, lookups]),
    [
      [0, 0, 0, 0],
      [5, 1, 0, 5],
      [1, 0, 0, 1],
    ],
  );
  const { p50_ms, p99_ms } = steps.at(-2);
  assert.ok(p50_ms > 0 && p50_ms <= p99_ms, `${p50_ms} ${p99_ms}`);
  t.clock.now -= 60_000;
});

test("an hour, a day, a week, a month: kept across a restart, summed over all servers of the database, each request once", async () => {
  const own = await startServer({}, undefined, THREATS);
  try {
    const organisation = await addOrganisation(own, "kept");
    const [{ token }, { text }] = [await addUser(own, organisation, "viewer"), await addKey(own, organisation)];
    const ask3 = async (): Promise<void> => {
      for (let turn = 0; turn < 3; turn++) await ask(own, "GET", "/v1/cbs/lookup?ip=1.1.1.1", { key: text });
    };
    const totals = async (server = own) => {
      const all = await Promise.all(
        ["hour", "day", "week", "month"].map(
          async (window) => (await visit(server, "GET", `/usage?window=${window}`, { token })).body,
        ),
      );
      return all.map(({ steps, step_seconds: seconds }: any) => [
        steps.length,
        seconds,
        steps.reduce((sum: number, { requests }: any) => sum + requests, 0),
      ]);
    };
    const expected = (...requests: number[]) =>
      [
        [60, 60],
        [96, 900],
        [168, 3600],
        [180, 14_400],
      ].map((step, at) => [...step, requests[at]]);
    await ask3();
    assert.deepEqual(await totals(), expected(3, 3, 3, 3));
    for (const [hours, sums] of [
      [12, [3, 6, 6, 6]],
      [72, [3, 3, 9, 9]],
      [240, [3, 3, 3, 12]],
      [24 * 31, [3, 3, 3, 3]],
    ] as const) {
      own.clock.now += hours * 3_600_000;
      await own.restart();
      await ask3();
      assert.deepEqual(await totals(), expected(...sums), `${hours} hours later`);
    }
    // Another server on the same database shows what has been recorded; here, the recorder is not waited for.
    const { settings, now } = own.server.services;
    const store = openLoading({ file: join(own.folder, "store.db") }, settings);
    const replica = await Server.start({
      settings,
      store,
      ...snapshotsAt(SMALL_CATALOGUE, THREATS),
      log: createLog("silent", { write: () => {} }),
      now,
    });
    try {
      const beside = { ...own, server: replica, url: replica.url } as TestServer;
      for (let turn = 0; turn < 2; turn++) await ask(beside, "GET", "/v1/cbs/lookup?ip=1.1.1.1", { key: text });
      for (const server of [own.server, replica])
        await server.services.metrics.traffic.record(now(), (minutes) => server.store.record("traffic", minutes));
      assert.deepEqual(await totals(), expected(5, 5, 5, 5));
      assert.deepEqual(await totals(beside), expected(5, 5, 5, 5));
    } finally {
      await replica.close();
    }
  } finally {
    await own.close();
  }
  assert.equal((await visit(t, "GET", "/usage?window=year", { token: viewer.token })).status, 400);
});

test("keys with both windows, snapshots, and the rules of the organisation", async () => {
  const { text } = await addKey(t, viewer.organisationId, "read", t.clock.now - 1);
  const other = await addKey(t, await addOrganisation(t, "others"));
  await ask(t, "GET", "/v1/cbs/lookup?ip=1.1.1.1", { key: other.text });
  await ask(t, "GET", "/v1/cbs/lookup?ip=1.1.1.1", { key: text });
  const [{ id }] = (await ask(t, "GET", "/v1/edl/ip-rulesets/", { key: key.text })).body.items;
  const rules = [{ ip: "203.0.113.1" }, { ip: "203.0.113.2", expires_at: new Date(t.clock.now - 1).toISOString() }];
  assert.equal(
    (await ask(t, "PUT", `/v1/edl/ip-rulesets/${id}/rules`, { key: key.text, body: { rules } })).status,
    200,
  );
  const { keys, snapshots, rules: counted } = await usage();
  assert.deepEqual(
    keys.map((each: any) => [each.state, each.requests_this_month]),
    [
      ["expired", 0],
      ["active", 8],
    ],
  );
  assert.deepEqual(
    [keys[1].id, keys[1].label, keys[1].month.limit, keys[1].month.remaining],
    [key.id, "test", 1000, 995],
  );
  assert.deepEqual(
    [keys[1].minute.limit, keys[1].month.area, keys[1].minute.remaining > 0, keys[1].minute.reset <= 60],
    [10, "cbs", true, true],
  );
  assert.deepEqual(
    snapshots.map(({ name, generation, loaded_at }: any) => [name, generation, typeof loaded_at]),
    [
      ["catalogue", 1, "string"],
      ["threats", 1, "string"],
    ],
  );
  assert.ok(snapshots.every(({ created_at }: any) => Date.parse(created_at) > 0));
  assert.deepEqual(counted, { active: 1, expired: 1 });
});

test("the windows shown are those of the plan with the least left; usage needs a session", async () => {
  await t.server.store.write({
    kind: "set-plan",
    actor: "user:test",
    at: t.clock.now,
    organisationId: viewer.organisationId,
    area: "cti",
    active: true,
    until: null,
    perMinute: 7,
    perMonth: null,
  });
  const { keys } = await usage();
  assert.deepEqual([keys[1].minute.limit, keys[1].month.limit], [7, 1000]);
  assert.equal((await visit(t, "GET", "/usage")).status, 401);
});
