import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { addOrganisation, ask, START, startServer, type TestServer } from "../start-server.ts";
import { addUser, visit } from "./browser.ts";

let t: TestServer;
let organisation = "";
let token = "";
before(async () => {
  t = await startServer();
  organisation = await addOrganisation(t, "keys");
  ({ token } = await addUser(t, organisation, "admin"));
});
after(() => t.close());

const list = async () => (await visit(t, "GET", "/keys", { token })).body;

test("a key is created, shown once, used, and revoked", async () => {
  const made = await visit(t, "POST", "/keys", {
    token,
    body: { label: "firewall", access: "read_write", expires_on: "2026-12-24" },
  });
  const { key, text } = made.body;
  assert.equal(made.status, 201);
  assert.deepEqual(key, {
    id: key.id,
    label: "firewall",
    access: "read_write",
    start: text.slice(0, 8),
    created_at: "2026-11-21T12:00:00.000Z",
    expires_at: "2026-12-24T00:00:00.000Z",
    revoked_at: null,
    last_used_at: null,
    requests_this_month: 0,
    state: "active",
  });
  assert.deepEqual(await list(), { items: [key], count: 1 });
  t.clock.now += 1000;
  for (let i = 0; i < 3; i++) assert.equal((await ask(t, "GET", "/v1/edl/ip-rulesets/", { key: text })).status, 200);
  const used = { ...key, last_used_at: "2026-11-21T12:00:01.000Z", requests_this_month: 3 };
  assert.deepEqual((await list()).items, [used]);
  await t.restart();
  assert.deepEqual((await list()).items, [used]);
  t.clock.now = Date.UTC(2026, 11, 1);
  await t.server.store.write({
    kind: "set-role",
    actor: "command:test",
    at: 1,
    organisationId: organisation,
    userId: (await addUser(t, organisation, "admin", "later")).id,
    role: "admin",
  });
  const later = await addUser(t, organisation, "admin", "december");
  assert.deepEqual((await visit(t, "GET", "/keys", { token: later.token })).body.items, [
    { ...used, requests_this_month: 0 },
  ]);
  t.clock.now = START + 2000;
  const revoked = await visit(t, "DELETE", `/keys/${key.id}`, { token });
  assert.deepEqual(
    [revoked.status, revoked.body.state, revoked.body.revoked_at],
    [200, "revoked", "2026-11-21T12:00:02.000Z"],
  );
  assert.equal((await ask(t, "GET", "/v1/edl/ip-rulesets/", { key: text })).status, 401);
  assert.equal((await visit(t, "DELETE", `/keys/${key.id}`, { token })).body.revoked_at, "2026-11-21T12:00:02.000Z");
});

test("errors are reported by field; the newest key is first; a key expires to the millisecond", async () => {
  const errors = async (body: object) => {
    const answer = await visit(t, "POST", "/keys", { token, body: { label: "x", access: "read", ...body } });
    return [answer.status, Object.keys(answer.body.validation_errors)];
  };
  for (const label of ["", " x", "x\n", "x".repeat(256)]) assert.deepEqual(await errors({ label }), [400, ["label"]]);
  for (const expires_on of ["", "2026-11-21", "2026-02-31", "2030-1-1", "2030-01-01T00:00"])
    assert.deepEqual(await errors({ expires_on }), [400, ["expires_on"]], expires_on);
  assert.deepEqual(await errors({ access: "admin" }), [400, ["access"]]);
  assert.deepEqual(await errors({ digest: "x" }), [400, ["digest"]]);
  t.clock.now = START + 3000;
  await visit(t, "POST", "/keys", { token, body: { label: "short", access: "read", expires_on: "2026-11-22" } });
  const first = async () => (await list()).items[0];
  assert.deepEqual([(await first()).label, (await first()).state], ["short", "active"]);
  t.clock.now = Date.UTC(2026, 10, 22) - 1;
  assert.equal((await first()).state, "active");
  t.clock.now++;
  assert.equal((await first()).state, "expired");
});
