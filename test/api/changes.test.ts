/** The change feed, over HTTP. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { addKey, addOrganisation, type Answer, ask, START, startServer, type TestServer } from "./start-server.ts";
import { until } from "../until.ts";

const RULESETS = "/v1/edl/ip-rulesets";
const SECOND = 1000;
const DAY = 86_400 * SECOND;
let t: TestServer;
let key: string;
let other: string;
before(async () => {
  t = await startServer({ perMinute: 1e9, eventsPerOrganisation: 1000 });
  key = (await addKey(t, await addOrganisation(t, "changes"))).text;
  other = (await addKey(t, await addOrganisation(t, "other"))).text;
});
after(() => t.close());

const send = (method: string, path: string, body?: unknown, by = key): Promise<Answer> =>
  ask(t, method, path, { key: by, body });

async function makeRuleset(by = key): Promise<string> {
  const { status, body } = await send("POST", `${RULESETS}/`, { name: "r", purpose: "blocklist" }, by);
  assert.equal(status, 201);
  return body.id;
}

async function lastSequence(by = key): Promise<number> {
  return (await send("GET", "/v1/changes?limit=1", undefined, by)).body.sequence;
}

const changesAfter = async (sequence: number) => (await send("GET", `/v1/changes?after=${sequence}`)).body.changes;

test("a rule is created, updated, expires without a write, and is deleted with its ruleset", async () => {
  const id = await makeRuleset();
  const start = await lastSequence();
  const ip = "192.0.2.0/24";
  const expires = new Date(START + 60 * SECOND).toISOString();
  await send("POST", `${RULESETS}/${id}/rules`, { ip, name: "a", expires_at: expires });
  await send("PUT", `${RULESETS}/${id}/rules/rule?ip=${ip}`, { name: "b" });
  await send("PUT", `${RULESETS}/${id}/rules/rule?ip=${ip}`, { name: "b" });
  t.clock.now = START + 61 * SECOND;
  await until("the expiry is in the feed", async () => (await lastSequence()) === start + 3);
  await send("DELETE", `${RULESETS}/${id}`);
  const at = (time: number) => new Date(time).toISOString();
  const rule = { ip, expires_at: expires, created_at: at(START), updated_at: at(START) };
  assert.deepEqual(await changesAfter(start), [
    { sequence: start + 1, at: at(START), type: "rule.created", ruleset_id: id, rule: { ...rule, name: "a" } },
    { sequence: start + 2, at: at(START), type: "rule.updated", ruleset_id: id, rule: { ...rule, name: "b" } },
    { sequence: start + 3, at: expires, type: "rule.expired", ruleset_id: id, rule: { ...rule, name: "b" } },
    {
      sequence: start + 4,
      at: at(START + 61 * SECOND),
      type: "ruleset.deleted",
      ruleset_id: id,
      ruleset: { name: "r", purpose: "blocklist", description: "" },
    },
  ]);
});

test("pages have all changes, each once; the line form has the same", async () => {
  const id = await makeRuleset();
  const start = await lastSequence();
  const items = Array.from({ length: 500 }, (_, n) => ({ ip: `198.18.${n >> 8}.${n & 255}`, name: `"${n}` }));
  assert.equal((await send("PUT", `${RULESETS}/${id}/rules`, { rules: items })).status, 200);
  const paged: object[] = [];
  for (let next = start; ;) {
    const { feed, sequence, next_after, changes } = (await send("GET", `/v1/changes?after=${next}&limit=97`)).body;
    assert.equal(changes.length, next_after - next);
    paged.push(...changes);
    assert.equal((await send("GET", `/v1/changes?after=${next}&limit=1&feed=${feed}`)).status, 200);
    next = next_after;
    if (next === sequence) break;
  }
  assert.deepEqual(
    paged.map((change) => (change as { rule: { ip: string } }).rule.ip),
    items.map(({ ip }) => ip),
  );
  const response = await fetch(`${t.server.url}/v1/changes?after=${start}`, {
    headers: { "X-API-Key": key, Accept: "application/x-ndjson" },
  });
  const lines = (await response.text()).split("\n");
  assert.equal(lines.pop(), "");
  assert.deepEqual(
    lines.map((line) => JSON.parse(line)),
    paged,
  );
});

test("a number beyond the last change, of another feed, or no longer kept: 410 says where to continue", async () => {
  const start = await lastSequence();
  const { body, status } = await send("GET", `/v1/changes?after=${start + 1}`);
  assert.deepEqual([status, body.type, body.sequence], [410, "/problems/gone", start]);
  assert.match(body.detail, /from another database/);
  const foreign = await send("GET", `/v1/changes?after=${start}&feed=0123`);
  assert.deepEqual([foreign.status, foreign.body.feed], [410, body.feed]);
  const id = await makeRuleset();
  for (let round = 0; round < 3; round++) {
    const rules = Array.from({ length: 1000 }, (_, n) => ({ ip: `198.${18 + (round & 1)}.${n >> 8}.${n & 255}` }));
    await send("PUT", `${RULESETS}/${id}/rules?allow_empty=true&max_shrink=100`, { rules });
  }
  const gone = await send("GET", `/v1/changes?after=${start}`);
  assert.deepEqual([gone.status, gone.body.sequence], [410, await latest()]);
  assert.match(gone.body.detail, /changes are kept from \d+ on/);

  async function latest(): Promise<number> {
    return (await send("GET", `/v1/changes?after=${gone.body.sequence}`)).body.sequence;
  }
});

test("a snapshot has all rules and the number to follow the changes from", async () => {
  const id = await makeRuleset();
  await send("POST", `${RULESETS}/${id}/rules`, { ip: "192.0.2.1", name: "a" });
  await send("POST", `${RULESETS}/${id}/rules`, { ip: "192.0.2.2" });
  const { text } = await send("GET", `/v1/snapshot?ruleset_id=${id}`);
  const [start, ruleset, first, second, end, rest] = text
    .split("\n")
    .map((line) => (line === "" ? null : JSON.parse(line)));
  assert.deepEqual([start.sequence, Object.keys(start)], [await lastSequence(), ["feed", "sequence"]]);
  assert.deepEqual(ruleset, { ruleset: { id, name: "r", purpose: "blocklist", description: "" } });
  assert.deepEqual(
    [first.ruleset_id, first.rule.ip, first.rule.name, second.rule.ip],
    [id, "192.0.2.1", "a", "192.0.2.2"],
  );
  assert.deepEqual([end, rest], [{ rules: 2 }, null]);
  assert.equal((await send("GET", `/v1/snapshot?ruleset_id=${id}`, undefined, other)).status, 400);
  const all = (await send("GET", "/v1/snapshot")).text.trimEnd().split("\n");
  assert.equal(JSON.parse(all.at(-1)!).rules, all.filter((line) => line.startsWith('{"ruleset_id"')).length);
});

test("another organisation sees none of the changes", async () => {
  const before = await lastSequence(other);
  const id = await makeRuleset();
  await send("POST", `${RULESETS}/${id}/rules`, { ip: "192.0.2.77" });
  assert.equal(await lastSequence(other), before);
  const { changes } = (await send("GET", "/v1/changes", undefined, other)).body;
  assert.ok(!JSON.stringify(changes).includes(id));
});

test("a server announces that a key expires soon and that a list is no longer requested", async () => {
  const id = await addOrganisation(t, "announced");
  const owner = (await addKey(t, id, "read_write")).text;
  const ending = (await addKey(t, id, "read", t.clock.now + 8 * DAY)).id;
  const definition = { name: "Edge", firewall_format: "text", include: [{ prefixes: ["192.0.2.0/24"] }] };
  const deployment = (await send("POST", "/v1/edl/deployments/", definition, owner)).body;
  const found = async () => {
    const { changes } = (await send("GET", "/v1/changes", undefined, owner)).body;
    return changes.filter(({ type }: { type: string }) => type === "key.expiring" || type === "deployment.not_pulled");
  };
  assert.deepEqual(await found(), []);
  t.clock.now += 7 * DAY;
  const at = new Date(t.clock.now).toISOString();
  for (let start = 0; start < 2; start++) {
    await t.restart();
    await until("both are announced", async () => (await found()).length >= 2);
  }
  const [key, silence, ...more] = await found();
  assert.deepEqual([key.type, key.at, key.key.id, more.length], ["key.expiring", at, ending, 0]);
  assert.deepEqual(
    [silence.type, silence.at, silence.deployment, silence.last_accessed],
    ["deployment.not_pulled", at, { id: deployment.id, name: "Edge" }, null],
  );
});
