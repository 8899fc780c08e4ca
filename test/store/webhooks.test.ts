import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import type { StoreErrorCode } from "../../src/store/store-error.ts";
import type { SentDelivery, Webhook, WebhookDefinition, WebhookProgress } from "../../src/store/records/webhook.ts";
import { by, databases, Replica } from "./harness/stores.ts";
import { onlyLong } from "../rounds.ts";

const DEFINITION: WebhookDefinition = {
  url: "https://example.org/hook",
  description: "",
  kinds: ["rule.created"],
  active: true,
};
const DAY = 86_400_000;

for (const { name, skip, make, stop } of await databases()) {
  describe(`webhooks on ${name}`, { skip: skip || (name === "PostgreSQL" && onlyLong()) }, () => {
    after(stop);

    /** Runs with an organisation that has an endpoint, then compares the memory with a fresh load. */
    const withWebhook = async (run: (replica: Replica, webhook: Webhook) => Promise<void>): Promise<void> =>
      Replica.using(await make(), async (replica) => {
        const { organisation } = await replica.organisation();
        await run(replica, await create(replica, organisation.id));
      });

    test("it is created, partly changed and deleted with everything that belongs to it; another organisation's is not found", () =>
      withWebhook(async ({ store, memory }, { id, organisationId }) => {
        const owned = { organisationId, webhookId: id };
        const { webhook } = await store.write({
          kind: "update-webhook",
          ...owned,
          definition: { active: false },
          ...by(5),
        });
        assert.deepEqual(webhook, memory.webhooks.get(id));
        const { url, description, kinds, active } = webhook;
        assert.deepEqual({ url, description, kinds, active }, { ...DEFINITION, active: false });
        const { sequence } = memory;
        await store.write({ kind: "update-webhook", ...owned, definition: { active: false }, ...by(6) });
        assert.equal(memory.sequence, sequence, "the same again is no change");
        const other = { organisationId: crypto.randomUUID(), webhookId: id };
        await refused("webhook-not-found", store.write({ kind: "delete-webhook", ...other, ...by(7) }));
        await store.record("delivery", { delivery: delivery(id, 1), progress: null });
        await store.write({ kind: "delete-webhook", ...owned, ...by(8) });
        assert.deepEqual(await store.read("webhookProgress", [id]), []);
        assert.deepEqual(await store.read("deliveries", id), []);
        assert.equal(await store.read("webhookSecrets", id), null);
        assert.equal(await store.record("delivery", { delivery: delivery(id, 2), progress: null }), false);
        await refused("webhook-not-found", store.write({ kind: "delete-webhook", ...owned, ...by(9) }));
      }));

    test("an organisation has at most 20", () =>
      withWebhook(async (replica, { id, organisationId }) => {
        await Promise.all(Array.from({ length: 19 }, () => create(replica, organisationId)));
        await refused("too-many-webhooks", create(replica, organisationId));
        await replica.store.write({ kind: "delete-webhook", organisationId, webhookId: id, ...by(3) });
        await create(replica, organisationId);
      }));

    test("no change contains secrets; previous secrets stay until the ends of their grace times", () =>
      withWebhook(async ({ store }, { id, organisationId }) => {
        const rotating = { kind: "rotate-webhook", organisationId, webhookId: id } as const;
        assert.deepEqual(await store.read("webhookSecrets", id), { current: "sealed-1", previous: [] });
        const { webhook } = await store.write({ ...rotating, secret: "sealed-2", graceUntil: 100, ...by(10) });
        const first = { rotation: 1, replacedAt: 10, until: 100 };
        assert.deepEqual([webhook.rotation, webhook.previous], [2, [first]]);
        const sealed = { ...first, secret: "sealed-1" };
        assert.deepEqual(await store.read("webhookSecrets", id), { current: "sealed-2", previous: [sealed] });
        const definition = { url: "https://example.org/2" };
        await store.write({ kind: "update-webhook", organisationId, webhookId: id, definition, ...by(11) });
        assert.deepEqual(await store.read("webhookSecrets", id), { current: "sealed-2", previous: [sealed] });
        await store.write({ ...rotating, secret: "sealed-3", graceUntil: 12, ...by(12) });
        assert.deepEqual(await store.read("webhookSecrets", id), { current: "sealed-3", previous: [] });
        assert.ok(!JSON.stringify(await store.changesAfter(0)).includes("sealed"));
      }));

    test("a server stops it unless a user has changed it; it continues with or without the missed events", () =>
      withWebhook(async ({ store }, { id, organisationId, updatedAt }) => {
        const owned = { organisationId, webhookId: id };
        const stop = (seen: number, at: number) =>
          store.write({ kind: "stop-webhook", ...owned, reason: "gone", seen, ...by(at) });
        assert.equal((await stop(updatedAt - 1, 20)).webhook.stopped, null, "it was changed meanwhile");
        assert.deepEqual((await stop(updatedAt, 21)).webhook.stopped, { at: 21, reason: "gone" });
        const [stopped] = await store.read("webhookProgress", [id]);
        const start = (missed: "resume" | "skip", at: number) =>
          store.write({ kind: "update-webhook", ...owned, definition: { active: true }, missed, ...by(at) });
        assert.equal((await start("resume", 22)).webhook.stopped, null);
        assert.equal((await store.read("webhookProgress", [id]))[0]!.cursor, stopped!.cursor);
        await stop(22, 23);
        await start("skip", 24);
        const before = (await store.read("events", organisationId, 0, 1)).sequence;
        assert.equal((await store.read("webhookProgress", [id]))[0]!.cursor, before);
      }));

    test("progress moves only from its current state; the last 50 deliveries are kept, and 200 that were given up", () =>
      withWebhook(async ({ store }, { id }) => {
        const [known] = await store.read("webhookProgress", [id]);
        const next: WebhookProgress = { ...known!, cursor: known!.cursor + 1, attempts: 0, lastSuccessAt: 30 };
        const move = (from: number) => ({ delivery: delivery(id, 30 + from), progress: { from, next } });
        assert.equal(await store.record("delivery", move(known!.cursor)), true);
        assert.equal(await store.record("delivery", move(known!.cursor)), false, "it is elsewhere now");
        assert.deepEqual(await store.read("webhookProgress", [id]), [next]);
        for (let at = 1; at <= 60; at++) {
          const outcome = at <= 5 ? "given-up" : "delivered";
          await store.record("delivery", { delivery: { ...delivery(id, 1000 + at), outcome }, progress: null });
        }
        const kept = await store.read("deliveries", id);
        assert.deepEqual(
          [kept.length, kept[0]!.at, kept.filter(({ outcome }) => outcome === "given-up").length],
          [55, 1060, 5],
        );
        assert.equal((await store.read("delivery", id, kept[0]!.id))!.body, "{}");
        assert.equal(await store.read("delivery", crypto.randomUUID(), kept[0]!.id), null);
      }));

    test("a lease has one holder until it ends or is released", () =>
      withWebhook(async ({ store }) => {
        const take = (holder: string, milliseconds = DAY) => store.record("lease", "task", holder, milliseconds);
        assert.equal(await take("one"), true);
        assert.equal(await take("other"), false);
        assert.equal(await take("one"), true, "renewed");
        assert.equal(await store.record("lease", "another task", "other", DAY), true);
        await take("one", 0);
        assert.equal(await take("other"), true);
        assert.equal(await take("one"), false);
      }));

    test("a lease from before the clock was set back does not last until the clock has caught up", () =>
      withWebhook(async ({ store }) => {
        // The database's clock cannot be set, so this lease lasts a day longer than any taken now.
        assert.equal(await store.record("lease", "task", "one", DAY), true);
        assert.equal(await store.record("lease", "task", "other", 0), false, "what is given back is one's own");
        assert.equal(await store.record("lease", "task", "other", DAY * 0.6), false, "as long as clocks go well");
        assert.equal(await store.record("lease", "task", "other", 6000), true);
        assert.equal(await store.record("lease", "task", "one", 6000), false);
      }));
  });
}

async function create({ store }: Replica, organisationId: string): Promise<Webhook> {
  const { webhook } = await store.write({
    kind: "create-webhook",
    organisationId,
    definition: DEFINITION,
    secret: "sealed-1",
    ...by(2),
  });
  return webhook;
}

function delivery(webhookId: string, at: number): SentDelivery {
  const about = { messageId: "msg_1", type: "rule.created", cause: "event", attempt: 1, outcome: "delivered" } as const;
  return { ...about, id: crypto.randomUUID(), webhookId, at, status: 204, error: "", milliseconds: 3, body: "{}" };
}

async function refused(code: StoreErrorCode, call: Promise<unknown>): Promise<void> {
  await assert.rejects(call, { code });
}
