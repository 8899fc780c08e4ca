import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { after, before, beforeEach, test } from "node:test";
import { Webhook as Receiver } from "standardwebhooks";
import { Random } from "../../../bench/data/random.ts";
import { parsePrefix } from "../../../src/address/prefix.ts";
import type { Received } from "../harness/webhook-receiver.ts";
import { WebhookReceiver } from "../harness/webhook-receiver.ts";
import { onlyLong, rounds } from "../../rounds.ts";
import { until } from "../../until.ts";
import { addKey, addOrganisation, type Answer, ask, startServer, type TestServer } from "../start-server.ts";
import { addUser, type TestUser, visit } from "./browser.ts";

const HOUR = 3_600_000;

let t: TestServer;
let receiver: WebhookReceiver;
let admin: TestUser;
let organisationId = "";
let rulesetId = "";
let serial = 0;

before(async () => {
  t = await startServer({ outboundAllow: "127.0.0.0/8", signInsPerMinute: 1_000_000 });
  receiver = await WebhookReceiver.start();
  organisationId = await addOrganisation(t, "webhooks");
  admin = await addUser(t, organisationId, "admin");
  const { ruleset } = await t.server.store.write({
    kind: "create-ruleset",
    ...by(),
    name: "blocked",
    purpose: "blocklist",
    description: "",
  });
  rulesetId = ruleset.id;
});
// Receivers compare the time of a message with their own clock.
beforeEach(() => void (t.clock.now = Date.now()));
after(async () => {
  await t.close();
  await receiver.close();
});

const by = () => ({ actor: `user:${admin?.id ?? "none"}`, at: t.clock.now, organisationId });
const call = (method: string, path: string, body?: unknown): Promise<Answer> =>
  visit(t, method, path, { token: admin.token, ...(body === undefined ? {} : { body }) });

interface Endpoint {
  readonly id: string;
  readonly path: string;
  readonly secret: string;
}

/** A new endpoint with a path of its own at the receiver. */
async function endpoint(
  kinds: readonly string[] = ["rule.created", "rule.updated", "rule.deleted"],
): Promise<Endpoint> {
  const path = `/hook${++serial}`;
  const { status, body, text } = await call("POST", "/webhooks", { url: receiver.url + path, kinds });
  assert.equal(status, 201, text);
  return { id: body.webhook.id, path, secret: body.secret };
}

async function addRule(ip: string, name: string | null = null): Promise<void> {
  await t.server.store.write({
    kind: "add-rule",
    ...by(),
    rulesetId,
    request: { prefix: parsePrefix(ip), name, expiresAt: null, mode: "extend" },
  });
}

const remove = (id: string) => call("DELETE", `/webhooks/${id}`);
const healthOf = async (id: string) => (await call("GET", `/webhooks/${id}`)).body.health;
const deliveriesOf = async (id: string): Promise<any[]> => (await call("GET", `/webhooks/${id}/deliveries`)).body.items;

const UNVERIFIED = { name: "WebhookVerificationError" };

/** Verifies as a receiver does, with the reference library. */
function verified({ body, headers }: Received, secret: string): any {
  return new Receiver(secret).verify(body, headers as Record<string, string>);
}

async function arrived(path: string, count = 1): Promise<Received[]> {
  await until(`${count} messages at ${path}`, () => receiver.at(path).length >= count);
  return receiver.at(path);
}

