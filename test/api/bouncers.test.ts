import assert from "node:assert/strict";
import { request as httpRequest } from "node:http";
import { after, before, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { formatPrefix, parsePrefix } from "../../src/address/prefix.ts";
import { AddressSet } from "../../src/sets/address-set.ts";
import { makeCredentialText } from "../../src/service/access/credential-text.ts";
import type { Deployment, DeploymentDefinition } from "../../src/store/records/deployment.ts";
import { until } from "../until.ts";
import { addUser, visit } from "./dashboard/browser.ts";
import { addKey, addOrganisation, ask, startServer, type TestServer } from "./start-server.ts";
import { definitionOf } from "../deployments/definition-of.ts";

const HOUR = 3_600_000;
/** Seconds, as the server of these tests has it. */
const LASTS = 4 * 3600;
const DEFINITION = definitionOf({ include: [{ prefixes: ["192.0.2.0/24", "198.51.100.7", "2001:db8::/32"] }] });

let t: TestServer;
let organisationId = "";

before(async () => {
  t = await startServer({ failuresPerMinute: 1000, bouncerDuration: LASTS });
  organisationId = await addOrganisation(t, "bouncers");
});
after(() => t.close());

const by = () => ({ actor: "command:test", at: t.clock.now, organisationId });
const { write }: { write: TestServer["server"]["store"]["write"] } = {
  write: (command) => t.server.store.write(command),
};

async function deployed(definition: Partial<DeploymentDefinition> = {}): Promise<Deployment> {
  const whole = { ...DEFINITION, ...definition };
  const { deployment } = await write({ kind: "create-deployment", ...by(), name: "edge", definition: whole });
  await until("the list is published", () => t.server.services.publishing.lists.served(deployment.id) !== undefined);
  return deployment;
}

/** Changes the literal prefixes of a deployment, and waits for its list. */
async function include(deploymentId: string, prefixes: readonly string[]): Promise<void> {
  const before = t.server.services.publishing.lists.served(deploymentId)!.published.generation;
  await write({ kind: "update-deployment", ...by(), deploymentId, definition: { include: [{ prefixes }] } });
  await until("the next list is published", () => generation(deploymentId) > before);
}
const generation = (id: string): number => t.server.services.publishing.lists.served(id)!.published.generation;

async function newBouncer(deploymentId: string, hostsOnly = false): Promise<{ id: string; key: string }> {
  const { text: key, digest, start } = makeCredentialText("bouncer");
  const about = { credential: "bouncer", label: "test", digest, start, hostsOnly } as const;
  const { credential } = await write({ kind: "create-credential", ...by(), deploymentId, ...about });
  return { id: credential.id, key };
}

interface Pulled {
  readonly [list: string]: Record<string, string> | null;
}

/**
 * What a bouncer gets, as prefixes with durations; null for those that are sent as null. Waits until the server has
 * recorded it.
 */
async function pull(key: string, query = ""): Promise<Pulled> {
  const before = (await stateOf(key))?.version ?? 0;
  const { status, body, text } = await ask(t, "GET", `/v1/decisions/stream${query}`, { key });
  assert.equal(status, 200, text);
  if (query.includes("startup=true") || body.new !== null || body.deleted !== null)
    await until(
      "the server has recorded what the bouncer got",
      async () => ((await stateOf(key))?.version ?? 0) > before,
    );
  const decisions: { origin: string; scenario: string }[] = [...(body.new ?? []), ...(body.deleted ?? [])];
  // Newer bouncers keep a set for each origin and scenario, and delete from that of the deletion only.
  const scenario = `deployment/${t.server.services.access.credentials.find("bouncer", key)!.deploymentId}`;
  for (const each of decisions) assert.deepEqual([each.origin, each.scenario], ["lists", scenario]);
  const listOf = (items: { value: string; duration: string }[] | null) =>
    items && Object.fromEntries(items.map(({ value, duration }) => [value, duration]));
  return { new: listOf(body.new), deleted: listOf(body.deleted) };
}

const FULL = "4h0m0s";
const START_UP = "?startup=true";
const NOTHING = { new: null, deleted: null };

test("a bouncer starts with everything, then gets differences, and continues after a restart of either side", async () => {
  const { id } = await deployed();
  const { key } = await newBouncer(id);
  const all = { "192.0.2.0/24": FULL, "198.51.100.7": FULL, "2001:db8::/32": FULL };
  assert.deepEqual(await pull(key, START_UP), { new: all, deleted: null });
  assert.deepEqual(await pull(key), NOTHING);
  await include(id, ["192.0.2.0/24", "203.0.113.9"]);
  const changed = { new: { "203.0.113.9": FULL }, deleted: { "198.51.100.7": "-1s", "2001:db8::/32": "-1s" } };
  await t.restart();
  await until("the list is there", () => t.server.services.publishing.lists.served(id) !== undefined);
  assert.deepEqual(await pull(key), changed);
  assert.deepEqual(await pull(key, "?startup=false"), NOTHING);
  await include(id, ["203.0.113.9"]);
  const now = { new: { "203.0.113.9": FULL }, deleted: { "192.0.2.0/24": "-1s" } };
  assert.deepEqual(await pull(key, START_UP), now, "what it had before is deleted, in case it kept it");
  const another = await newBouncer(id);
  assert.deepEqual(await pull(another.key), { ...now, deleted: null }, "each has its own place in the stream");
});

test("a decision names its scope, origin and source; the body is JSON, and gzip where that is accepted", async () => {
  const prefixes = Array.from({ length: 60 }, (_, i) => `203.0.113.${2 * i}`);
  const { id } = await deployed({ include: [{ prefixes: ["192.0.2.0/24", ...prefixes] }] });
  const { key } = await newBouncer(id);
  const headers = { "X-Api-Key": key, "Accept-Encoding": "gzip" };
  const { headers: sent, body } = await rawGet(`/v1/decisions/stream${START_UP}`, headers);
  assert.equal(sent["content-encoding"], "gzip");
  const decisions = JSON.parse(gunzipSync(body).toString()).new;
  const { id: number, ...range } = decisions[0];
  assert.ok(Number.isSafeInteger(number) && number >= 0);
  assert.deepEqual(range, {
    origin: "lists",
    type: "ban",
    scope: "Range",
    value: "192.0.2.0/24",
    duration: FULL,
    scenario: `deployment/${id}`,
  });
  assert.equal(decisions[1].scope, "Ip");
  assert.equal(new Set(decisions.map((each: { id: number }) => each.id)).size, decisions.length);
});

test("HEAD, an interrupted response and a filter lose nothing", async () => {
  const many = Array.from({ length: 60_000 }, (_, i) => `10.${i >> 15}.${(i >> 7) & 255}.${(2 * i) & 255}`);
  const { id } = await deployed({ include: [{ prefixes: many }] });
  const { key } = await newBouncer(id);
  assert.equal((await ask(t, "HEAD", `/v1/decisions/stream${START_UP}`, { key })).status, 200);
  assert.equal((await ask(t, "HEAD", "/v1/decisions", { key })).status, 200);
  assert.equal(await stateOf(key), null);
  await brokenOff(`/v1/decisions/stream${START_UP}`, key);
  await until("the server has noticed", () => t.server.busy === 0);
  await t.server.services.publishing.bouncers.stop();
  assert.notEqual((await stateOf(key))!.doubt, null, "it has not got the list completely");
  const { new: got } = await pull(key);
  assert.equal(Object.keys(got!).length, many.length);
  assert.deepEqual(await pull(key), NOTHING);
  await t.server.services.publishing.bouncers.stop();
  assert.equal((await stateOf(key))!.doubt, null);
  await include(id, ["192.0.2.0/24", "198.51.100.7"]);
  const only = await newBouncer(id);
  assert.deepEqual((await pull(only.key, "?startup=true&scopes=Ip")).new, { "198.51.100.7": FULL });
  assert.deepEqual((await pull(only.key, "?startup=true&scopes=range")).new, { "192.0.2.0/24": FULL });
  assert.deepEqual(await pull(only.key, "?startup=true&origins=cscli,CAPI"), NOTHING);
  assert.equal(Object.keys((await pull(only.key, "?startup=true&origins=cscli,lists")).new!).length, 2);
});

test("a key opens only its own stream; other keys, including API keys, get 403 with a message; no log has the key", async () => {
  const { id } = await deployed();
  const { id: bouncer, key } = await newBouncer(id);
  const { text: apiKey } = await addKey(t, organisationId);
  for (const wrong of [undefined, "", apiKey, `${key.slice(0, -1)}${key.endsWith("A") ? "B" : "A"}`, "ipb_"])
    for (const path of ["/v1/decisions/stream", "/v1/decisions?ip=192.0.2.1"]) {
      const { status, body } = await ask(t, "GET", path, { key: wrong });
      assert.deepEqual([status, typeof body.message], [403, "string"], `${wrong} ${path}`);
    }
  assert.equal((await ask(t, "GET", "/v1/edl/ip-rulesets/", { key })).status, 401);
  assert.equal((await ask(t, "GET", `/v1/edl/deployments/${id}/urls/`, { key })).status, 401);
  await pull(key);
  await t.server.services.publishing.bouncers.stop();
  const { token } = await addUser(t, organisationId, "admin");
  const revoked = await visit(t, "DELETE", `/bouncers/${bouncer}`, { token });
  const [listed] = (await visit(t, "GET", "/bouncers", { token })).body.items;
  assert.deepEqual([revoked.body, listed.state], [listed, "revoked"]);
  assert.equal((await ask(t, "GET", "/v1/decisions/stream", { key })).status, 403);
  await ask(t, "GET", `/v1/decisions/${key}`);
  assert.match(t.logged(), /"path":"\/v1\/decisions\/ipb_\[redacted\]"/);
  assert.ok(!t.logged().includes(key.slice(8)), "no key is logged");
});

test("bad parameters are named in a message; a list that was never compiled gets 503", async () => {
  const { id } = await deployed();
  const { key } = await newBouncer(id);
  const rows: readonly (readonly [query: string, message: RegExp])[] = [
    ["/stream?startup=yes", /^startup: must be true or false$/],
    ["/stream?startup=true&startup=true", /^startup: is given more than once$/],
    ["?ip=192.0.2.300", /^ip: .*192\.0\.2\.300/],
    ["?range=192.0.2.0/33", /^range: .*33/],
  ];
  for (const [query, message] of rows) {
    const { status, body } = await ask(t, "GET", `/v1/decisions${query}`, { key });
    assert.equal(status, 400, query);
    assert.match(body.message, message);
  }
  const definition = { ...DEFINITION, include: [{ ruleset: crypto.randomUUID() }] };
  const pending = await write({ kind: "create-deployment", ...by(), name: "pending", definition });
  const { key: early } = await newBouncer(pending.deployment.id);
  const answer = await ask(t, "GET", `/v1/decisions/stream${START_UP}`, { key: early });
  assert.deepEqual([answer.status, answer.headers.get("retry-after")], [503, "5"]);
  assert.match(answer.body.message, /not been built yet/);
});

test("live mode: the decisions that cover an address or a range, or null", async () => {
  const { id } = await deployed();
  const { key } = await newBouncer(id);
  const rows: readonly (readonly [query: string, value: string | null])[] = [
    ["?ip=192.0.2.0", "192.0.2.0/24"],
    ["?ip=192.0.2.255", "192.0.2.0/24"],
    ["?ip=192.0.3.0", null],
    ["?ip=198.51.100.7", "198.51.100.7"],
    ["?ip=198.51.100.6", null],
    ["?range=192.0.2.128/25", "192.0.2.0/24"],
    ["?range=192.0.0.0/16", null],
    ["?ip=2001:db8:ffff::1", "2001:db8::/32"],
    ["?ip=2001:db9::", null],
    ["?ip=192.0.2.1&scopes=ip", null],
    ["", null],
  ];
  for (const [query, value] of rows) {
    const { body } = await ask(t, "GET", `/v1/decisions${query}`, { key });
    assert.deepEqual(body?.map((each: { value: string }) => each.value) ?? null, value && [value], query);
  }
});

test("expiring rules have their own durations, which follow changes; permanent rules are sent again in time", async () => {
  const { ruleset } = await write({
    kind: "create-ruleset",
    ...by(),
    name: "expiring",
    purpose: "blocklist",
    description: "",
  });
  const add = (prefix: string, expiresAt: number | null) =>
    write({
      kind: "add-rule",
      ...by(),
      rulesetId: ruleset.id,
      request: { prefix: parsePrefix(prefix), name: null, expiresAt, mode: "override" },
    });
  await add("192.0.2.0/24", null);
  await add("198.51.100.7", t.clock.now + HOUR);
  const { id } = await deployed({ include: [{ ruleset: ruleset.id }] });
  const { key } = await newBouncer(id);
  const both = { "192.0.2.0/24": FULL, "198.51.100.7": "1h0m0s" };
  assert.deepEqual(await pull(key, START_UP), { new: both, deleted: null });
  await add("198.51.100.7", t.clock.now + 2 * HOUR);
  assert.deepEqual(await pull(key), { new: { "198.51.100.7": "2h0m0s" }, deleted: null });
  t.clock.now += 1.5 * HOUR;
  assert.deepEqual(await pull(key), NOTHING);
  t.clock.now += 0.5 * HOUR;
  await until(
    "the expired rule has left the list",
    () => t.server.services.publishing.lists.served(id)!.published.entries[4] === 1,
  );
  assert.deepEqual(await pull(key), { new: { "192.0.2.0/24": FULL }, deleted: { "198.51.100.7": "-1s" } });
  assert.deepEqual(await pull(key), NOTHING);
});

test("what bouncers report as dropped is shown by source and by hour; nothing in reports is trusted", async () => {
  const { id } = await deployed({ include: [{ prefixes: ["192.0.2.0/24"] }] });
  const { key } = await newBouncer(id);
  const { text: apiKey } = await addKey(t, organisationId, "read");
  const item = (origin: string, value: unknown, unit = "packet", name = "dropped") => ({
    name,
    value,
    unit,
    labels: { origin, ip_type: "ipv4" },
  });
  const report = (...items: object[]) => {
    const metrics = [{ meta: { window_size_seconds: 900, utc_now_timestamp: 1 }, items }];
    const body = { remediation_components: [{ type: "crowdsec-firewall-bouncer", version: "1", metrics }] };
    return ask(t, "POST", "/v1/usage-metrics", { key, body });
  };
  const sent = await report(
    item(`lists:deployment/${id}`, 40),
    item("lists:prefixes", 2),
    item("lists:prefixes", 4000, "byte"),
    item("<script>", 3),
    { ...item("", 4), labels: { origin: { toString: 1 } } },
    item("lists:prefixes", 9, "packet", "processed"),
  );
  assert.deepEqual([sent.status, sent.text], [201, "{}"]);
  assert.equal((await report(item("lists", 8))).status, 201);
  const { body } = await ask(t, "GET", `/v1/edl/deployments/${id}/blocked/`, { key: apiKey });
  const row = { ruleset_id: null, prefix: null };
  assert.deepEqual(body.items, [
    { source: "prefixes", ...row, unit: "byte", amount: 4000 },
    { source: "prefixes", ...row, unit: "packet", amount: 50 },
    { source: "other", ...row, unit: "packet", amount: 7 },
  ]);
  const hour = new Date(t.clock.now - (t.clock.now % HOUR)).toISOString();
  assert.deepEqual(body.hours, [
    { at: hour, unit: "byte", amount: 4000 },
    { at: hour, unit: "packet", amount: 57 },
  ]);
  for (const wrong of [item("lists", -1), item("lists", "many"), item("lists", 1e300)])
    assert.equal((await report(wrong)).status, 400);
  const malformed = await ask(t, "POST", "/v1/usage-metrics", { key, body: { remediation_components: [1] } });
  assert.deepEqual(
    [malformed.status, malformed.body.message],
    [400, "remediation_components: must be a list of objects"],
  );
  assert.equal((await ask(t, "POST", "/v1/usage-metrics", { key: apiKey, body: {} })).status, 403);
});

test("bouncers of an inactive or deleted deployment stop enforcing", async () => {
  const { id } = await deployed({ include: [{ prefixes: ["192.0.2.0/24"] }] });
  const { key } = await newBouncer(id);
  await pull(key, START_UP);
  await write({ kind: "update-deployment", ...by(), deploymentId: id, definition: { active: false } });
  assert.deepEqual(await pull(key), { new: null, deleted: { "192.0.2.0/24": "-1s" } });
  await write({ kind: "update-deployment", ...by(), deploymentId: id, definition: { active: true } });
  assert.deepEqual(await pull(key), { new: { "192.0.2.0/24": FULL }, deleted: null });
  await write({ kind: "delete-deployment", ...by(), deploymentId: id });
  assert.deepEqual(await pull(key), { new: null, deleted: { "192.0.2.0/24": "-1s" } });
});

test("what a bouncer of a deployment of several sources drops is of none of them", async () => {
  const about = { name: "second", purpose: "blocklist", description: "" } as const;
  const { ruleset } = await write({ kind: "create-ruleset", ...by(), ...about });
  const { id } = await deployed({ include: [{ prefixes: ["192.0.2.0/24"] }, { ruleset: ruleset.id }] });
  const { key } = await newBouncer(id);
  const { text: apiKey } = await addKey(t, organisationId, "read");
  const items = [{ name: "dropped", value: 3, unit: "packet", labels: { origin: `lists:deployment/${id}` } }];
  const body = { remediation_components: [{ metrics: [{ items }] }] };
  assert.equal((await ask(t, "POST", "/v1/usage-metrics", { key, body })).status, 201);
  const { body: blocked } = await ask(t, "GET", `/v1/edl/deployments/${id}/blocked/`, { key: apiKey });
  assert.deepEqual(blocked.items, [
    { source: "deployment", ruleset_id: null, prefix: null, unit: "packet", amount: 3 },
  ]);
});

test("in an emergency, an exclude of everything empties the list, if it may be empty", async () => {
  const { id, definition } = await deployed();
  const exclude = [{ prefixes: ["0.0.0.0/0", "::/0"] }];
  const update = (change: Partial<DeploymentDefinition>) =>
    write({ kind: "update-deployment", ...by(), deploymentId: id, definition: change });
  const about = () => t.server.services.memory.deploymentById(id)!;
  await update({ exclude });
  await until("the empty list is refused", () => about().refused !== null);
  assert.equal(about().published!.entries[4], 2, "the previous one stays");
  await update({ options: { ...definition.options, allow_empty: true } });
  await until("the empty list is published", () => about().published!.entries[4] === 0);
});

test("hosts only: ranges are sent as single addresses, and wide ranges are left out", async () => {
  const { id } = await deployed({
    include: [{ prefixes: ["192.0.2.8/31", "10.0.0.0/23", "2001:db8::1", "2001:db8:1::/64"] }],
  });
  const { key } = await newBouncer(id, true);
  const { new: got } = await pull(key, START_UP);
  assert.deepEqual(Object.keys(got!), ["192.0.2.8", "192.0.2.9", "2001:db8::1"]);
  await include(id, ["192.0.2.8"]);
  assert.deepEqual(await pull(key), { new: null, deleted: { "192.0.2.9": "-1s", "2001:db8::1": "-1s" } });
});

test("hosts only: a wider rule, or one beside it, removes no address that was sent", async () => {
  const { id } = await deployed({ include: [{ prefixes: ["192.0.2.8/31"] }] });
  const { key } = await newBouncer(id, true);
  assert.deepEqual(Object.keys((await pull(key, START_UP)).new!), ["192.0.2.8", "192.0.2.9"]);
  await include(id, ["192.0.2.8/31", "192.0.0.0/16"]);
  assert.deepEqual(await pull(key), { new: null, deleted: null });
  await include(id, ["192.0.2.8/31", "10.0.0.0/24", "10.0.1.0/24"]);
  const { new: got, deleted } = await pull(key);
  assert.deepEqual([Object.keys(got!).length, deleted], [512, null]);
});

test("hosts only is what a bouncer needs that compares clients with values as text; asked for a client, all ranges count", async () => {
  const ranges = ["192.0.2.0/28", "198.51.100.128/25", "203.0.113.9", "2001:db8::/120"];
  const { id } = await deployed({ include: [{ prefixes: ranges }] });
  const listed = AddressSet.of(ranges.map((each) => parsePrefix(each)));
  const clients = ["192.0.2", "198.51.100", "203.0.113"]
    .flatMap((start) => Array.from({ length: 256 }, (_, host) => `${start}.${host}`))
    .concat(Array.from({ length: 300 }, (_, host) => formatPrefix(parsePrefix(`2001:db8::${host.toString(16)}`))));
  const expected = clients.filter((client) => listed.has(parsePrefix(client)));
  assert.equal(expected.length, 16 + 128 + 1 + 256);
  const blockedWith = async (hostsOnly: boolean): Promise<string[]> => {
    const { new: values } = await pull((await newBouncer(id, hostsOnly)).key, START_UP);
    return clients.filter((client) => Object.hasOwn(values!, client));
  };
  assert.deepEqual(await blockedWith(true), expected);
  assert.deepEqual(await blockedWith(false), ["203.0.113.9"], "as CrowdSec's plugin for Traefik in stream mode");
  const { key } = await newBouncer(id);
  for (const client of clients.filter((_, at) => at % 37 === 0)) {
    const { body } = await ask(t, "GET", `/v1/decisions?ip=${client}`, { key });
    assert.equal(body !== null, listed.has(parsePrefix(client)), `${client}, in live mode`);
  }
});

const stateOf = (key: string) =>
  t.server.store.read("bouncerState", t.server.services.access.credentials.find("bouncer", key)!.id);

function rawGet(path: string, headers: Record<string, string>) {
  return new Promise<{ headers: Record<string, unknown>; body: Buffer }>((resolve, reject) => {
    httpRequest(t.server.url + path, { headers }, (answer) => {
      const parts: Buffer[] = [];
      answer.on("data", (part: Buffer) => parts.push(part));
      answer.on("end", () => resolve({ headers: answer.headers, body: Buffer.concat(parts) }));
    })
      .on("error", reject)
      .end();
  });
}

/** A client that disconnects after the first bytes of a response that is longer than all buffers on its way. */
function brokenOff(path: string, key: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const asked = httpRequest(t.server.url + path, { headers: { "X-Api-Key": key } }, (answer) => {
      answer.once("data", () => {
        answer.destroy();
        resolve();
      });
    });
    asked.on("error", reject).end();
  });
}
