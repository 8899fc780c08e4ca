import assert from "node:assert/strict";
import { test } from "node:test";
import { EndpointQueue, type QueueServices } from "../../../src/service/webhooks/endpoint-queue.ts";
import type { WebhookProgress } from "../../../src/store/records/webhook.ts";

const NOW = 1000;

/** A queue of an endpoint whose progress tests set, and how often it was read. */
function queueOf(progress: Partial<WebhookProgress>) {
  const state = { reads: 0, fails: false, progress };
  const read = async (what: string): Promise<unknown> => {
    if (state.fails) throw new Error("the store fails");
    if (what === "events") return { rows: [], oldest: 1, sequence: 0 };
    state.reads++;
    return [{ cursor: 0, attempts: 0, nextAt: null, lastAttemptAt: null, ...state.progress }];
  };
  const ending = new AbortController();
  const webhook = { id: "w", organisationId: "o", kinds: [], active: true, stopped: null };
  const services = {
    store: { read },
    memory: { webhookById: () => webhook, ruleset: () => undefined },
    now: () => NOW,
    baseUrl: "",
    signal: ending.signal,
  } as unknown as QueueServices;
  return { queue: new EndpointQueue("w", services), state, ending };
}

test("a queue that is woken looks once, and says when it has to be woken again", async () => {
  const { queue, state, ending } = queueOf({ nextAt: NOW + 5, lastAttemptAt: NOW - 5 });
  queue.wake();
  await queue.idle();
  assert.deepEqual([state.reads, queue.dueAt], [1, NOW + 5]);
  state.progress = { nextAt: NOW + 5, lastAttemptAt: NOW + 1 };
  queue.wake();
  await queue.idle();
  assert.deepEqual([state.reads, queue.dueAt], [2, null], "the clock was set back: it is due, and there is nothing");
  state.progress = { nextAt: NOW, lastAttemptAt: NOW - 5 };
  queue.wake();
  await queue.idle();
  assert.equal(queue.dueAt, null);
  state.fails = true;
  queue.wake();
  await queue.idle();
  assert.equal(queue.dueAt, NOW + 1000, "after a failure of the store");
  state.fails = false;
  ending.abort();
  queue.wake();
  await queue.idle();
  assert.equal(state.reads, 3, "no longer");
});

test("a queue that is woken while it looks does so once more; one that rests, no more", async () => {
  const { queue, state } = queueOf({});
  queue.wake();
  queue.wake();
  queue.wake();
  await queue.idle();
  await queue.idle();
  assert.ok(state.reads >= 1 && state.reads <= 2, String(state.reads));
  queue.rest();
  queue.wake();
  await queue.idle();
  assert.ok(state.reads <= 2);
});
