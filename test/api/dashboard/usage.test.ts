import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { addKey, addOrganisation, ask, startServer, type TestServer } from "../start-server.ts";
import { addUser, type TestUser, visit } from "./browser.ts";

const CATALOGUE = fileURLToPath(new URL("../../../data/catalogue.ipsieve", import.meta.url));
const THREATS = fileURLToPath(new URL("../../../data/cti-sample.ipsieve", import.meta.url));

let t: TestServer;
let viewer: TestUser;
let key = { id: "", text: "" };
before(async () => {
  t = await startServer({ perMinute: 10, perMonth: 1000 }, CATALOGUE, THREATS);
  const organisation = await addOrganisation(t, "usage");
  viewer = await addUser(t, organisation, "viewer");
  key = await addKey(t, organisation);
});
after(() => t.close());

const usage = async (who = viewer) => (await visit(t, "GET", "/usage", { token: who.token })).body;

test("requests and lookups of keys show in their minute, the dashboard's own do not", async () => {
  const first = (await usage()).minutes.at(-1);
  assert.deepEqual([first.at, first.requests, first.p50_ms], [new Date(t.clock.now).toISOString(), 0, null]);
  for (let i = 0; i < 3; i++) await ask(t, "GET", "/v1/cbs/lookup?ip=1.1.1.1", { key: key.text });
  await ask(t, "POST", "/v1/cti/bulk_lookup", { key: key.text, body: { ips: ["1.1.1.1", "9.9.9.9"] } });
  await ask(t, "GET", "/v1/cbs/lookup?ip=x", { key: key.text });
  t.clock.now += 60_000;
  await ask(t, "GET", "/v1/cbs/lookup?ip=1.1.1.1", { key: key.text });
  const { minutes } = await usage();
  assert.equal(minutes.length, 60);
  assert.deepEqual(minutes.slice(-3).map(({ requests, errors, lookups }: any) => [requests, errors, lookups]), [[0, 0, 0], [5, 0, 5], [1, 0, 1]]);
  const { p50_ms, p99_ms } = minutes.at(-2);
  assert.ok(p50_ms > 0 && p50_ms <= p99_ms, `${p50_ms} ${p99_ms}`);
  t.clock.now -= 60_000;
});

test("keys with both of their windows, snapshots, and the organisation's rules", async () => {
  const { text } = await addKey(t, viewer.organisationId, "read", t.clock.now - 1);
  const other = await addKey(t, await addOrganisation(t, "others"));
  await ask(t, "GET", "/v1/cbs/lookup?ip=1.1.1.1", { key: other.text });
  await ask(t, "GET", "/v1/cbs/lookup?ip=1.1.1.1", { key: text });
  const [{ id }] = (await ask(t, "GET", "/v1/edl/ip-rulesets/", { key: key.text })).body.items;
  const rules = [{ ip: "203.0.113.1" }, { ip: "203.0.113.2", expires_at: new Date(t.clock.now - 1).toISOString() }];
  assert.equal((await ask(t, "PUT", `/v1/edl/ip-rulesets/${id}/rules`, { key: key.text, body: { rules } })).status, 200);
  const { keys, snapshots, rules: counted } = await usage();
  assert.deepEqual(keys.map((each: any) => [each.state, each.requests_this_month]), [["expired", 0], ["active", 8]]);
  assert.deepEqual([keys[1].id, keys[1].label, keys[1].month.limit, keys[1].month.remaining], [key.id, "test", 1000, 995]);
  assert.deepEqual([keys[1].minute.limit, keys[1].month.area, keys[1].minute.remaining > 0, keys[1].minute.reset <= 60], [10, "cbs", true, true]);
  assert.deepEqual(snapshots.map(({ name, generation, loaded_at }: any) => [name, generation, typeof loaded_at]), [["catalogue", 1, "string"], ["threats", 1, "string"]]);
  assert.ok(snapshots.every(({ created_at }: any) => Date.parse(created_at) > 0));
  assert.deepEqual(counted, { active: 1, expired: 1 });
});

test("windows are those of the plan that has least left; no use is told without a session", async () => {
  await t.server.store.write({ kind: "set-plan", actor: "user:test", at: t.clock.now, organisationId: viewer.organisationId, area: "cti", active: true, until: null, perMinute: 7, perMonth: null });
  const { keys } = await usage();
  assert.deepEqual([keys[1].minute.limit, keys[1].month.limit], [7, 1000]);
  assert.equal((await visit(t, "GET", "/usage")).status, 401);
});
