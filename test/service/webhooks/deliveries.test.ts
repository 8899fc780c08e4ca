/** What an endpoint is sent, and what is recorded of it: by the queue of its events, for a test, and once more. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { parsePrefix } from "../../../src/address/prefix.ts";
import { SecretKey } from "../../../src/service/access/secret-key.ts";
import { EndpointQueue, type QueueServices } from "../../../src/service/webhooks/endpoint-queue.ts";
import { GuardedPost } from "../../../src/service/webhooks/guarded-post.ts";
import { WebhookMessages } from "../../../src/service/webhooks/webhook-messages.ts";
import { makeSecret } from "../../../src/service/webhooks/webhook-secret.ts";
import { keyOfPrefix } from "../../../src/store/_prefix-key.ts";
import { packEvents } from "../../../src/store/packed-events.ts";
import type { DeliveryRecord, SentDelivery, Webhook, WebhookProgress } from "../../../src/store/records/webhook.ts";
import { WebhookReceiver } from "../../api/harness/webhook-receiver.ts";
import { temporaryFolder } from "../../cli/run-command.ts";
import { until } from "../../until.ts";

const NOW = Date.UTC(2026, 10, 27);
const AT = NOW - 5000;
const FRESH: WebhookProgress = {
  webhookId: "w-1",
  cursor: 0,
  attempts: 0,
  nextAt: null,
  failingSince: null,
  lastAttemptAt: null,
  lastSuccessAt: null,
  givenUp: 0,
};

const folder = temporaryFolder({});
const key = new SecretKey(join(folder.path, "key"));
let receiver: WebhookReceiver;
before(async () => void (receiver = await WebhookReceiver.start()));
after(async () => {
  await receiver.close();
  folder.remove();
});

/** An event of a rule's creation or, for other kinds, of a key. */
const rowOf = (sequence: number, kind: "rule.created" | "key.created") => {
  const prefix = keyOfPrefix(parsePrefix(`20.0.0.${sequence % 256}`));
  const place = { first: sequence, last: sequence, at: AT + sequence, parts: null };
  if (kind === "rule.created") {
    const body = packEvents([[0, prefix, null, null, AT, AT, AT + sequence]], AT + sequence);
    return { ...place, type: "rules", rulesetId: sequence === 3 ? "gone" : "r", body };
  }
  const about = { id: "k", label: "", access: "read", expiresAt: null };
  return { ...place, type: kind, rulesetId: null, body: JSON.stringify({ type: kind, key: about }) };
};

/** An endpoint, the feed of its organisation, and what is recorded of it. */
function endpoint(kinds: readonly ("rule.created" | "key.created")[], webhookChanges: Partial<Webhook> = {}) {
  const secret = makeSecret(key, "o");
  const webhook = {
    id: "w-1",
    organisationId: "o",
    url: receiver.url,
    description: "ours",
    kinds: ["rule.created"],
    active: true,
    stopped: null,
    updatedAt: 77,
    ...webhookChanges,
  } as Webhook;
  const rows = kinds.map((kind, at) => rowOf(at + 1, kind));
  const state = {
    feed: "f",
    progress: FRESH as WebhookProgress | undefined,
    deliveries: [] as SentDelivery[],
    writes: [] as object[],
  };
  const outcomes: string[] = [];
  let sealed = secret.sealed;
  const reads: Readonly<Record<string, (...args: any[]) => unknown>> = {
    webhookProgress: () => (state.progress === undefined ? [] : [state.progress]),
    webhookSecrets: (id: string) => (id === webhook.id ? { current: sealed, previous: [] } : null),
    events: (_: string, last: number) => ({
      rows: rows.filter(({ first }) => first > last),
      oldest: 1,
      sequence: rows.length,
      feed: state.feed,
    }),
    delivery: (id: string, delivery: string) =>
      id === webhook.id ? (state.deliveries.find((each) => each.id === delivery) ?? null) : null,
  };
  const move = (change: DeliveryRecord["progress"]) => {
    if (change !== null && change.from === state.progress!.cursor) state.progress = change.next;
  };
  const store = {
    read: async (what: string, ...args: unknown[]) => reads[what]!(...args),
    record: async (what: string, record: any) => {
      if (what === "webhookProgress") return move(record);
      assert.equal(what, "delivery");
      state.deliveries.push(record.delivery);
      move(record.progress);
    },
    write: async (command: object) => {
      state.writes.push(command);
      Object.assign(webhook, { stopped: {} });
    },
  };
  const post = new GuardedPost({ allow: [parsePrefix("127.0.0.0/8")] });
  const metrics = { webhookAttempts: { inc: ({ outcome }: { outcome: string }) => outcomes.push(outcome) } };
  const messages = new WebhookMessages({ store, key, post, metrics, now: () => NOW } as never);
  const services = {
    store,
    messages,
    memory: {
      webhookById: () => webhook,
      ruleset: (organisation: string, id: string) =>
        id === "r" && organisation === "o" ? { about: { name: "Own" } } : undefined,
    },
    now: () => NOW,
    baseUrl: "https://ipsieve.example",
    signal: new AbortController().signal,
  } as unknown as QueueServices;
  const queue = new EndpointQueue(webhook.id, services);
  const work = async (): Promise<void> => {
    queue.wake();
    await queue.idle();
  };
  return { webhook, state, outcomes, messages, queue, work, post, steal: () => (sealed = makeSecret(key, "p").sealed) };
}

