import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { addOrganisation, ask, addKey, startServer, type TestServer } from "../start-server.ts";
import { addUser, type TestUser, visit } from "./browser.ts";

const DAY = 86_400_000;
let t: TestServer;
let viewer: TestUser;
let key = "";
let id = "";
let path = "";
before(async () => {
  t = await startServer();
  const organisation = await addOrganisation(t, "rows");
  viewer = await addUser(t, organisation, "viewer");
  key = (await addKey(t, organisation)).text;
  id = (await ask(t, "GET", "/v1/edl/ip-rulesets/", { key })).body.items[0].id;
  path = `/edl/ip-rulesets/${id}/rows`;
  const at = (days: number) => new Date(t.clock.now + days * DAY).toISOString();
  const rules = [
    ...Array.from({ length: 200 }, (_, i) => ({ ip: `203.0.113.${i}`, name: `Office ${i}` })),
    { ip: "198.51.100.0/24", name: "soon", expires_at: at(5) },
    { ip: "198.51.100.7", name: "later", expires_at: at(20) },
    { ip: "198.51.100.8", name: "over", expires_at: at(-1) },
    { ip: "2001:db8::/32" },
  ];
  assert.equal((await ask(t, "PUT", `/v1/edl/ip-rulesets/${id}/rules`, { key, body: { rules } })).status, 200);
});
after(() => t.close());

const rows = async (query: string, who = viewer) => {
  const answer = await visit(t, "GET", `${path}?${query}`, { token: who.token });
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
};
const ips = ({ items }: { items: { ip: string }[] }): string[] => items.map(({ ip }) => ip);

test("rows from any offset, with counts, states, the version and an ETag", async () => {
  const { version, total, active, count, items } = await rows("");
  assert.deepEqual([total, active, count, items.length], [204, 203, 204, 100]);
  assert.equal(version, t.server.services.memory.ruleset(viewer.organisationId, id)!.about.version);
  assert.deepEqual(items[0], {
    ip: "198.51.100.0/24",
    name: "soon",
    expires_at: new Date(t.clock.now + 5 * DAY).toISOString(),
    created_at: items[0].created_at,
    updated_at: items[0].updated_at,
    state: "expiring",
  });
  assert.deepEqual(
    items.slice(1, 4).map((each: { state: string }) => each.state),
    ["active", "expired", "active"],
  );
  assert.deepEqual(ips(await rows("offset=202&limit=5")), ["203.0.113.199", "2001:db8::/32"]);
  assert.deepEqual(ips(await rows("offset=204")), []);
  const { headers } = await visit(t, "GET", path, { token: viewer.token, headers: { "Accept-Encoding": "identity" } });
  assert.match(headers.get("etag")!, new RegExp(`^"${version}\\.[0-9a-f]{8}-1"$`));
  assert.equal(headers.get("cache-control"), "no-store");
});

test("filters, alone and together", async () => {
  const cases: [query: string, expected: string[], count?: number][] = [
    ["state=expired", ["198.51.100.8"]],
    ["state=expiring", ["198.51.100.0/24"]],
    ["state=expiring&expiring_within_days=30", ["198.51.100.0/24", "198.51.100.7"]],
    ["name=OFFICE 19&limit=3", ["203.0.113.19", "203.0.113.190", "203.0.113.191"], 11],
    ["name=office 19&offset=10", ["203.0.113.199"], 11],
    ["ip=198.51.100.7", ["198.51.100.0/24", "198.51.100.7"]],
    ["ip=198.51.0.0/16&state=active", ["198.51.100.0/24", "198.51.100.7"]],
    ["ip=2001:db8::1", ["2001:db8::/32"]],
    ["ip=203.0.113.0/30&name=office", ["203.0.113.0", "203.0.113.1", "203.0.113.2", "203.0.113.3"]],
    ["name=&ip=&state=active&offset=202", ["2001:db8::/32"], 203],
    ["name=nothing", []],
  ];
  for (const [query, expected, count = expected.length] of cases) {
    const answer = await rows(query);
    assert.deepEqual([ips(answer), answer.count, answer.total], [expected, count, 204], query);
  }
});

test("a row of an expiring rule becomes one of an expired rule in its millisecond", async () => {
  const { now } = t.clock;
  t.clock.now = now + 5 * DAY - 1;
  assert.deepEqual(ips(await rows("state=expiring")), ["198.51.100.0/24"]);
  t.clock.now++;
  assert.deepEqual(
    [ips(await rows("state=expiring")), ips(await rows("state=expired"))],
    [[], ["198.51.100.0/24", "198.51.100.8"]],
  );
  t.clock.now = now;
});

test("bad parameters are named; rulesets of other organisations, and the operation in the other scope, are not found", async () => {
  const bad: [query: string, field: string][] = [
    ["offset=-1", "offset"],
    ["offset=1.5", "offset"],
    ["limit=0", "limit"],
    ["limit=1001", "limit"],
    ["limit=", "limit"],
    ["state=new", "state"],
    ["state=", "state"],
    ["expiring_within_days=0", "expiring_within_days"],
    ["expiring_within_days=99999", "expiring_within_days"],
    [`name=${"a".repeat(256)}`, "name"],
    ["name=a&name=b", "name"],
    ["ip=hello", "ip"],
    ["ip=10.0.0.1/8", "ip"],
    [`ip=${"1".repeat(101)}`, "ip"],
  ];
  for (const [query, field] of bad) {
    const { status, body } = await visit(t, "GET", `${path}?${query}`, { token: viewer.token });
    assert.deepEqual([status, Object.keys(body.validation_errors)], [400, [field]], query);
  }
  const stranger = await addUser(t, await addOrganisation(t, "strangers"), "admin");
  for (const [where, token] of [
    [path, stranger.token],
    ["/edl/ip-rulesets/00000000-0000-4000-8000-000000000000/rows", viewer.token],
    ["/edl/ip-rulesets/x/rows", viewer.token],
  ] as const) {
    assert.equal((await visit(t, "GET", where, { token })).status, 404);
  }
  assert.equal((await visit(t, "GET", path)).status, 401);
  assert.equal((await visit(t, "GET", path, { key })).status, 401);
  assert.equal((await ask(t, "GET", `/v1${path}`, { key })).status, 404);
  const without = await addUser(t, await addOrganisation(t, "no plan", ["cbs"]), "admin");
  assert.equal((await visit(t, "GET", path, { token: without.token })).status, 403);
});
