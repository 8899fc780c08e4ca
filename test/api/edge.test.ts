import assert from "node:assert/strict";
import { createPublicKey, verify } from "node:crypto";
import { connect } from "node:net";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { parsePrefix } from "../../src/address/prefix.ts";
import { blockedRequests } from "../../src/service/edge/blocked-requests.ts";
import type { Deployment, DeploymentDefinition } from "../../src/store/records/deployment.ts";
import { until } from "../until.ts";
import { addUser, visit } from "./dashboard/browser.ts";
import { addKey, addOrganisation, ask, startServer, type TestServer } from "./start-server.ts";
import { definitionOf } from "../deployments/definition-of.ts";

const BASE = "http://lists.example";
const TYPE = "ellio_traefik_middleware_plugin";
const DEFINITION = definitionOf({ direction: "ingress" });

let t: TestServer;
let organisationId = "";
let admin = "";
let rulesetId = "";

before(async () => {
  const limits = { failuresPerMinute: 1000, signInsPerMinute: 1000, bodyMemory: 20 << 20 };
  t = await startServer({ ...limits, baseUrl: `${BASE}/` });
  organisationId = await addOrganisation(t, "edge");
  admin = (await addUser(t, organisationId, "admin", "ada")).token;
  const about = { name: "blocked", purpose: "blocklist", description: "" } as const;
  const { ruleset } = await t.server.store.write({ kind: "create-ruleset", ...by(), ...about });
  rulesetId = ruleset.id;
  const request = { prefix: parsePrefix("192.0.2.0/24"), name: null, expiresAt: null, mode: "override" } as const;
  await t.server.store.write({ kind: "add-rule", ...by(), rulesetId, request });
});
after(() => t.close());

const by = () => ({ actor: "command:test", at: t.clock.now, organisationId });

async function deployed(): Promise<Deployment> {
  const definition = { ...DEFINITION, include: [{ ruleset: rulesetId }, { prefixes: ["198.51.100.0/24"] }] };
  const { deployment } = await t.server.store.write({ kind: "create-deployment", ...by(), name: "web", definition });
  await until("the list is published", () => t.server.services.publishing.lists.served(deployment.id) !== undefined);
  return deployment;
}

async function newComponent(deploymentId: string): Promise<{ id: string; token: string }> {
  const body = { deployment_id: deploymentId, label: "web", component_type: TYPE };
  const created = await visit(t, "POST", "/edge-components", { token: admin, body });
  assert.equal(created.status, 201, created.text);
  return { id: created.body.component.id, token: created.body.bootstrap_token };
}

const bootstrap = (token: string) =>
  ask(t, "POST", "/api/v1/edl/bootstrap", {
    body: {
      bootstrap_token: token,
      component_type: TYPE,
      component_version: "1.0.0",
      machine_id: "m",
      scopes: ["edl_logs"],
    },
  });
const bearer = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } });
const config = (token: string) => ask(t, "GET", "/api/v1/edl/config", bearer(token));
const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split(".")[1]!, "base64url").toString());

test("from the bootstrap token to the list: bootstrap, configuration, and a feed that needs no header", async () => {
  const { id } = await deployed();
  const { token } = await newComponent(id);
  const { iss, component_type, deployment_id, workspace_id } = claimsOf(token);
  assert.deepEqual([iss, component_type, deployment_id, workspace_id], [BASE, TYPE, id, organisationId]);
  const { status, body } = await bootstrap(token);
  const { access_token: access, ...rest } = body;
  assert.deepEqual(
    [status, rest],
    [
      200,
      {
        expires_in: 3600,
        jwks_url: `${BASE}/.well-known/jwks.json`,
        config_url: `${BASE}/api/v1/edl/config`,
        logs_url: `${BASE}/api/v1/edl/logs`,
      },
    ],
  );
  const found = await config(access);
  const { urls, ...about } = found.body;
  assert.deepEqual(about, {
    deployment_id: id,
    workspace_id: organisationId,
    name: "web",
    purpose: "blocklist",
    direction: "ingress",
    firewall_format: "text",
    update_frequency_seconds: 300,
    enabled: true,
  });
  assert.deepEqual(Object.keys(urls), ["combined", "ipv4", "ipv6", "checksums", "unprocessable"]);
  assert.ok(urls.combined[0].startsWith(`${BASE}/feeds/`));
  assert.equal((await ask(t, "GET", urls.combined[0].slice(BASE.length))).text, "192.0.2.0/24\n198.51.100.0/24\n");
});