test("an event arrives signed, with the change and where to read it; a changed byte or another secret is detected", async () => {
  const { id, path, secret } = await endpoint();
  const other = await endpoint();
  await addRule("192.0.2.0/24", "a scanner");
  const [message] = await arrived(path);
  const { type, timestamp, data } = verified(message!, secret);
  assert.equal(type, "rule.created");
  assert.equal(timestamp, new Date(t.clock.now).toISOString());
  assert.deepEqual(data.ruleset, { id: rulesetId, name: "blocked" });
  assert.deepEqual(data.counts, { created: 1, updated: 0, deleted: 0, expired: 0 });
  assert.deepEqual(
    data.rules.map(({ event, ip, name }: any) => [event, ip, name]),
    [["rule.created", "192.0.2.0/24", "a scanner"]],
  );
  const { text: key } = await addKey(t, organisationId);
  const { changes } = (await ask(t, "GET", data.url, { key })).body;
  assert.deepEqual(
    changes.map((change: any) => [change.sequence, change.type, change.rule.ip]),
    [[data.sequence, "rule.created", "192.0.2.0/24"]],
    "the URL is where to read it",
  );
  assert.match(String(message!.headers["user-agent"]), /^ipsieve\/\d/);
  assert.throws(() => verified({ ...message!, body: message!.body.replace("192.0.2", "192.0.3") }, secret), UNVERIFIED);
  const later = { ...message!.headers, "webhook-timestamp": String(Number(message!.headers["webhook-timestamp"]) + 1) };
  assert.throws(() => verified({ ...message!, headers: later }, secret), UNVERIFIED);
  const [second] = await arrived(other.path);
  assert.throws(() => verified(second!, secret), UNVERIFIED, "the secret of another endpoint");
  assert.notEqual(second!.headers["webhook-id"], message!.headers["webhook-id"]);
  const [delivery] = await deliveriesOf(id);
  const { status, outcome, cause, attempt, error, message_id } = delivery;
  assert.deepEqual([status, outcome, cause, attempt, error], [204, "delivered", "event", 1, ""]);
  assert.equal(message_id, message!.headers["webhook-id"]);
  const whole = await call("GET", `/webhooks/${id}/deliveries/${delivery.id}`);
  assert.equal(whole.body.body, message!.body, "what is shown is what was sent");
  assert.equal((await healthOf(id)).status, "ok");
  await remove(id);
  await remove(other.id);
});

test("while the secret is replaced, both verify; after the grace time only the new one", async () => {
  const { id, path, secret } = await endpoint();
  const rotated = await call("POST", `/webhooks/${id}:rotate`, { grace_hours: 2 });
  assert.equal(rotated.status, 200, rotated.text);
  assert.equal(rotated.body.webhook.previous_secret_until, new Date(t.clock.now + 2 * HOUR).toISOString());
  await addRule("198.51.100.0/25");
  const [both] = await arrived(path);
  assert.equal(String(both!.headers["webhook-signature"]).split(" ").length, 2);
  for (const each of [secret, rotated.body.secret]) assert.equal(verified(both!, each).type, "rule.created");
  t.clock.now += 2 * HOUR;
  await addRule("198.51.100.128/25");
  const [, one] = await arrived(path, 2);
  const now = { ...one!, headers: { ...one!.headers } };
  assert.equal(String(now.headers["webhook-signature"]).split(" ").length, 1);
  t.clock.now -= 2 * HOUR;
  const again = await call("POST", `/webhooks/${id}:rotate`, { grace_hours: 0 });
  await addRule("198.51.100.7/32");
  const [, , last] = await arrived(path, 3);
  assert.equal(verified(last!, again.body.secret).type, "rule.created");
  assert.throws(() => verified(last!, rotated.body.secret), UNVERIFIED, "replaced at once");
  await remove(id);
});

test("failures are tried again with the same id and a new signature, in order, and then the next event arrives", async () => {
  const { id, path, secret } = await endpoint();
  let status = 500;
  receiver.respond = (response, { path: at }) => void response.writeHead(at === path ? status : 204).end();
  await addRule("203.0.113.0/26");
  await addRule("203.0.113.64/26");
  await arrived(path);
  await until("the failure is written down", async () => (await healthOf(id)).failed_attempts === 1);
  const health = await healthOf(id);
  assert.equal(health.status, "failing");
  assert.ok(Date.parse(health.next_attempt_at) >= t.clock.now + 5000, health.next_attempt_at);
  assert.equal(receiver.at(path).length, 1, "nothing else is sent meanwhile");
  // The server that delivers next continues from the recorded progress.
  await t.restart();
  t.clock.now = Date.parse(health.next_attempt_at);
  status = 200;
  const [first, second, third] = await arrived(path, 3);
  assert.equal(first!.headers["webhook-id"], second!.headers["webhook-id"]);
  assert.equal(first!.body, second!.body);
  assert.notEqual(third!.headers["webhook-id"], second!.headers["webhook-id"]);
  const rules = [second!, third!].map((each) => verified(each, secret).data.rules[0].ip);
  assert.deepEqual(rules, ["203.0.113.0/26", "203.0.113.64/26"]);
  await until("it works again", async () => (await healthOf(id)).status === "ok");
  receiver.respond = (response) => void response.writeHead(204).end();
  await remove(id);
});

