/** The clock is set back by a day while the server runs: nothing that waits for a time waits longer because of it. */
import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { until } from "../until.ts";
import { addUser, visit } from "./dashboard/browser.ts";
import { FollowedChanges } from "./harness/followed-changes.ts";
import { WebhookReceiver } from "./harness/webhook-receiver.ts";
import { addKey, addOrganisation, type Answer, ask, startServer, type TestServer } from "./start-server.ts";

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];
const LISTS = "/v1/edl/lists/";
const RULESETS = "/v1/edl/ip-rulesets/";

let t: TestServer;
let receiver: WebhookReceiver;
let publisher: Server;
let key = "";
let organisationId = "";
/** How often the external list has been requested. */
let fetches = 0;

before(async () => {
  t = await startServer({ outboundAllow: "127.0.0.0/8", perMinute: 1e6, signInsPerMinute: 1e6 });
  receiver = await WebhookReceiver.start();
  publisher = createServer((_, response) => void response.end(`192.0.2.${++fetches}\n`));
  await new Promise<void>((resolve) => void publisher.listen(0, "127.0.0.1", resolve));
  organisationId = await addOrganisation(t, "clocks");
  key = (await addKey(t, organisationId)).text;
});
after(async () => {
  await t.close();
  await receiver.close();
  publisher.close();
});

async function send(method: string, path: string, body?: unknown): Promise<Answer> {
  const answer = await ask(t, method, path, { key, body });
  assert.ok(answer.status < 300, answer.text);
  return answer;
}

const newRuleset = async (): Promise<string> =>
  (await send("POST", RULESETS, { name: "blocked", purpose: "blocklist" })).body.id;
const addRule = (id: string, ip: string, expiresAt?: number) =>
  send("POST", `${RULESETS}${id}/rules`, {
    ip,
    ...(expiresAt !== undefined && { expires_at: new Date(expiresAt).toISOString() }),
  });

test("a failed webhook message is sent again, and the endpoint does not fail forever", async () => {
  const admin = await addUser(t, organisationId, "admin");
  const call = (method: string, path: string, body?: unknown) =>
    visit(t, method, path, { token: admin.token, ...(body === undefined ? {} : { body }) });
  const made = await call("POST", "/webhooks", { url: `${receiver.url}/late`, kinds: ["rule.created"] });
  const { id } = made.body.webhook;
  const health = async () => (await call("GET", `/webhooks/${id}`)).body.health;
  receiver.respond = (response) => void response.writeHead(500).end();
  await addRule(await newRuleset(), "203.0.113.1");
  await until("it has failed", async () => (await health()).failed_attempts === 1);
  t.clock.now -= DAY;
  await until("it is sent again at once", async () => (await health()).failed_attempts === 2);
  assert.ok(Date.parse((await health()).next_attempt_at) <= t.clock.now + 2 * MINUTE, "the next one by the new time");
  const sent = receiver.at("/late").length;
  await new Promise((resolve) => setTimeout(resolve, 600));
  assert.equal(receiver.at("/late").length, sent, "and then not before its time");
  // Three days without success by the new time.
  t.clock.now += 3 * DAY;
  await until("it is disabled", async () => (await health()).status === "disabled");
  t.clock.now -= 3 * DAY;
  await call("DELETE", `/webhooks/${id}`);
});

test("an external list is fetched on its schedule", async () => {
  const url = `http://127.0.0.1:${(publisher.address() as AddressInfo).port}/`;
  const { id } = (await send("POST", LISTS, { name: "drop", url, schedule: "5m" })).body;
  const isGeneration = (number: number) => async () => (await send("GET", LISTS + id)).body.generation === number;
  await until("the list is fetched", isGeneration(1));
  t.clock.now -= DAY;
  await until("it is fetched again at once", isGeneration(2));
  t.clock.now += 5 * MINUTE - 1;
  await new Promise((resolve) => setTimeout(resolve, 1500));
  assert.equal(fetches, 2, "and then not before its time");
  t.clock.now++;
  await until("it is fetched on its schedule", isGeneration(3));
  await send("DELETE", LISTS + id);
});