test("the published key verifies the tokens, after a restart, too", async () => {
  const { id } = await deployed();
  const { token } = await newComponent(id);
  const { keys } = (await ask(t, "GET", "/.well-known/jwks.json")).body;
  await t.restart();
  assert.deepEqual((await ask(t, "GET", "/.well-known/jwks.json")).body.keys, keys);
  const [header, payload, signature] = token.split(".");
  const { d, kid, alg } = keys[0];
  assert.deepEqual(
    [d, alg, JSON.parse(Buffer.from(header!, "base64url").toString())],
    [undefined, "ES256", { alg, typ: "JWT", kid }],
  );
  const key = createPublicKey({ key: keys[0], format: "jwk" });
  const isValid = (text: string) =>
    verify("sha256", Buffer.from(text), { key, dsaEncoding: "ieee-p1363" }, Buffer.from(signature!, "base64url"));
  assert.deepEqual([isValid(`${header}.${payload}`), isValid(`${header}.${payload}x`)], [true, false]);
  assert.equal((await bootstrap(token)).status, 200);
});

test("403 and 410 only for an inactive or deleted deployment; wrong, expired and revoked tokens get 401", async () => {
  const { id: deploymentId } = await deployed();
  const { id, token } = await newComponent(deploymentId);
  const access: string = (await bootstrap(token)).body.access_token;
  const { text: key } = await addKey(t, organisationId);
  const parts = token.split(".");
  const unsigned = `${Buffer.from('{"alg":"none"}').toString("base64url")}.${parts[1]}.`;
  const forged = `${parts[0]}.${Buffer.from(JSON.stringify({ ...claimsOf(token), deployment_id: "x" })).toString("base64url")}.${parts[2]}`;
  for (const wrong of ["", "x", key, access, unsigned, forged])
    assert.equal((await bootstrap(wrong)).status, 401, wrong.slice(0, 20));
  for (const wrong of ["", "x", key, token]) assert.equal((await config(wrong)).status, 401, wrong.slice(0, 20));
  assert.equal((await ask(t, "POST", "/api/v1/edl/bootstrap", { body: [] })).status, 401);
  assert.equal((await ask(t, "GET", "/v1/edl/deployments/", { key: token })).status, 401);

  const both = async () => [await bootstrap(token), await config(access)];
  const change = (definition: Partial<DeploymentDefinition>) =>
    t.server.store.write({ kind: "update-deployment", ...by(), deploymentId, definition });
  await change({ active: false });
  for (const { status, body } of await both()) assert.deepEqual([status, body.code], [403, "DEPLOYMENT_DISABLED"]);
  await change({ active: true });
  for (const { status } of await both()) assert.equal(status, 200);
  t.clock.now += 3_600_000;
  assert.equal((await config(access)).status, 401, "it has expired");
  await t.server.store.write({ kind: "delete-deployment", ...by(), deploymentId });
  const gone = await bootstrap(token);
  assert.deepEqual([gone.status, gone.body.code], [410, "DEPLOYMENT_DELETED"]);
  await visit(t, "DELETE", `/edge-components/${id}`, { token: admin });
  assert.equal((await bootstrap(token)).status, 401, "it is revoked");
  assert.ok(!t.logged().includes(parts[2]!), "no token is logged");
});

test("blocked requests are counted by rule, from a document and from lines, also compressed; malformed events are rejected", async () => {
  const { id } = await deployed();
  const { token } = await newComponent(id);
  const { access_token: access } = (await bootstrap(token)).body;
  const { text: key } = await addKey(t, organisationId, "read");
  const event = (ip: unknown) => ({ ts: "x", event_type: "access_blocked", client: { ip }, request: { path: "<b>" } });
  const send = (body: string | Buffer, headers: Record<string, string>) =>
    ask(t, "POST", "/api/v1/edl/logs", { headers: { ...bearer(access).headers, ...headers }, body });
  const JSON_TYPE = { "Content-Type": "application/json" };
  const LINES = { "Content-Type": "application/x-ndjson", "Content-Encoding": "gzip" };
  const document = {
    batch_metadata: { device_id: "d" },
    events: [event("192.0.2.7"), event("x"), event("203.0.113.1")],
  };
  const one = await send(JSON.stringify(document), JSON_TYPE);
  assert.deepEqual([one.status, one.body], [202, { accepted: 2, rejected: 1 }]);
  const lines = ["192.0.2.8", "198.51.100.1", 7].map((ip) => `${JSON.stringify(event(ip))}\n`).join("");
  const two = await send(gzipSync(`${lines}{\n`), LINES);
  assert.deepEqual([two.status, two.body], [202, { accepted: 2, rejected: 2 }]);
  assert.equal((await send("no gzip", LINES)).status, 400);
  assert.equal((await send(gzipSync(Buffer.alloc(9 << 20)), LINES)).status, 413);
  assert.equal((await send("x".repeat((1 << 20) + 1), JSON_TYPE)).status, 413);
  const { body } = await ask(t, "GET", `/v1/edl/deployments/${id}/blocked/`, { key });
  assert.deepEqual(body.items, [
    { source: `ruleset/${rulesetId}`, ruleset_id: rulesetId, prefix: "192.0.2.0/24", unit: "request", amount: 2 },
    { source: "other", ruleset_id: null, prefix: null, unit: "request", amount: 1 },
    { source: "prefixes", ruleset_id: null, prefix: null, unit: "request", amount: 1 },
  ]);
});

