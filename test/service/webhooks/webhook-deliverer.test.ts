/** Which server delivers, and when it looks for events: by the lease in the database, and by what it is told. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import type { Change } from "../../../src/store/change.ts";
import { WebhookDeliverer } from "../../../src/service/webhooks/webhook-deliverer.ts";
import { until } from "../../until.ts";

const EVENT = {
  first: 1,
  last: 1,
  at: 0,
  type: "key.created",
  rulesetId: null,
  parts: null,
  body: JSON.stringify({ type: "key.created", key: { id: "k", label: "", access: "read", expiresAt: null } }),
};

/** A deliverer of these endpoints; `looks` names each endpoint whose progress it has read, `leases` what it asked for. */
function delivererOf(...ids: string[]) {
  const webhooks = ids.map((id) => ({ id, organisationId: `of ${id}` }));
  const state = {
    isOurs: true,
    leases: [] as unknown[][],
    looks: [] as string[],
    isWatched: false,
    closed: 0,
    /** Whether there is an event to send, and the end of the message that is being sent. */
    isSending: false,
    sending: undefined as AbortSignal | undefined,
  };
  let notice: (organisationId: string | null) => void = () => {};
  const store = {
    record: async (...args: unknown[]) => {
      state.leases.push(args);
      return state.isOurs;
    },
    read: async (what: string, [id]: string[]) => {
      if (what === "events") return { rows: [EVENT], oldest: 1, sequence: 1, feed: "f" };
      state.looks.push(id!);
      return state.isSending ? [{ webhookId: id, cursor: 0, attempts: 0, nextAt: null, lastAttemptAt: null }] : [];
    },
    onEvents: (listener: typeof notice) => {
      [notice, state.isWatched] = [listener, true];
      return () => (state.isWatched = false);
    },
  };
  const memory = {
    everyWebhook: () => webhooks,
    webhookById: (id: string) => ({ id, organisationId: "o", kinds: ["key.created"], active: true, stopped: null }),
  };
  const messages = {
    send: async (_webhook: object, _message: object, signal: AbortSignal) => {
      state.sending = signal;
      await once(signal, "abort");
      return { result: { status: null, error: "ended", retryAfter: null }, sent: {} };
    },
  };
  const post = { close: async () => void state.closed++ };
  const deliverer = new WebhookDeliverer({ store, memory, post, messages, now: () => 0, baseUrl: "" } as never);
  /** The endpoints that it looks at, at once, for this reason. */
  const looksFor = async (cause: () => void) => {
    const before = state.looks.length;
    cause();
    const looks = state.looks.slice(before);
    await new Promise(setImmediate); // they are idle again
    return looks;
  };
  return { deliverer, state, webhooks, looksFor, notice: (id: string | null) => notice(id) };
}
const change = (about: object) => [about] as unknown as readonly Change[];

test("the server that has the lease looks at all endpoints, then at those that may have events; it gives the lease back", async () => {
  const { deliverer, state, webhooks, looksFor, notice } = delivererOf("a", "b");
  deliverer.start();
  await until("all were looked at", () => state.looks.length === 2);
  const [first] = state.leases;
  assert.deepEqual([state.leases.length, first![0], first![1], first![3]], [1, "lease", "webhooks", 6000]);
  assert.deepEqual([state.looks.toSorted(), state.isWatched], [["a", "b"], true]);
  await new Promise(setImmediate);
  assert.deepEqual(await looksFor(() => notice("of b")), ["b"]);
  assert.deepEqual(await looksFor(() => notice("of none")), []);
  assert.deepEqual(await looksFor(() => notice(null)), ["a", "b"]);
  assert.deepEqual(await looksFor(() => deliverer.forget()), ["a", "b"]);
  webhooks.push({ id: "c", organisationId: "of c" });
  assert.deepEqual(await looksFor(() => deliverer.apply(change({ kind: "webhook", webhook: { id: "c" } }))), ["c"]);
  assert.deepEqual(await looksFor(() => deliverer.apply(change({ kind: "organisation" }))), []);
  // It renews its lease, and looks for what other processes have written.
  const before = state.looks.length;
  await until("the lease is renewed", () => state.leases.length === 2 && state.looks.length === before + 3);
  await deliverer.stop();
  assert.deepEqual(state.leases.at(-1)!.slice(0, 2), ["lease", "webhooks"]);
  assert.equal(state.leases.at(-1)!.at(-1), 0, "the next server can begin at once");
  assert.equal(new Set(state.leases.map((each) => each[2])).size, 1, "always the same server");
  assert.deepEqual(
    state.leases.slice(0, -1).map((each) => each[3]),
    [6000, 6000],
  );
  assert.deepEqual([state.isWatched, state.closed], [false, 1]);
});

test("a server without the lease looks at none; one that has lost it no longer, and gives nothing back", async () => {
  const { deliverer, state, looksFor, notice } = delivererOf("a");
  state.isOurs = false;
  deliverer.start();
  await new Promise(setImmediate);
  assert.deepEqual(await looksFor(() => notice(null)), []);
  await until("it asks again", () => state.leases.length === 2);
  state.isOurs = true;
  await until("it has got the lease", () => state.looks.length === 1);
  state.isOurs = false;
  const asked = state.leases.length;
  await until("it has lost the lease", () => state.leases.length > asked);
  await new Promise(setImmediate);
  assert.deepEqual(await looksFor(() => notice(null)), []);
  assert.deepEqual(await looksFor(() => deliverer.forget()), []);
  await deliverer.stop();
  assert.ok(state.leases.every((each) => each[3] === 6000));
});

test("without endpoints no lease is asked for; the first endpoint is looked at without waiting for a check", async () => {
  const { deliverer, state, webhooks } = delivererOf();
  deliverer.start();
  assert.deepEqual(state.leases, []);
  deliverer.apply(change({ kind: "organisation" }));
  webhooks.push({ id: "a", organisationId: "o" });
  deliverer.apply(change({ kind: "organisation" }));
  assert.deepEqual(state.leases, [], "not for other changes");
  deliverer.apply(change({ kind: "webhook", webhook: { id: "a" } }));
  assert.equal(state.leases.length, 1);
  await deliverer.stop();
});

test("a server that has lost the lease ends its message at once: the next one sends it again", async () => {
  const { deliverer, state } = delivererOf("a");
  state.isSending = true;
  deliverer.start();
  await until("a message is being sent", () => state.sending !== undefined);
  assert.equal(state.sending!.aborted, false);
  state.isOurs = false;
  const asked = state.leases.length;
  await until("it has lost the lease", () => state.leases.length > asked, { every: 1 });
  await new Promise(setImmediate);
  assert.equal(state.sending!.aborted, true);
  await deliverer.stop();
});