test("the list of a deployment has the rules that are active again", async () => {
  const ruleset = await newRuleset();
  await addRule(ruleset, "192.0.2.1");
  await addRule(ruleset, "192.0.2.2", t.clock.now + HOUR);
  const definition = { firewall_format: "text", purpose: "blocklist", include: [{ ruleset }] };
  const { body } = await send("POST", "/v1/edl/deployments/", { name: "edge", ...definition });
  const served = (text: string): boolean =>
    t.server.services.publishing.lists.served(body.id)?.text[4].toString().trim() === text;
  await until("it has both", () => served("192.0.2.1\n192.0.2.2"));
  t.clock.now += HOUR;
  await until("one has expired", () => served("192.0.2.1"));
  t.clock.now -= DAY;
  await until("both are active", () => served("192.0.2.1\n192.0.2.2"));
});

test("the clock is two hours ahead for a moment: rules that are made afterwards expire at their ends, each once", async () => {
  const ruleset = await newRuleset();
  const { sequence } = (await send("GET", "/v1/changes?limit=1")).body;
  const told = async (): Promise<string[]> => {
    const { changes } = (await send("GET", `/v1/changes?after=${sequence}`)).body;
    return changes.map(({ type, rule }: any) => `${type.slice(5)} ${rule.ip.slice(8)}`);
  };
  await addRule(ruleset, "192.0.2.1", t.clock.now + MINUTE);
  t.clock.now += 2 * HOUR;
  const before = ["created 1", "expired 1"];
  await until("the first has expired", async () => (await told()).length === before.length);
  t.clock.now -= 2 * HOUR - 3000;
  await addRule(ruleset, "192.0.2.2", t.clock.now + 2 * MINUTE);
  await t.restart();
  t.clock.now += MINUTE;
  await addRule(ruleset, "192.0.2.3", t.clock.now + MINUTE);
  assert.deepEqual(await told(), [...before, "created 2", "created 3"], "not at once");
  t.clock.now += MINUTE;
  const ends = ["expired 2", "expired 3"];
  await until("they have expired", async () => (await told()).length === 6);
  assert.deepEqual((await told()).slice(4).sort(), ends);
  t.clock.now += 3 * HOUR;
  await addRule(ruleset, "192.0.2.4");
  assert.deepEqual((await told()).slice(6), ["created 4"], "and no more");
});

test("the feed of changes continues: each change once, in order, and each expiry once", async () => {
  const ruleset = await newRuleset();
  const start = (await send("GET", "/v1/changes?limit=1")).body.sequence;
  const followed = new FollowedChanges(ruleset, start);
  const follow = async (): Promise<void> => {
    for (;;) {
      const { changes } = (await send("GET", `/v1/changes?after=${followed.sequence}&limit=3`)).body;
      for (const change of changes) followed.apply(change);
      if (changes.length === 0) return;
    }
  };
  await addRule(ruleset, "198.51.100.1", t.clock.now + MINUTE);
  t.clock.now += HOUR;
  await until("the first has expired", async () => (await follow(), followed.expiries === 1));
  t.clock.now -= DAY;
  await addRule(ruleset, "198.51.100.2", t.clock.now + MINUTE);
  await addRule(ruleset, "198.51.100.3");
  await addRule(ruleset, "198.51.100.4", t.clock.now + 2 * DAY);
  t.clock.now += HOUR;
  await new Promise((resolve) => setTimeout(resolve, 700));
  await follow();
  assert.equal(followed.expiries, 2, "of the first and the second, each once");
  t.clock.now += 3 * DAY;
  await until("the last one has expired", async () => (await follow(), followed.expiries === 3));
  const { items } = (await send("GET", `${RULESETS}${ruleset}/rules?active_only=false`)).body;
  const rules = items.map(({ ip, expires_at: expiry }: Record<string, string>) => `${ip} ${expiry}`).sort();
  assert.deepEqual(followed.rulesAt(new Date(t.clock.now).toISOString()), rules);
});