/** Possible behaviours of an endpoint; all except the first two are failures. */
const BEHAVIOUR: readonly ((response: ServerResponse) => void)[] = [
  (response) => void response.writeHead(204).end(),
  (response) => void setTimeout(() => response.writeHead(200).end("late"), 30),
  (response) => void response.writeHead(500).end(),
  (response) => void response.writeHead(302, { location: `${receiver.url}/elsewhere` }).end(),
  (response) => void response.writeHead(429, { "retry-after": "90" }).end(),
  (response) => void response.destroy(),
  (response) => void response.writeHead(410).end(),
];
const SUCCESSES = 2;
const ATTEMPTS = 10;

/**
 * How often messages have arrived, by their ids, in the order of their first arrival. Every attempt has the same
 * signature.
 */
function attemptsOf(received: readonly Received[], secret: string): Map<string, { body: any; count: number }> {
  const verifier = new Receiver(secret);
  const found = new Map<string, { body: any; text: string; count: number }>();
  for (const { headers, body: text } of received) {
    const id = String(headers["webhook-id"]);
    const at = new Date(Number(headers["webhook-timestamp"]) * 1000);
    assert.equal(headers["webhook-signature"], verifier.sign(id, at, text), "the signature is of this body");
    const known = found.get(id) ?? { body: JSON.parse(text), text, count: 0 };
    assert.equal(text, known.text, "all attempts have the same body");
    assert.ok(known.count === 0 || [...found.keys()].at(-1) === id, "nothing else comes between the attempts of one");
    found.set(id, { ...known, count: known.count + 1 });
  }
  return found;
}

// R18. Servers that are killed: test/api/killed-followers.test.ts.
test("whatever an endpoint does, every event arrives signed and in order, or is given up and listed", async () => {
  for (let seed = 1; seed <= rounds({ short: 1, long: 4 }); seed++) {
    const random = new Random(seed);
    const { id, path, secret } = await endpoint(["rule.created"]);
    const [taken, refused] = [new Set<string>(), `198.51.${seed}.2`];
    receiver.respond = (response, { path: at, body, headers }) => {
      const isRefused = body.includes(`"${refused}"`);
      const isTest = body.includes('"webhook.test"');
      const choice = at !== path || isTest ? 0 : isRefused ? SUCCESSES : random.below(BEHAVIOUR.length);
      if (at === path && !isTest && choice < SUCCESSES) taken.add(String(headers["webhook-id"]));
      BEHAVIOUR[choice]!(response);
    };
    const ips = Array.from({ length: 4 }, (_, host) => `198.51.${seed}.${host}`);
    for (const ip of ips) {
      t.clock.now += 1;
      await addRule(ip);
    }
    let before: unknown;
    for (let step = 0; taken.size < ips.length - 1; step++) {
      assert.ok(step < 300, "it goes on");
      let health: any;
      await until("an attempt has been written down", async () => {
        health = await healthOf(id);
        const isWaiting = health.next_attempt_at !== null && health.next_attempt_at !== before;
        return health.status === "disabled" || isWaiting || taken.size === ips.length - 1;
      });
      before = health.next_attempt_at;
      if (step === 10) await t.restart();
      if (health.status === "disabled") await call("PATCH", `/webhooks/${id}`, { active: true });
      // Since other messages succeed meanwhile, the message is abandoned, not the endpoint.
      if (health.failed_attempts === ATTEMPTS - 1) await call("POST", `/webhooks/${id}:test`);
      if (health.next_attempt_at !== null) t.clock.now = Date.parse(health.next_attempt_at);
    }
    const events = receiver.at(path).filter(({ body }) => !body.includes('"webhook.test"'));
    const attempts = attemptsOf(events, secret);
    const repeated = events.findIndex(
      ({ headers }, at) => headers["webhook-id"] === events[at - 1]?.headers["webhook-id"],
    );
    const moved = [...events.toSpliced(repeated, 1), events[repeated]!];
    assert.throws(() => attemptsOf(moved, secret), /nothing else comes between/);
    const changed = events.map((each) => ({ ...each, body: each.body.replace("rule.created", "rule.deleted") }));
    assert.throws(() => attemptsOf(changed, secret), /the signature is of this body/);
    assert.deepEqual(
      [...attempts.values()].flatMap(({ body }) => body.data.rules.map(({ ip }: any) => ip)),
      ips,
    );
    const lost = [...attempts].filter(([message]) => !taken.has(message));
    assert.deepEqual(
      lost.map(([, { body, count }]) => [body.data.rules[0].ip, count]),
      [[refused, ATTEMPTS]],
    );
    const listed = (await deliveriesOf(id)).filter(({ outcome }) => outcome === "given-up");
    assert.deepEqual(
      listed.map(({ message_id }) => message_id),
      lost.map(([message]) => message),
    );
    assert.equal((await healthOf(id)).given_up, 1);
    receiver.respond = (response) => void response.writeHead(204).end();
    await remove(id);
  }
});