test("a decompressed report counts towards the memory for bodies: 503 while others use it, then released", async () => {
  const { id } = await deployed();
  const { token } = await newComponent(id);
  const { access_token: access } = (await bootstrap(token)).body;
  const headers = { ...bearer(access).headers, "Content-Type": "application/x-ndjson", "Content-Encoding": "gzip" };
  const blanks = "\n".repeat(7 << 20);
  const send = () =>
    ask(t, "POST", "/api/v1/edl/logs", { headers, body: gzipSync(`${blanks}{"client":{"ip":"192.0.2.7"}}`) });
  const held = async () => Number(/^ipsieve_body_bytes (\d+)$/m.exec((await ask(t, "GET", "/metrics")).text)?.[1]);
  // The other bodies of this client lack their last byte.
  const { hostname, port } = new URL(t.server.url);
  const head = `POST /api/v1/edl/logs HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${access}\r\nContent-Type: text/plain\r\n`;
  const sockets = Array.from({ length: 4 }, () => connect(Number(port), hostname).on("error", () => {}));
  for (const socket of sockets) socket.write(`${head}Content-Length: ${1 << 20}\r\n\r\n${"x".repeat((1 << 20) - 1)}`);
  await until("they have arrived", async () => (await held()) === 4 * ((1 << 20) - 1));
  const refused = await send();
  assert.deepEqual([refused.status, refused.headers.get("retry-after")], [503, "1"], refused.text);
  assert.equal(await held(), 4 * ((1 << 20) - 1), "what was unpacked before is given back");
  for (const socket of sockets) socket.destroy();
  await until("no body is held", async () => (await held()) === 0);
  const sent = await send();
  assert.deepEqual([sent.status, sent.body], [202, { accepted: 1, rejected: 0 }]);
  assert.equal(await held(), 0);
});

test("whatever strangers send as a token gets 401 and is not a server error", async () => {
  for (const token of [{ toString: 1, valueOf: 1 }, [[]], null, 7, true]) {
    const { status } = await ask(t, "POST", "/api/v1/edl/bootstrap", { body: { bootstrap_token: token } });
    assert.equal(status, 401, JSON.stringify(token));
  }
  const long = await ask(t, "POST", "/api/v1/edl/bootstrap", { body: { bootstrap_token: "x".repeat(5000) } });
  assert.equal(long.status, 413);
  assert.doesNotMatch(t.logged(), /unexpected error/);
});

test("the largest reports are read in slices: documents, lines, and only white space", async () => {
  const deployment = await deployed();
  const count = 2_000_000;
  const event = '{"client":{"ip":"192.0.2.7"}}';
  const reports = [
    [`{"batch_metadata":{},"events":[\n${"{},".repeat(count)}${event}]}`, { accepted: 0, rejected: count + 1 }],
    [`{"events":[${`${event},`.repeat(20_000)}${event}]}`, { accepted: 10_000, rejected: 10_001 }],
    [`${event}\n`.repeat(20_000), { accepted: 10_000, rejected: 10_000 }],
    // Longer than permitted over HTTP, so that it takes many slices on every machine.
    [`${"\n".repeat(64 << 20)}${event}`, { accepted: 1, rejected: 0 }],
    [`${event}\n${"[".repeat(100_000)}\n${event}`, { accepted: 2, rejected: 1 }],
  ] as const;
  for (const [report, expected] of reports) {
    let turns = 0;
    let isRead = false;
    const count = (): void => void (++turns && !isRead && setImmediate(count));
    setImmediate(count);
    const { sources } = t.server.services.publishing;
    const { accepted, rejected } = await blockedRequests(Buffer.from(report), deployment, sources, t.clock.now);
    isRead = true;
    assert.deepEqual({ accepted, rejected }, expected, report.slice(0, 40));
    if (report.length > 4 << 20) assert.ok(turns > 3, `${turns} turns`);
  }
});

test("without --base-url there is no token, and the error names the setting", async () => {
  const { id } = await deployed();
  const { settings } = t.server.services;
  const body = { deployment_id: id, label: "web", component_type: TYPE };
  Object.assign(settings, { baseUrl: "" });
  const { status, body: problem } = await visit(t, "POST", "/edge-components", { token: admin, body });
  Object.assign(settings, { baseUrl: BASE });
  assert.equal(status, 409);
  assert.match(problem.detail, /--base-url/);
});