const answer = (status: number) => {
  receiver.received.length = 0;
  receiver.respond = (response) => void response.writeHead(status).end();
};

test("events are sent one by one, in their order, those of other kinds are not, and each attempt is recorded", async () => {
  answer(204);
  const { state, outcomes, work, post, queue } = endpoint([
    "key.created",
    "rule.created",
    "rule.created",
    "key.created",
  ]);
  await work();
  await post.close();
  assert.deepEqual(
    receiver.received.map(({ headers }) => headers["webhook-id"]),
    ["msg_w1_f_2", "msg_w1_f_3"],
  );
  const [first] = state.deliveries as [SentDelivery];
  const { id, milliseconds, body, ...rest } = first;
  assert.match(id, /^[0-9a-f-]{36}$/);
  assert.ok(Number.isSafeInteger(milliseconds) && milliseconds >= 0);
  assert.deepEqual(rest, {
    messageId: "msg_w1_f_2",
    type: "rule.created",
    cause: "event",
    attempt: 1,
    webhookId: "w-1",
    at: NOW,
    outcome: "delivered",
    status: 204,
    error: "",
  });
  assert.equal(receiver.received[0]!.body, body);
  const { type, timestamp, data } = JSON.parse(body);
  assert.deepEqual([type, timestamp], ["rule.created", new Date(AT + 2).toISOString()]);
  assert.deepEqual(
    [data.ruleset, data.url],
    [{ id: "r", name: "Own" }, "https://ipsieve.example/v1/changes?after=1&limit=1"],
  );
  const { ruleset } = JSON.parse(state.deliveries[1]!.body).data;
  assert.deepEqual(ruleset, { id: "gone", name: null }, "one that has been deleted since");
  assert.deepEqual(state.progress, { ...FRESH, cursor: 3, lastAttemptAt: NOW, lastSuccessAt: NOW });
  assert.deepEqual([outcomes, queue.dueAt, state.writes], [["delivered", "delivered"], null, []]);
});

test("a failure is tried again when it is due; after 410, nothing more is sent", async () => {
  answer(500);
  const { state, outcomes, work, post, queue } = endpoint(["rule.created", "rule.created"]);
  await work();
  assert.equal(receiver.received.length, 1);
  const { attempts, nextAt, cursor, failingSince } = state.progress!;
  assert.deepEqual([attempts, cursor, failingSince, queue.dueAt], [1, 0, NOW, nextAt]);
  assert.deepEqual((({ outcome, status, error }) => [outcome, status, error])(state.deliveries[0]!), [
    "failed",
    500,
    "status 500",
  ]);
  await work();
  assert.equal(receiver.received.length, 1, "it is not due yet");
  answer(410);
  state.progress = { ...state.progress!, nextAt: NOW };
  await work();
  await post.close();
  assert.deepEqual([state.deliveries[1]!.messageId, state.deliveries[1]!.attempt], ["msg_w1_f_1", 2]);
  assert.deepEqual(state.writes, [
    {
      kind: "stop-webhook",
      actor: "command:server",
      at: NOW,
      organisationId: "o",
      webhookId: "w-1",
      reason: "gone",
      seen: 77,
    },
  ]);
  await work();
  assert.deepEqual([receiver.received.length, outcomes], [1, ["failed", "failed"]]);
});

