/** What needs attention: each kind is found when it is so, not before, and by nobody else. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { until } from "../until.ts";
import { makeApiKey } from "../../src/store/records/api-key.ts";
import { addKey, addOrganisation, ask, BUNDLED, startServer, type TestServer } from "./start-server.ts";

const DEPLOYMENTS = "/v1/edl/deployments/";
const RULESETS = "/v1/edl/ip-rulesets/";
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

let t: TestServer;
before(async () => void (t = await startServer({ rulesPerRuleset: 10 })));
after(() => t.close());

interface Caller {
  readonly key: string;
  readonly organisationId: string;
}
const unlimited = { until: null, perMinute: null, perMonth: null };
let serial = 0;
const anOrganisation = async (): Promise<Caller> => {
  const organisationId = await addOrganisation(t, `status ${++serial}`);
  return { organisationId, key: (await addKey(t, organisationId)).text };
};
const send = async (caller: Caller, method: string, path: string, body?: object): Promise<any> => {
  const answer = await ask(t, method, path, { key: caller.key, ...(body && { body }) });
  assert.ok(answer.status < 300, answer.text);
  return answer.body;
};
const status = (caller: Caller): Promise<any> => send(caller, "GET", "/v1/status");
const codes = async (caller: Caller): Promise<string[]> =>
  (await status(caller)).findings.map(({ severity, code }: any) => `${severity} ${code}`);
const signed = ({ organisationId }: Caller) => ({ actor: "command:test", at: t.clock.now, organisationId });
const deploy = async (caller: Caller, body: object): Promise<string> =>
  (await send(caller, "POST", DEPLOYMENTS, { name: "Edge", ...body })).id;
const becomes = (caller: Caller, id: string, state: string): Promise<void> =>
  until(`the deployment is ${state}`, async () => (await send(caller, "GET", DEPLOYMENTS + id)).status === state);

test("nothing needs attention where nothing is wrong, and the response says what was looked at", async () => {
  const caller = await anOrganisation();
  const { state, findings, looked_at, hours, days } = await status(caller);
  assert.deepEqual([state, findings, days], ["ok", [], []]);
  assert.deepEqual(looked_at, { deployments: 0, lists: 0, rulesets: 2, keys: 1, webhooks: 0, datasets: 1 });
  assert.equal(hours.length, 24);
  assert.ok(hours.at(-1).changes > 0);
});

test("deployments: refused, not fetched, answered with errors, and blocking what they should not", async () => {
  const caller = await anOrganisation();
  const id = await deploy(caller, {
    include: [{ prefixes: ["20.9.0.0/24", "20.9.2.0/24"] }],
    options: { max_entries: 1 },
  });
  await becomes(caller, id, "refused");
  const [refused, ...others] = (await status(caller)).findings;
  assert.deepEqual(others, []);
  assert.deepEqual(refused.about, { type: "deployment", id, name: "Edge" });
  assert.match(refused.message, /^was refused: the list has 2 entries, more than the 1 allowed; devices have no list$/);
  assert.equal(refused.command, `ipsieve deployment show ${id}`);
  assert.equal((await status(caller)).state, "critical");

  const { urls } = await send(caller, "GET", `${DEPLOYMENTS}${id}/urls/`);
  assert.equal((await fetch(urls.combined[0])).status, 503);
  assert.deepEqual(await codes(caller), ["critical feed-errors", "critical deployment-refused"]);
  await send(caller, "PATCH", DEPLOYMENTS + id, { options: { max_entries: null } });
  await becomes(caller, id, "ok");
  t.clock.now += 1000;
  assert.equal((await fetch(urls.combined[0])).status, 200);
  // It is no longer so, and may be again.
  assert.deepEqual(await codes(caller), ["warning feed-errors"]);
  assert.match((await status(caller)).findings[0].message, /: 1 request in the last day, the last with status 503$/);
  assert.equal((await status(caller)).days.at(-1).pulls, 2);
  // The counts are the same once the requests are recorded.
  await until("they are recorded", async () => (await t.server.store.read("pulls", id)).pulls.length === 2);
  assert.equal((await status(caller)).days.at(-1).pulls, 2);
  assert.match((await status(caller)).findings[0].message, /: 1 request in/);
  t.clock.now += DAY;
  assert.deepEqual(await codes(caller), ["warning deployment-not-pulled"]);
  // Nobody waits for what is switched off.
  await send(caller, "PATCH", DEPLOYMENTS + id, { active: false });
  assert.deepEqual(await codes(caller), []);
});

test("a blocklist that blocks your own networks, unless its guard deals with it", async () => {
  const caller = await anOrganisation();
  const { items } = await send(caller, "GET", `${RULESETS}?purpose=allowlist`);
  await send(caller, "POST", `${RULESETS}${items[0].id}/rules`, { ip: "20.9.0.1" });
  const id = await deploy(caller, { include: [{ prefixes: ["20.9.0.0/24"] }], guard: "warn" });
  await becomes(caller, id, "ok");
  assert.deepEqual(await codes(caller), ["critical blocks-protected"]);
  assert.match((await status(caller)).findings[0].message, /^blocks 1 address that the allowlist "[^"]+" allows$/);
  for (const guard of ["off", "carve"]) {
    await send(caller, "PATCH", DEPLOYMENTS + id, { guard });
    assert.deepEqual(await codes(caller), [], guard);
  }
  await send(caller, "PATCH", DEPLOYMENTS + id, { guard: "warn", exclude: [{ prefixes: ["20.9.0.1"] }] });
  assert.deepEqual(await codes(caller), []);
});

test("rules that expire within a day are a notice; a ruleset that is nearly full, a warning", async () => {
  const caller = await anOrganisation();
  const { items } = await send(caller, "GET", `${RULESETS}?purpose=blocklist`);
  const add = (ip: string, hours?: number) =>
    send(caller, "POST", `${RULESETS}${items[0].id}/rules`, {
      ip,
      ...(hours !== undefined && { expires_at: new Date(t.clock.now + hours * HOUR).toISOString() }),
    });
  await add("20.9.0.0/24", 25);
  assert.deepEqual(await codes(caller), []);
  await add("20.9.1.0/24", 23);
  const { state, findings } = await status(caller);
  assert.deepEqual([state, findings.length], ["ok", 1]);
  assert.match(findings[0].message, /^has 1 rule that expires within a day; what it blocks is then free$/);
  for (let rule = 0; rule < 7; rule++) await add(`20.10.${rule}.0/24`);
  assert.deepEqual(await codes(caller), ["warning limit-reached", "notice rules-expire"]);
  await add("20.11.0.0/24");
  assert.deepEqual(await codes(caller), ["critical limit-reached", "notice rules-expire"]);
});

test("keys that end or are used up, plans that end, endpoints and lists that fail", async () => {
  const caller = await anOrganisation();
  await t.server.store.write({
    kind: "set-plan",
    ...signed(caller),
    area: "cti",
    active: true,
    ...unlimited,
    until: t.clock.now + DAY,
  });
  assert.deepEqual(await codes(caller), ["warning plan-ends"]);
  t.clock.now += DAY;
  assert.deepEqual(await codes(caller), ["critical plan-ended"]);
  const definition = {
    url: "https://hooks.invalid/secret",
    description: "",
    kinds: ["rule.created"],
    active: true,
  } as const;
  const { webhook } = await t.server.store.write({
    kind: "create-webhook",
    ...signed(caller),
    definition,
    secret: t.server.services.access.secretKey.seal(`webhooks ${caller.organisationId}`, "webhooks", "c2VjcmV0"),
  });
  await t.server.store.write({
    kind: "stop-webhook",
    ...signed(caller),
    webhookId: webhook.id,
    reason: "gone",
    seen: webhook.updatedAt,
  });
  assert.deepEqual(await codes(caller), ["critical webhook-disabled", "critical plan-ended"]);
  assert.deepEqual((await status(caller)).findings[0].about.name, "hooks.invalid");
  await send(caller, "POST", "/v1/edl/lists/", { name: "Feed", url: "https://lists.invalid/drop.txt" });
  await until("it was fetched", async () => (await codes(caller)).includes("warning list-failed"));
  const { digest, start } = makeApiKey();
  const ending = { label: "monitor", access: "read", digest, start, expiresAt: t.clock.now + DAY } as const;
  await t.server.store.write({ kind: "create-credential", credential: "api", ...signed(caller), ...ending });
  assert.ok((await codes(caller)).includes("warning key-expires"));
  await t.server.store.write({
    kind: "set-plan",
    ...signed(caller),
    area: "edl",
    active: true,
    ...unlimited,
    perMonth: 100,
  });
  const left = async (): Promise<string> => /has (\d+) requests/.exec(JSON.stringify(await status(caller)))?.[1] ?? "";
  while ((await left()) === "") await ask(t, "GET", RULESETS, { key: caller.key });
  assert.ok(Number(await left()) <= 10);
});

test("old data is a warning, except what only a release of the package renews", async () => {
  const other = await startServer({}, BUNDLED);
  try {
    const { text: key } = await addKey(other, await addOrganisation(other, "data"));
    const found = async (): Promise<[string, string[]]> => {
      const { body } = await ask(other, "GET", "/v1/status", { key });
      return [body.state, body.findings.map(({ severity, message }: any) => `${severity} ${message.split(";")[0]}`)];
    };
    assert.deepEqual(await found(), ["ok", ["notice is old: its AS numbers are 156 days old"]]);
    other.clock.now += 30 * DAY;
    const [state, messages] = await found();
    assert.equal(state, "warning");
    assert.match(messages[0]!, /^warning is old: its official lists are \d+ days old$/);
  } finally {
    await other.close();
  }
});
