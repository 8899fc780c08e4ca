import assert from "node:assert/strict";
import { test } from "node:test";
import { openStore } from "../../../src/store/open-store.ts";
import type { SentDelivery, WebhookProgress } from "../../../src/store/records/webhook.ts";
import type { LoadedState } from "../../../src/store/saved-rules.ts";
import { eventsOf } from "../../../src/store/packed-events.ts";
import { columnsOfTexts } from "../harness/columns.ts";
import { adding, by } from "../harness/stores.ts";
import { sqliteStores, type SmallStore } from "../harness/sqlite-stores.ts";
import { definitionOf } from "../../deployments/definition-of.ts";

const withStore = sqliteStores();
const HOOK = { url: "https://example.org/hook", description: "h", kinds: ["rule.created"], active: true } as const;
const LIST = {
  description: "d",
  url: "https://lists.example/a.txt",
  format: "text",
  schedule: "5m",
  active: true,
  max_change: 50,
  min_prefix_v4: 8,
  min_prefix_v6: 19,
  allow_empty: false,
} as const;

/** Several entities of each kind, of which the first changes; returns what the commands have said they are now. */
async function fill({ store, organisation, owned }: SmallStore) {
  const organisationId = organisation.id;
  const own = { organisationId };
  const plan = { kind: "set-plan", ...own, active: true, until: 7, perMinute: 8, perMonth: 9 } as const;
  await store.write({ ...plan, area: "cti", ...by(2) });
  const { plan: edl } = await store.write({ ...plan, area: "edl", ...by(2) });
  const { plan: cti } = await store.write({ ...plan, area: "cti", active: false, until: null, ...by(3) });
  const guard = { guard: "refuse", guardClasses: null, neverBlock: false } as const;
  const create = { kind: "create-ruleset", ...own, name: "n", purpose: "allowlist", description: "d" } as const;
  const { ruleset: kept } = await store.write({ ...create, ...guard, neverBlock: true, ...by(3) });
  const { ruleset: changed } = await store.write({
    kind: "update-ruleset",
    ...owned,
    name: "x",
    description: "y",
    guard: "refuse",
    ...by(4),
  });
  const credential = { kind: "create-credential", ...own, label: "l", start: "s" } as const;
  const api = { credential: "api", access: "read", expiresAt: 99 } as const;
  const { credential: key } = await store.write({ ...credential, ...api, digest: "k", ...by(5) });
  const { credential: gone } = await store.write({ ...credential, ...api, digest: "g", ...by(5) });
  const revoke = { kind: "revoke-credential", ...own, credential: "api", credentialId: gone.id } as const;
  const { credential: revoked } = await store.write({ ...revoke, ...by(6) });
  const deployment = { kind: "create-deployment", ...own, definition: definitionOf({ description: "d" }) } as const;
  const { deployment: plain } = await store.write({ ...deployment, name: "plain", ...by(7) });
  const { deployment: one } = await store.write({ ...deployment, name: "one", ...by(7) });
  const about = { ...own, deploymentId: one.id };
  await store.write({ kind: "rotate-deployment", ...about, credential: { url: true }, graceUntil: 800, ...by(8) });
  await store.write({ kind: "rotate-deployment", ...about, credential: { password: "p" }, graceUntil: 0, ...by(9) });
  const entries = { 4: 1, 6: 0 };
  const list = { sequence: 3, digest: "d", entries, chunks: 1, datasets: {} };
  await store.write({ kind: "publish-list", ...about, basedOn: 0, list, content: "c", ...by(10) });
  const refusal = { reasons: [{ code: "growth", message: "m" }], entries };
  await store.write({ kind: "refuse-list", ...about, basedOn: 1, refusal, ...by(11) });
  const { deployment: full } = await store.write({ kind: "release-list", ...about, number: 1, ...by(12) });
  const { list: bare } = await store.write({ kind: "create-list", ...own, name: "bare", definition: LIST, ...by(13) });
  const { list: made } = await store.write({ kind: "create-list", ...own, name: "made", definition: LIST, ...by(13) });
  const credentials = { type: "header", name: "X-Key", origin: "https://lists.example" } as const;
  const listed = { ...own, listId: made.id };
  await store.write({ kind: "set-list-credentials", ...listed, credentials, secret: "sealed", ...by(14) });
  const { claim } = await store.write({ kind: "claim-fetch", ...listed, until: 100, isRequested: true, ...by(15) });
  assert.equal(claim!.secret, "sealed");
  const content = { digest: "c", entries, rejected: { count: 0, lines: [] }, change: null };
  const validators = { url: LIST.url, format: "text", etag: '"a"', lastModified: null } as const;
  const finish = { kind: "finish-fetch", ...listed, claimedUntil: 100, basedOn: claim!.list.updatedAt } as const;
  const { list: fetched } = await store.write({
    ...finish,
    dueAt: 500,
    result: { content, packed: "packed", validators },
    ...by(16),
  });
  const hook = { kind: "create-webhook", ...own, definition: HOOK, secret: "sealed-1" } as const;
  const { webhook: other } = await store.write({ ...hook, ...by(17) });
  const { webhook: first } = await store.write({ ...hook, ...by(17) });
  const hooked = { ...own, webhookId: first.id };
  await store.write({ kind: "rotate-webhook", ...hooked, secret: "sealed-2", graceUntil: 900, ...by(18) });
  const stopped = await store.write({ kind: "stop-webhook", ...hooked, reason: "gone", seen: 18, ...by(19) });
  return {
    plans: [edl, cti],
    rulesets: [kept, changed],
    credentials: [key, revoked],
    deployments: [plain, full],
    externalLists: [bare, fetched],
    webhooks: [other, stopped.webhook],
  };
}