test("after a database was restored, events of its feed are sent with ids of their own", async () => {
  answer(204);
  const { state, work, post, queue } = endpoint(["rule.created"]);
  await work();
  Object.assign(state, { feed: "g", progress: FRESH });
  await work();
  assert.equal(queue.dueAt, NOW + 1000, "its reader had begun with the other one");
  await work();
  await post.close();
  assert.deepEqual(
    receiver.received.map(({ headers }) => headers["webhook-id"]),
    ["msg_w1_f_1", "msg_w1_g_1"],
  );
});

test("an endpoint that is inactive, stopped or unknown gets nothing", async () => {
  answer(204);
  for (const changes of [{ active: false }, { stopped: { at: 1, reason: "gone" } }] as const) {
    const { work, state } = endpoint(["rule.created"], changes);
    await work();
    assert.deepEqual(state.deliveries, []);
  }
  const unknown = endpoint(["rule.created"]);
  unknown.state.progress = undefined;
  await unknown.work();
  assert.deepEqual([unknown.state.deliveries, receiver.received.length], [[], 0]);
});

test("events that an endpoint does not want are passed once there are a thousand of them", async () => {
  for (const [count, cursor] of [
    [999, 0],
    [1000, 1000],
  ] as const) {
    const { work, state } = endpoint(Array.from({ length: count }, () => "key.created"));
    state.progress = { ...FRESH, attempts: 3, nextAt: NOW - 1 };
    await work();
    assert.equal(state.progress.cursor, cursor);
    if (cursor > 0) assert.deepEqual([state.progress.attempts, state.progress.nextAt], [0, null]);
  }
});

test("a test and a resend are sent at once, one at a time; a success means that the endpoint works again", async () => {
  answer(204);
  const { messages, webhook, state, post, steal } = endpoint([]);
  state.progress = { ...FRESH, attempts: 2, nextAt: NOW + 9, failingSince: AT };
  const tried = await messages.test(webhook);
  assert.deepEqual([tried.type, tried.cause, tried.attempt, tried.outcome], ["webhook.test", "test", 1, "delivered"]);
  assert.match(tried.messageId, /^msg_[0-9a-f]{32}$/);
  assert.ok(!("body" in tried), "its text is not told again");
  const { type, timestamp, data } = JSON.parse(receiver.received[0]!.body);
  assert.deepEqual([type, timestamp], ["webhook.test", new Date(NOW).toISOString()]);
  assert.deepEqual(data.webhook, { id: "w-1", description: "ours" });
  assert.match(data.about, /test the endpoint/);
  assert.deepEqual(state.progress, { ...FRESH, attempts: 2, nextAt: NOW + 9, lastAttemptAt: NOW, lastSuccessAt: NOW });
  assert.equal(state.deliveries[0]!.body, receiver.received[0]!.body);

  answer(500);
  state.progress = { ...state.progress!, failingSince: AT };
  const again = await messages.resend(webhook, tried.id);
  assert.deepEqual(
    [again.messageId, again.type, again.cause, again.attempt, again.outcome, again.status],
    [tried.messageId, "webhook.test", "resend", 2, "failed", 500],
  );
  assert.equal(receiver.received[0]!.body, state.deliveries[0]!.body);
  assert.equal(state.progress.failingSince, AT, "a failure says nothing about it");
  await assert.rejects(messages.resend(webhook, "none"), { code: "not-found", message: /unknown delivery/ });

  receiver.respond = () => undefined;
  const first = messages.test(webhook);
  await until("it has arrived", () => receiver.received.length === 2);
  await assert.rejects(messages.test(webhook), { code: "too-many-requests" });
  await post.close();
  assert.equal((await first).outcome, "failed");
  assert.equal(state.deliveries.length, 3);

  state.progress = undefined;
  steal();
  const { status, error } = await messages.test(webhook);
  assert.deepEqual([status, /encrypted under another key file/.test(error)], [null, true]);
  await assert.rejects(messages.test({ ...webhook, id: "none" }), { code: "not-found" });
});