test("redirects are not followed, Retry-After is respected, and an endless response costs nothing", async () => {
  const { id, path } = await endpoint();
  const target = await endpoint(["key.created"]);
  receiver.respond = (response, { path: at }) => {
    if (at === path) response.writeHead(302, { location: receiver.url + target.path, "retry-after": "7200" }).end();
    else response.writeHead(204).end();
  };
  await addRule("203.0.113.128/28");
  await until("it has failed", async () => (await healthOf(id)).failed_attempts === 1);
  assert.equal(Date.parse((await healthOf(id)).next_attempt_at), t.clock.now + 2 * HOUR);
  assert.equal((await deliveriesOf(id))[0].error, "status 302: redirects are not followed");
  assert.equal(receiver.at(target.path).length, 0);
  let written = 0;
  receiver.respond = (response) => {
    response.writeHead(200);
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536))) written += 65_536;
      if (!response.destroyed) response.once("drain", more);
    };
    more();
  };
  t.clock.now += 2 * HOUR;
  await until("an endless response is a success", async () => (await healthOf(id)).status === "ok");
  assert.ok(written < 64 << 20, `${written} bytes were taken`);
  receiver.respond = (response) => void response.writeHead(204).end();
  await remove(id);
  await remove(target.id);
});

test("while an endpoint does not respond, others get their events; then the delivery fails", async () => {
  const [silent, other] = [await endpoint(), await endpoint()];
  let isWaiting = false;
  receiver.respond = (response, { path }) => {
    if (path !== silent.path) return void response.writeHead(204).end();
    isWaiting = true;
    response.on("close", () => (isWaiting = false));
  };
  await addRule("203.0.113.192/28");
  await addRule("203.0.113.208/28");
  await until("others have both", () => receiver.at(other.path).length === 2 && receiver.at(silent.path).length === 1);
  assert.ok(isWaiting, "the server still waits for the other one");
  if (onlyLong() === false) {
    await until("it has failed", async () => (await healthOf(silent.id)).failed_attempts === 1);
    assert.match((await deliveriesOf(silent.id))[0].error, /no response/);
    assert.equal(receiver.at(silent.path).length, 1, "nothing else is sent to it meanwhile");
  }
  receiver.respond = (response) => void response.writeHead(204).end();
  await remove(silent.id);
  await remove(other.id);
});