function sorted(items: readonly object[]): string[] {
  return items.map((item) => JSON.stringify(Object.entries(item).toSorted())).toSorted();
}

test("whatever was written is read from the file again, in every property", () =>
  withStore(async (small) => {
    const { organisation, allowlist, owned, file } = small;
    const written = await fill(small);
    const again = await openStore({ file });
    const state: LoadedState = await again.load(null);
    for (const [kind, entities] of Object.entries(written)) {
      const found = state[kind as keyof typeof written] as readonly object[];
      const expected = kind === "rulesets" ? [...entities, allowlist] : entities;
      assert.deepEqual(sorted(found), sorted(expected), kind);
    }
    assert.deepEqual(state.organisations, [organisation]);
    const [, full] = written.deployments;
    assert.deepEqual(await again.read("publishedList", full!.id), { generation: 1, content: "c" });
    const [, fetched] = written.externalLists;
    assert.deepEqual(await again.read("listContent", fetched!.id), { number: 1, content: "packed" });
    assert.deepEqual(await again.read("webhookSecrets", written.webhooks[1]!.id), {
      current: "sealed-2",
      previous: [{ rotation: 1, replacedAt: 18, until: 900, secret: "sealed-1" }],
    });
    const checks = await again.read("listChecks", owned.organisationId);
    assert.deepEqual(
      checks.find(({ listId }) => listId === fetched!.id),
      { listId: fetched!.id, checkedAt: 16, dueAt: 500 },
    );
    await again.close();
  }));

test("what is deleted is gone, and nothing else", () =>
  withStore(async (small) => {
    const { store, organisation, owned } = small;
    const { deployments, externalLists, webhooks } = await fill(small);
    const own = { organisationId: organisation.id };
    await store.write({ kind: "delete-deployment", ...own, deploymentId: deployments[1]!.id, ...by(30) });
    await store.write({ kind: "delete-list", ...own, listId: externalLists[1]!.id, ...by(31) });
    await store.write({ kind: "delete-webhook", ...own, webhookId: webhooks[1]!.id, ...by(32) });
    await store.write({ kind: "delete-ruleset", ...owned, ...by(33) });
    const state = await store.load(null);
    const counts = [state.rulesets, state.externalLists, state.webhooks].map(({ length }) => length);
    assert.deepEqual(counts, [2, 1, 1]);
    assert.equal(state.deployments.find(({ id }) => id === deployments[1]!.id)!.deletedAt, 30);
    assert.equal(await store.read("publishedList", deployments[1]!.id), null);
    assert.equal(await store.read("listContent", externalLists[1]!.id), null);
    assert.equal(await store.read("webhookSecrets", webhooks[1]!.id), null);
    assert.notEqual(await store.read("webhookSecrets", webhooks[0]!.id), null);
  }));

