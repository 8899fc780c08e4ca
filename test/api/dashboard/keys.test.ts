import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { addKey, addOrganisation, ask, START, startServer, type TestServer } from "../start-server.ts";
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
    scopes: [],
    networks: [],
    last_used_at: null,
    requests_this_month: 0,
    opened_deployments: [],
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

/** A key made as an admin does it; the id of one ruleset, of another, and of a deployment. */
async function limitedKey(limits: object) {
  const admin = (await addUser(t, organisation, "admin", `limits ${JSON.stringify(limits)}`.slice(0, 90))).token;
  const made = await visit(t, "POST", "/keys", {
    token: admin,
    body: { label: "limited", access: "read_write", ...limits },
  });
  assert.equal(made.status, 201, made.text);
  return made.body as { readonly key: any; readonly text: string };
}

test("a key with scopes may do what one of them allows; for all else 403 says which would", async () => {
  const { text: all } = await addKey(t, organisation);
  const [one, other] = (await ask(t, "GET", "/v1/edl/ip-rulesets/", { key: all })).body.items.map(({ id }: any) => id);
  const include = [{ prefixes: ["192.0.2.0/24"] }];
  const { id: deployment } = (
    await ask(t, "POST", "/v1/edl/deployments/", { key: all, body: { name: "scoped", include } })
  ).body;
  /** By operation, the scopes that allow it; each is tried with a key of each scope alone. */
  const operations: readonly (readonly [method: string, path: string, scopes: readonly string[]])[] = [
    ["GET", "/v1/cbs/lookup?ip=192.0.2.1", ["cbs"]],
    ["GET", "/v1/cti/lookup/192.0.2.1", ["cti"]],
    ["GET", "/v1/changes", ["edl"]],
    ["GET", "/v1/edl/ip-rulesets/", ["edl", "rulesets"]],
    ["GET", `/v1/edl/ip-rulesets/${one}`, ["edl", "rulesets", `rulesets/${one}`]],
    ["GET", `/v1/edl/ip-rulesets/${one}/rules/`, ["edl", "rulesets", `rulesets/${one}`]],
    ["POST", `/v1/edl/ip-rulesets/${one}/rules:check`, ["edl", "rulesets", `rulesets/${one}`]],
    ["GET", `/v1/edl/ip-rulesets/${other}`, ["edl", "rulesets", `rulesets/${other}`]],
    ["GET", "/v1/edl/deployments/", ["edl", "deployments"]],
    ["GET", `/v1/edl/deployments/${deployment}/urls/`, ["edl", "deployments", `deployments/${deployment}`]],
    ["GET", "/v1/edl/lists/", ["edl", "lists"]],
  ];
  for (const scope of new Set(operations.flatMap(([, , scopes]) => scopes))) {
    const { key, text } = await limitedKey({ scopes: [scope, scope] });
    assert.deepEqual(key.scopes, [scope]);
    for (const [method, path, scopes] of operations) {
      const answer = await ask(t, method, path, {
        key: text,
        ...(method === "POST" && { body: { ips: ["192.0.2.1"] } }),
      });
      const detail = `the API key has none of the scopes that allow this operation: ${scopes.join(", ")}`;
      if (scopes.includes(scope)) assert.notEqual(answer.status, 403, `${scope}: ${path}: ${answer.text}`);
      else assert.deepEqual([answer.status, answer.body.detail], [403, detail], `${scope}: ${path}`);
    }
  }
});

test("a key with networks is accepted from them alone, before it counts as used, and after a restart", async () => {
  const [here, elsewhere] = [
    await limitedKey({ networks: ["127.0.0.0/8", "::1"] }),
    await limitedKey({ networks: ["192.0.2.7"] }),
  ];
  assert.deepEqual(here.key.networks, ["127.0.0.0/8", "::1"]);
  for (let time = 0; time < 2; time++) {
    assert.equal((await ask(t, "GET", "/v1/edl/ip-rulesets/", { key: here.text })).status, 200);
    const refused = await ask(t, "GET", "/v1/edl/ip-rulesets/", { key: elsewhere.text });
    assert.deepEqual(
      [refused.status, refused.body.detail],
      [403, "the API key is not accepted from the address 127.0.0.1"],
    );
    await t.restart();
  }
  const admin = (await addUser(t, organisation, "admin", "looking")).token;
  const { items } = (await visit(t, "GET", "/keys", { token: admin })).body;
  assert.equal(items.find(({ id }: any) => id === elsewhere.key.id).requests_this_month, 0);
});