test("410 stops it until a user starts it again, with or without the missed events; other endpoints get an event", async () => {
  const watcher = await endpoint(["webhook.disabled"]);
  const { id, path, secret } = await endpoint();
  receiver.respond = (response, { path: at }) => void response.writeHead(at === path ? 410 : 204).end();
  await addRule("192.0.2.1/32");
  await until("it is disabled", async () => (await healthOf(id)).status === "disabled");
  assert.equal((await healthOf(id)).reason, "gone");
  const [told] = await arrived(watcher.path);
  const { type, data } = verified(told!, watcher.secret);
  assert.deepEqual([type, data.webhook.id, data.webhook.reason], ["webhook.disabled", id, "gone"]);
  await addRule("192.0.2.2/32");
  receiver.respond = (response) => void response.writeHead(204).end();
  assert.equal((await call("PATCH", `/webhooks/${id}`, { active: true })).body.health.status, "ok");
  const missed = (await arrived(path, 3)).slice(1).map((each) => verified(each, secret).data.rules[0].ip);
  assert.deepEqual(missed, ["192.0.2.1", "192.0.2.2"], "what was missed");
  await call("PATCH", `/webhooks/${id}`, { active: false });
  await addRule("192.0.2.3/32");
  assert.equal((await healthOf(id)).status, "inactive");
  await call("PATCH", `/webhooks/${id}`, { active: true, missed: "skip" });
  await addRule("192.0.2.4/32");
  const [, , , fourth] = await arrived(path, 4);
  assert.equal(verified(fourth!, secret).data.rules[0].ip, "192.0.2.4", "without what was skipped");
  await remove(id);
  await remove(watcher.id);
});

test("after three days without success it is disabled; the result of a test or a repetition is shown", async () => {
  const { id, path, secret } = await endpoint();
  receiver.respond = (response) => void response.writeHead(503).end();
  await addRule("192.0.2.16/28");
  const start = t.clock.now;
  for (let attempts = 1; ; attempts++) {
    let health: any;
    await until(`attempt ${attempts}`, async () => {
      health = await healthOf(id);
      const isRepeated = health.failed_attempts === attempts && health.next_attempt_at !== null;
      return isRepeated || health.status === "disabled";
    });
    if (health.status === "disabled") {
      assert.equal(health.reason, "failing");
      break;
    }
    t.clock.now = Date.parse(health.next_attempt_at);
  }
  assert.ok(t.clock.now - start >= 72 * HOUR, "three days");
  assert.equal((await arrived(path, 10)).length, 10, "ten attempts");
  assert.equal(new Set(receiver.at(path).map(({ headers }) => headers["webhook-id"])).size, 1);
  const failed = await call("POST", `/webhooks/${id}:test`);
  assert.deepEqual([failed.status, failed.body.outcome, failed.body.status], [200, "failed", 503]);
  receiver.respond = (response) => void response.writeHead(200).end("thanks");
  const tested = await call("POST", `/webhooks/${id}:test`);
  const { outcome, type, cause, attempt } = tested.body;
  assert.deepEqual([outcome, type, cause, attempt], ["delivered", "webhook.test", "test", 1]);
  const lost = (await deliveriesOf(id)).find(({ cause }) => cause === "event");
  const again = await call("POST", `/webhooks/${id}/deliveries/${lost.id}:resend`);
  const told = [again.body.outcome, again.body.message_id, again.body.attempt];
  assert.deepEqual(told, ["delivered", lost.message_id, lost.attempt + 1]);
  const message = receiver.at(path).at(-1)!;
  assert.equal(message.headers["webhook-id"], lost.message_id);
  t.clock.now = Date.now();
  const now = await call("POST", `/webhooks/${id}/deliveries/${lost.id}:resend`);
  assert.equal(now.body.outcome, "delivered");
  assert.equal(verified(receiver.at(path).at(-1)!, secret).data.rules[0].ip, "192.0.2.16/28");
  receiver.respond = (response) => void response.writeHead(204).end();
  await remove(id);
});

test("a list of thousands of rules is one event, though it fills several rows of the feed", async () => {
  const { id, path, secret } = await endpoint();
  const list = Array.from({ length: 2500 }, (_, i) => `10.${i >> 8}.${i & 255}.0/24`).join("\n");
  const { ruleset } = await t.server.store.write({
    kind: "create-ruleset",
    ...by(),
    name: "imported",
    purpose: "blocklist",
    description: "",
  });
  const imported = await visit(t, "POST", `/edl/ip-rulesets/${ruleset.id}/rules:import`, {
    token: admin.token,
    headers: { "Content-Type": "text/plain" },
    body: list,
  });
  assert.equal(imported.status, 200, imported.text);
  await addRule("10.99.0.0/16");
  const messages = (await arrived(path, 2)).map((each) => verified(each, secret));
  assert.deepEqual(
    messages.map(({ type, data }) => [type, data.counts.created, data.rules?.length ?? null]),
    [
      ["rule.created", 2500, null],
      ["rule.created", 1, 1],
    ],
  );
  await t.server.store.write({ kind: "delete-ruleset", ...by(), rulesetId: ruleset.id });
  await remove(id);
});