test("the feed tells of keys, rulesets and webhooks that were stopped, and of no other credentials", () =>
  withStore(async (small) => {
    const { store, organisation, owned } = small;
    const [deployment] = (await fill(small)).deployments;
    const bouncer = { credential: "bouncer", label: "b", digest: "b", start: "ipb_", hostsOnly: true } as const;
    const about = { organisationId: organisation.id, deploymentId: deployment!.id };
    await store.write({ kind: "create-credential", ...about, ...bouncer, ...by(30) });
    await store.write({ kind: "delete-ruleset", ...owned, ...by(31) });
    const { rows } = await store.read("events", organisation.id, 0, 100);
    assert.deepEqual(
      rows.flatMap((row) => [...eventsOf(row, 0)]).map(({ type }) => type),
      "ruleset.created ruleset.created ruleset.created ruleset.updated key.created key.created key.revoked \
deployment.generated deployment.refused list.refreshed webhook.disabled ruleset.deleted".split(" "),
    );
  }));

test("users have passwords once they have joined, and their sessions end one by one or together", () =>
  withStore(async ({ store }) => {
    const session = (digest: string) => ({ digest, expiresAt: 9000 });
    const setUp = { kind: "set-up", organisation: "Example", name: "Ann", password: "hash" } as const;
    const { user: ann } = await store.write({ ...setUp, session: session("s1"), ...by(5) });
    const own = { organisationId: ann.organisationId };
    const invite = { kind: "create-user", ...own, name: "Bob", role: "admin" } as const;
    const { user: bob } = await store.write({ ...invite, invitation: { digest: "i", expiresAt: 50 }, ...by(6) });
    const invited = { id: bob.id, organisationId: bob.organisationId, name: "Bob" };
    const credentials = { userId: ann.id, organisationId: ann.organisationId, password: "hash" };
    assert.deepEqual(await store.read("credentials", "ANN"), credentials);
    assert.equal(await store.read("credentials", "bob"), null, "no password yet");
    assert.equal(await store.read("credentials", "\0"), null);
    assert.deepEqual(await store.read("invited", "i", 49), invited);
    assert.equal(await store.read("invited", "i", 50), null);
    await store.write({ kind: "join", invitation: "i", password: "hash 2", session: session("s2"), ...by(7) });
    assert.equal((await store.read("credentials", "bob"))!.password, "hash 2");
    await store.write({
      kind: "start-session",
      ...own,
      userId: ann.id,
      checked: "hash",
      session: session("s3"),
      ...by(8),
    });
    await store.write({ kind: "end-session", ...own, digest: "s1", ...by(9) });
    const sessions = async () => (await store.load(null)).sessions.map(({ digest }) => digest).toSorted();
    assert.deepEqual(await sessions(), ["s2", "s3"]);
    await store.write({ kind: "set-role", ...own, userId: bob.id, role: "viewer", ...by(10) });
    await store.write({ kind: "delete-user", ...own, userId: bob.id, ...by(11) });
    assert.deepEqual(await sessions(), ["s3"]);
    assert.equal(await store.read("credentials", "bob"), null);
    const users = (await store.load(null)).users;
    assert.deepEqual(
      users.map(({ name, role, deletedAt, lastSignInAt }) => [name, role, deletedAt, lastSignInAt]),
      [
        ["Ann", "admin", null, 8],
        ["Bob", "viewer", 11, 7],
      ],
    );
  }));

