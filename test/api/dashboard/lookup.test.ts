import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { addKey, addOrganisation, ask, BUNDLED, startServer, type TestServer } from "../start-server.ts";
import { addUser, type TestUser, visit } from "./browser.ts";

const THREATS = fileURLToPath(new URL("../../../data/cti-sample.ipsieve", import.meta.url));
const DAY = 86_400_000;

let t: TestServer;
let viewer: TestUser;
let key = "";
before(async () => {
  t = await startServer({}, BUNDLED, THREATS);
  const organisation = await addOrganisation(t, "lookups");
  viewer = await addUser(t, organisation, "viewer");
  key = (await addKey(t, organisation)).text;
});
after(() => t.close());

const lookUp = (ip: string, who = viewer) =>
  visit(t, "GET", `/lookup?ip=${encodeURIComponent(ip)}`, { token: who.token });

test("one response has the results of the public lookups, and the deciding rule of each ruleset", async () => {
  const [allow, block] = (await ask(t, "GET", "/v1/edl/ip-rulesets/", { key })).body.items;
  const at = (days: number) => new Date(t.clock.now + days * DAY).toISOString();
  const rules = [
    { ip: "1.0.0.0/8", name: "wide" },
    { ip: "1.1.0.0/16", expires_at: at(3) },
    { ip: "1.1.1.1", expires_at: at(-1) },
    { ip: "9.0.0.0/8" },
  ];
  assert.equal((await ask(t, "PUT", `/v1/edl/ip-rulesets/${block.id}/rules`, { key, body: { rules } })).status, 200);

  const { status, body } = await lookUp("1.1.1.1");
  assert.equal(status, 200);
  assert.deepEqual(body.cbs, (await ask(t, "GET", "/v1/cbs/lookup?ip=1.1.1.1", { key })).body);
  assert.equal(body.cbs.found, true);
  assert.deepEqual(body.cti, (await ask(t, "GET", "/v1/cti/extended_lookup/1.1.1.1", { key })).body);
  assert.deepEqual(body.rulesets[0], {
    id: allow.id,
    name: allow.name,
    purpose: "allowlist",
    rule: null,
    covering: [],
  });
  assert.deepEqual(
    body.rulesets[1].covering.map((rule: any) => [rule.ip, rule.state]),
    [
      ["1.1.1.1", "expired"],
      ["1.1.0.0/16", "expiring"],
      ["1.0.0.0/8", "active"],
    ],
  );
  assert.deepEqual(body.rulesets[1].rule, body.rulesets[1].covering[1]);
  assert.equal(body.decision, "block");
  assert.deepEqual(
    (await lookUp("1.0.0.0/12")).body.rulesets[1].covering.map((rule: any) => rule.name),
    ["wide"],
  );
  assert.equal((await lookUp("8.0.0.0/7")).body.rulesets[1].rule, null);
});

test("allow before block, whichever rule is more specific; an expired rule allows nothing", async () => {
  const [allow] = (await ask(t, "GET", "/v1/edl/ip-rulesets/", { key })).body.items;
  const decisionOf = async (ip: string) => (await lookUp(ip)).body.decision;
  const allowing = (rules: object[]) =>
    ask(t, "PUT", `/v1/edl/ip-rulesets/${allow.id}/rules`, { key, body: { rules } });
  await allowing([
    { ip: "1.0.0.0/12" },
    { ip: "1.1.1.1" },
    { ip: "9.9.9.9", expires_at: new Date(t.clock.now - 1).toISOString() },
  ]);
  assert.deepEqual(
    [
      await decisionOf("1.1.1.1"),
      await decisionOf("1.1.0.0/16"),
      await decisionOf("1.128.0.0"),
      await decisionOf("9.9.9.9"),
      await decisionOf("5.5.5.5"),
    ],
    ["allow", "allow", "block", "block", "none"],
  );
  await ask(t, "DELETE", `/v1/edl/ip-rulesets/${allow.id}`, { key });
});

test("a seen address, as an address and as its prefix", async () => {
  const seen = (
    await ask(t, "POST", "/v1/cti/bulk_lookup", { key, body: { ips: ["203.0.113.7", "198.51.100.1", "192.0.2.1"] } })
  ).body;
  for (const [ip, { seen: isSeen }] of Object.entries<any>(seen)) {
    const { body } = await lookUp(ip);
    assert.deepEqual([body.cti.ip, body.cti.seen], [ip, isSeen]);
    assert.deepEqual((await lookUp(`${ip}/32`)).body.cti, { ...body.cti, ip: `${ip}/32` });
  }
});

test("without a plan an area is empty; without a dataset, so is threat intelligence", async () => {
  const poor = await addUser(t, await addOrganisation(t, "poor", ["cti"]), "viewer");
  const { body } = await lookUp("1.1.1.1", poor);
  assert.deepEqual([body.cbs, body.rulesets, body.cti.ip], [null, [], "1.1.1.1"]);
  const bare = await startServer();
  try {
    const user = await addUser(bare, await addOrganisation(bare, "bare"), "viewer");
    const answer = await visit(bare, "GET", "/lookup?ip=1.1.1.1", { token: user.token });
    assert.deepEqual([answer.body.cti, answer.body.cbs.found, answer.body.rulesets.length], [null, true, 2]);
  } finally {
    await bare.close();
  }
});

test("a malformed address is rejected by the name of its field; lookups need a session", async () => {
  for (const query of ["", "ip=", "ip=hello", "ip=10.0.0.1/8", "ip=1.1.1.1&ip=1.1.1.1", `ip=${"1".repeat(101)}`]) {
    const { status, body } = await visit(t, "GET", `/lookup?${query}`, { token: viewer.token });
    assert.deepEqual([status, Object.keys(body.validation_errors ?? {})], [400, ["ip"]], query);
  }
  assert.equal((await visit(t, "GET", "/lookup?ip=1.1.1.1")).status, 401);
  assert.equal((await visit(t, "GET", "/lookup?ip=1.1.1.1", { key })).status, 401);
});
