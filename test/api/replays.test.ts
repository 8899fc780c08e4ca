/** The effect of rules on uploaded logs, compared with a linear count. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { addKey, addOrganisation, ask, BUNDLED, startServer, type TestServer } from "./start-server.ts";

let t: TestServer;
let key = "";
let other = "";
let log = "";
let ruleset = "";
const LINES = ["203.0.113.7 a", "203.0.113.7 b", "203.0.113.9 c", "1.1.1.1 d", "nobody", "2001:db8::1 e", "8.8.8.8 f"];

before(async () => {
  t = await startServer({}, BUNDLED);
  const organisation = await addOrganisation(t, "replays");
  key = (await addKey(t, organisation)).text;
  other = (await addKey(t, await addOrganisation(t, "others"))).text;
  const made = await ask(t, "POST", "/v1/edl/ip-rulesets/", { key, body: { name: "drafts", purpose: "blocklist" } });
  ruleset = made.body.id;
  for (const rule of [
    { ip: "203.0.113.0/24", name: "net" },
    { ip: "203.0.113.9" },
    { ip: "2001:db8::/32" },
    { ip: "192.0.2.0/24", name: "never" },
  ])
    await ask(t, "POST", `/v1/edl/ip-rulesets/${ruleset}/rules`, { key, body: rule });
  const body = `${LINES.join("\n")}\n`;
  const sent = await fetch(`${t.server.url}/v1/identifications?name=log`, {
    method: "POST",
    headers: { "X-API-Key": key, "Content-Type": "text/plain" },
    body,
  });
  log = ((await sent.json()) as { id: string }).id;
});
after(() => t.close());

const replay = (body: object, asker = key) =>
  ask(t, "POST", "/v1/replays", { key: asker, body: { identification: log, ...body } });

test("a ruleset's hits by rule, what it never hits, addresses and services", async () => {
  const { status, body } = await replay({ rules: { ruleset } });
  assert.equal(status, 200);
  assert.deepEqual(body.log, { lines: 7, with_address: 6, lines_missing: 0 });
  assert.deepEqual(body.hit, { lines: 4, addresses: 3 });
  assert.deepEqual(body.rules, { hit: 3, unused: 1 });
  assert.deepEqual(body.top_rules, [
    { ip: "203.0.113.0/24", name: "net", lines: 2, addresses: 1 },
    { ip: "203.0.113.9", name: null, lines: 1, addresses: 1 },
    { ip: "2001:db8::/32", name: null, lines: 1, addresses: 1 },
  ]);
  assert.deepEqual(body.unused_rules, [{ ip: "192.0.2.0/24", name: "never" }]);
  assert.deepEqual(body.top_addresses, [
    { ip: "203.0.113.7", lines: 2 },
    { ip: "203.0.113.9", lines: 1 },
    { ip: "2001:db8::1", lines: 1 },
  ]);
  assert.deepEqual([body.services, body.difference], [[], null]);
  assert.deepEqual((await ask(t, "GET", `/v1/replays/${body.id}`, { key })).body, body);
  assert.equal((await ask(t, "GET", `/v1/replays/${body.id}`, { key: other })).status, 404);
});

test("a draft and a service against a ruleset: the hits of only one of the two", async () => {
  const draft = await replay({ rules: { prefixes: ["203.0.113.7", "8.8.8.0/24"] }, against: { ruleset }, top: 1 });
  assert.deepEqual(draft.body.difference, {
    only_rules: { lines: 1, addresses: 1 },
    only_against: { lines: 2, addresses: 2 },
  });
  assert.deepEqual([draft.body.top_rules.length, draft.body.top_addresses.length], [1, 1]);
  assert.deepEqual(draft.body.rules, { hit: 2, unused: 0 });
  const service = await replay({ rules: { cbs: "/cdn/cloudflare" }, top: 1000 });
  assert.equal(service.status, 200);
  assert.deepEqual(service.body.hit, { lines: 1, addresses: 1 });
  const resolver = await replay({ rules: { prefixes: ["1.1.1.1"] } });
  const known = await ask(t, "GET", "/v1/cbs/lookup?ip=1.1.1.1", { key });
  assert.ok(known.body.cbs_ids.length > 0);
  assert.deepEqual(resolver.body.services.map(({ cbs_id: id }: any) => id).sort(), [...known.body.cbs_ids].sort());
});

test("logs of other organisations and deleted logs are not found; bad sources are named", async () => {
  assert.equal((await replay({ rules: { prefixes: ["192.0.2.1"] } }, other)).status, 404);
  const bad = await replay({ rules: { prefixes: ["192.0.2.1/24"] } });
  assert.deepEqual([bad.status, Object.keys(bad.body.validation_errors)], [400, ["rules.prefixes[0]"]]);
  const unknown = await replay({ rules: { prefixes: ["192.0.2.1"] }, against: { cbs: "/cdn/no-such-node" } });
  assert.deepEqual([unknown.status, Object.keys(unknown.body.validation_errors)], [400, ["against"]]);
  assert.equal((await ask(t, "GET", `/v1/replays/${log}`, { key })).status, 404);
  assert.equal((await ask(t, "DELETE", `/v1/identifications/${log}`, { key })).status, 204);
  assert.equal((await replay({ rules: { ruleset } })).status, 404);
});