test("the state is in the order of creation, then of ids", () =>
  withStore(async ({ store, organisation }) => {
    const create = { kind: "create-ruleset", organisationId: organisation.id } as const;
    for (const [index, at] of [9, 3, 3, 3, 3, 3, 5].entries())
      await store.write({ ...create, name: `${index}`, purpose: "blocklist", description: "", ...by(at) });
    const { rulesets } = await store.load(null);
    const keys = rulesets.map(({ createdAt, id }) => `${createdAt} ${id}`);
    assert.deepEqual(keys, keys.toSorted());
  }));

test("what an endpoint has got is moved from where it was, and is gone with others only if it is old", () =>
  withStore(async (small) => {
    const { store } = small;
    const { webhooks } = await fill(small);
    const [{ id }, { id: another }] = webhooks as readonly { id: string }[] as [{ id: string }, { id: string }];
    const [known] = await store.read("webhookProgress", [id]);
    const next: WebhookProgress = {
      webhookId: id,
      cursor: known!.cursor + 1,
      attempts: 2,
      nextAt: 3,
      failingSince: 4,
      lastAttemptAt: 5,
      lastSuccessAt: 6,
      givenUp: 7,
    };
    const delivery = (at: number, webhookId = id): SentDelivery => ({
      id: `delivery ${at}`,
      webhookId,
      at,
      messageId: "m",
      type: "rule.created",
      cause: "resend",
      attempt: 3,
      outcome: "failed",
      status: 500,
      error: "e",
      milliseconds: 9,
      body: "{}",
    });
    const record = (at: number, from: number | null = null, webhookId = id) =>
      store.record("delivery", { delivery: delivery(at, webhookId), progress: from === null ? null : { from, next } });
    assert.equal(await record(1, known!.cursor), true);
    assert.equal(await record(2, known!.cursor), false);
    assert.deepEqual(await store.read("webhookProgress", [id]), [next]);
    const last = { ...next, cursor: next.cursor + 1 };
    assert.equal(await store.record("webhookProgress", { from: known!.cursor, next: last }), false);
    assert.equal(await store.record("webhookProgress", { from: next.cursor, next: last }), true);
    assert.equal((await store.read("webhookProgress", [another]))[0]!.webhookId, another);
    assert.deepEqual(await store.read("webhookProgress", []), []);
    const { body, ...shown } = delivery(2);
    assert.deepEqual(await store.read("deliveries", id), [shown, { ...shown, id: "delivery 1", at: 1 }]);
    assert.deepEqual(await store.read("delivery", id, "delivery 2"), { ...shown, body });
    await record(3, null, another);
    for (let at = 10; at < 60; at++) await record(at);
    const kept = (await store.read("deliveries", id)).map(({ at }) => at);
    assert.deepEqual(
      kept,
      Array.from({ length: 50 }, (_, i) => 59 - i),
    );
    assert.equal((await store.read("deliveries", another)).length, 1);
    assert.equal(await record(1, null, crypto.randomUUID()), false);
  }));

test("commands of one moment see each other's rules, and each is counted", () =>
  withStore(async ({ store, owned, allowlist }) => {
    const add = (text: string, rulesetId = owned.rulesetId) =>
      store.write({ kind: "add-rule", ...owned, rulesetId, request: adding(text, { mode: "fail" }), ...by(5) });
    await add("192.0.2.1");
    const answers = await Promise.allSettled([
      ...["192.0.2.1", "192.0.2.2", "192.0.2.2", "192.0.2.3"].map((text) => add(text)),
      add("192.0.2.1", allowlist.id),
    ]);
    assert.deepEqual(
      answers.map(({ status }) => status),
      ["rejected", "fulfilled", "rejected", "fulfilled", "fulfilled"],
    );
    await store.write({ kind: "replace-rules", ...owned, rules: columnsOfTexts(["2001:db8::/32"]), ...by(6) });
    assert.equal((await store.check()).rules, 2);
  }));