test("scopes and networks that cannot be meant are refused, each with the cure", async () => {
  const admin = (await addUser(t, organisation, "admin", "wrong scopes")).token;
  const cases: readonly (readonly [object, string, RegExp])[] = [
    [{ scopes: ["ruleset"] }, "scopes", /"ruleset" is no scope; did you mean rulesets\?/],
    [{ scopes: ["ruleset/x"] }, "scopes", /did you mean rulesets/],
    [{ scopes: ["cbs/x"] }, "scopes", /is no scope/],
    [{ scopes: [""] }, "scopes", /is no scope/],
    [{ scopes: ["rulesets/none"] }, "scopes", /nothing called "none" among the rulesets/],
    [{ networks: ["192.0.2.1/24"] }, "networks", /host bits are set/],
    [{ networks: ["everywhere"] }, "networks", /everywhere/],
  ];
  for (const [body, member, message] of cases) {
    const answer = await visit(t, "POST", "/keys", { token: admin, body: { label: "x", access: "read", ...body } });
    assert.deepEqual([answer.status, Object.keys(answer.body.validation_errors)], [400, [member]], answer.text);
    assert.match(answer.body.validation_errors[member][0], message);
  }
});

test("a key that has read the URLs of a deployment says so until these URLs no longer work", async () => {
  t.clock.now = START + 10_000;
  const admin = (await addUser(t, organisation, "admin", "rotating")).token;
  const [reader, other] = await Promise.all([addKey(t, organisation, "read"), addKey(t, organisation)]);
  const body = { name: "edge", include: [{ prefixes: ["192.0.2.0/24"] }] };
  const { id } = (await ask(t, "POST", "/v1/edl/deployments/", { key: other.text, body })).body;
  const urlsFor = (key: string) => ask(t, "GET", `/v1/edl/deployments/${id}/urls/`, { key });
  const openedBy = async (keyId: string) =>
    (await visit(t, "GET", "/keys", { token: admin })).body.items.find((key: any) => key.id === keyId)
      .opened_deployments;
  const rotate = (hours: number) =>
    visit(t, "POST", `/edl/deployments/${id}:rotate`, {
      token: admin,
      body: { credential: "url", grace_hours: hours },
    });
  const edge = [{ id, name: "edge" }];
  assert.equal((await visit(t, "GET", `/edl/deployments/${id}/urls/`, { token: admin })).status, 200);
  assert.deepEqual(await openedBy(reader.id), []);
  for (let time = 0; time < 2; time++) assert.equal((await urlsFor(reader.text)).status, 200);
  assert.deepEqual([await openedBy(reader.id), await openedBy(other.id)], [edge, []], "a user is no key");
  const stranger = await addKey(t, await addOrganisation(t, "stranger"));
  assert.equal((await urlsFor(stranger.text)).status, 404);
  await t.restart();
  assert.deepEqual(await openedBy(reader.id), edge, "after a restart");
  await rotate(1);
  assert.deepEqual(await openedBy(reader.id), edge, "the URLs still work");
  t.clock.now += 3_600_000;
  assert.deepEqual(await openedBy(reader.id), [], "they do not any more");
  await urlsFor(reader.text);
  const revoked = await visit(t, "DELETE", `/keys/${reader.id}`, { token: admin });
  assert.deepEqual([revoked.body.state, revoked.body.opened_deployments], ["revoked", edge]);
  await rotate(0);
  assert.deepEqual(await openedBy(reader.id), []);
  await urlsFor(other.text);
  assert.deepEqual(await openedBy(other.id), edge);
  await ask(t, "DELETE", `/v1/edl/deployments/${id}`, { key: other.text });
  assert.deepEqual(await openedBy(other.id), [], "the deployment is gone");
});