test("a large change is one event with counts; unsubscribed events do not arrive", async () => {
  const every = await endpoint();
  const deletions = await endpoint(["rule.deleted"]);
  const prefixes = Array.from({ length: 300 }, (_, i) => parsePrefix(`10.1.${i >> 8}.${i & 255}`));
  const add = (prefix: any) => ({ add: { prefix, name: "x".repeat(200), expiresAt: null, mode: "extend" as const } });
  await t.server.store.write({ kind: "batch-rules", ...by(), rulesetId, items: prefixes.map(add), atomic: true });
  await t.server.store.write({
    kind: "batch-rules",
    ...by(),
    rulesetId,
    items: [...prefixes.slice(0, 7).map((prefix) => ({ delete: prefix })), add(parsePrefix("10.2.0.0/16"))],
    atomic: true,
  });
  const [large, mixed] = (await arrived(every.path, 2)).map((each) => verified(each, every.secret));
  assert.deepEqual([large.type, large.data.counts.created, large.data.rules], ["rule.created", 300, null]);
  assert.deepEqual([mixed.type, mixed.data.counts.deleted, mixed.data.counts.created], ["rule.changed", 7, 1]);
  assert.equal(mixed.data.rules.length, 8);
  const [only] = await arrived(deletions.path);
  assert.equal(verified(only!, deletions.secret).type, "rule.changed");
  for (const { body } of receiver.received) assert.ok(Buffer.byteLength(body) < 20_000);
  const text = "y".repeat(1000);
  await addRule("10.3.0.0/16", text.slice(0, 200));
  await arrived(every.path, 3);
  assert.equal(receiver.at(deletions.path).length, 1);
  await remove(every.id);
  await remove(deletions.id);
});

test("rules that expire at one time are one event, in order with the others", async () => {
  const { id, path, secret } = await endpoint(["rule.created", "rule.expired"]);
  const expiresAt = t.clock.now + HOUR;
  const add = (text: string) => ({
    add: { prefix: parsePrefix(text), name: null, expiresAt, mode: "extend" as const },
  });
  const items = ["192.0.2.64/28", "192.0.2.80/28"].map(add);
  await t.server.store.write({ kind: "batch-rules", ...by(), rulesetId, items, atomic: true });
  await arrived(path);
  t.clock.now = expiresAt;
  const [created, expired] = await arrived(path, 2);
  t.clock.now = Date.now();
  assert.equal(verified(created!, secret).data.counts.created, 2);
  // It was sent by the clock of the test, an hour ahead: receivers would reject it.
  const { type, timestamp, data } = JSON.parse(expired!.body);
  assert.deepEqual([type, timestamp, data.counts.expired], ["rule.expired", new Date(expiresAt).toISOString(), 2]);
  await remove(id);
});

test("rulesets, keys and lists of deployments are events, too", async () => {
  const kinds = ["ruleset.created", "ruleset.updated", "ruleset.deleted", "key.created", "key.revoked"];
  const { id, path, secret } = await endpoint([...kinds, "deployment.generated", "deployment.refused"]);
  const { ruleset } = await t.server.store.write({
    kind: "create-ruleset",
    ...by(),
    name: "more",
    purpose: "allowlist",
    description: "",
  });
  await t.server.store.write({ kind: "update-ruleset", ...by(), rulesetId: ruleset.id, name: "other" });
  await t.server.store.write({ kind: "delete-ruleset", ...by(), rulesetId: ruleset.id });
  const key = await addKey(t, organisationId);
  await t.server.store.write({ kind: "revoke-credential", credential: "api", ...by(), credentialId: key.id });
  const events = (await arrived(path, 5)).map((each) => verified(each, secret));
  assert.deepEqual(
    events.map(({ type }) => type),
    kinds,
  );
  assert.equal(events[2].data.ruleset.name, "other");
  assert.equal(events[3].data.key.id, key.id);
  assert.ok(!receiver.received.some(({ body }) => body.includes(key.text)));
  const created = await call("POST", "/edl/deployments/", {
    name: "edge",
    include: [{ prefixes: ["192.0.2.0/24"] }],
    options: { max_entries: 1 },
  });
  const [, , , , , generated] = (await arrived(path, 6)).map((each) => verified(each, secret));
  assert.deepEqual([generated.type, generated.data.list.generation], ["deployment.generated", 1]);
  assert.deepEqual(generated.data.deployment, { id: created.body.id, name: "edge" });
  await call("PATCH", `/edl/deployments/${created.body.id}`, {
    include: [{ prefixes: ["192.0.2.0/24", "198.51.100.0/24"] }],
  });
  const refused = verified((await arrived(path, 7))[6]!, secret);
  assert.equal(refused.type, "deployment.refused");
  assert.ok(refused.data.list.reasons.length > 0);
  await call("DELETE", `/edl/deployments/${created.body.id}`);
  await remove(id);
});

test("URLs that lead into the network, or are malformed, are rejected with the reason", async () => {
  const BAD: readonly [url: string, reason: RegExp][] = [
    ["nonsense", /write a URL/],
    ["ftp://example.org/", /write a URL/],
    ["http://example.org/", /use https/],
    ["http://192.0.32.7/", /use https/],
    ["http://10.0.0.1/", /use https/],
    ["https://10.0.0.1/", /--outbound-allow/],
    ["https://[::1]/", /--outbound-allow/],
    ["https://[::ffff:10.0.0.1]/", /--outbound-allow/],
    ["https://[64:ff9b::10.0.0.1]/", /--outbound-allow/],
    ["https://[2002:a00:1::]/", /--outbound-allow/],
    ["https://0xa.1/", /--outbound-allow/],
    ["https://167772161/", /--outbound-allow/],
    ["https://169.254.169.254/latest/meta-data", /--outbound-allow/],
    ["https://user:password@example.org/", /user name or password/],
    ["https://example.org/#here", /fragment/],
    [`https://example.org/${"x".repeat(1990)}`, /at most 2000/],
  ];
  for (const [url, reason] of BAD) {
    const { status, text } = await call("POST", "/webhooks", { url, kinds: ["rule.created"] });
    assert.equal(status, 400, url);
    assert.match(text, reason, url);
  }
  // A name is resolved at the time of the connection: errors say nothing about its addresses.
  const { body } = await call("POST", "/webhooks", { url: "https://localhost:9/", kinds: ["rule.created"] });
  const tested = await call("POST", `/webhooks/${body.webhook.id}:test`);
  assert.equal(tested.body.outcome, "failed");
  assert.ok(!/127\.0\.0\.1|::1/.test(tested.text), tested.text);
  await remove(body.webhook.id);
});

test("an organisation has at most 20; lists, the log and the audit log contain no secret", async () => {
  const made: Endpoint[] = [];
  while (made.length < 20) made.push(await endpoint());
  const { status, body } = await call("POST", "/webhooks", { url: receiver.url, kinds: ["rule.created"] });
  assert.equal(status, 409, body.detail);
  const rotated = await call("POST", `/webhooks/${made[0]!.id}:rotate`, {});
  const secrets = [...made.map(({ secret }) => secret), rotated.body.secret];
  const texts = [
    (await call("GET", "/webhooks")).text,
    (await call("GET", "/audit?limit=100")).text,
    (await call("GET", "/audit:export?format=ndjson")).text,
    t.logged(),
    JSON.stringify(await t.server.store.changesAfter(0)),
  ];
  for (const [index, text] of texts.entries()) {
    for (const secret of secrets) assert.ok(!text.includes(secret.slice("whsec_".length)), `text ${index}`);
    assert.ok(!text.includes("whsec_"), `text ${index}`);
  }
  assert.equal((await call("GET", "/webhooks")).body.count, 20);
  for (const { id } of made) assert.equal((await remove(id)).status, 204);
  assert.equal((await call("GET", "/webhooks")).body.count, 0);
});
