/**
 * Secrets that rotate, under random sequences of rotations, waiting, emergencies and restarts: at each moment exactly
 * those work that were promised to, and the documents list them with their ends.
 */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { after, before, test } from "node:test";
import { Random } from "../../bench/data/random.ts";
import { rounds } from "../rounds.ts";
import { until } from "../until.ts";
import { addUser, type TestUser, visit } from "./dashboard/browser.ts";
import { type Received, WebhookReceiver } from "./harness/webhook-receiver.ts";
import { addKey, addOrganisation, type Answer, ask, startServer, type TestServer } from "./start-server.ts";

const HOUR = 3_600_000;
const SEED = 20_261_127;
/** As many earlier secrets may still work. */
const MOST = 10;

let t: TestServer;
let receiver: WebhookReceiver;
let organisationId = "";
let admin: TestUser;
let key = "";

before(async () => {
  const limits = { perMinute: 1e9, perMonth: 1e12, signInsPerMinute: 1e9, failuresPerMinute: 1e9 };
  t = await startServer({ outboundAllow: "127.0.0.0/8", ...limits });
  receiver = await WebhookReceiver.start();
  organisationId = await addOrganisation(t, "rotations");
  key = (await addKey(t, organisationId)).text;
  admin = await addUser(t, organisationId, "admin");
});
after(async () => {
  await t.close();
  await receiver.close();
});

/** A secret that was handed out; `until`: the first millisecond at which it need not work, Infinity for the current one. */
interface Secret {
  readonly text: string;
  until: number;
  replacedAt: number;
}

/** A kind of secret that rotates: how it is replaced, listed and tried. */
interface Rotating {
  readonly secrets: Secret[];
  readonly mostHours: number;
  rotate(hours: number): Promise<Answer>;
  /** The secret that an answer of `rotate` has made the current one. */
  newest(answer: Answer): Promise<string>;
  /** Those that the answer of `rotate`, or the document, says still work. */
  listedIn(answer: Answer): unknown;
  listed(): Promise<unknown>;
  /** Which of the secrets work now. */
  working(): Promise<boolean[]>;
}

const call = (method: string, path: string, body?: unknown): Promise<Answer> =>
  visit(t, method, path, { token: admin.token, ...(body === undefined ? {} : { body }) });

const secretOf = (text: string): Secret => ({ text, until: Number.POSITIVE_INFINITY, replacedAt: 0 });

async function newUrls(): Promise<Rotating> {
  const definition = { firewall_format: "text", purpose: "blocklist", include: [{ prefixes: ["198.51.100.0/24"] }] };
  const made = await ask(t, "POST", "/v1/edl/deployments/", { key, body: { name: "edge", ...definition } });
  assert.equal(made.status, 201, made.text);
  const path = `/v1/edl/deployments/${made.body.id}`;
  const urlOf = async (): Promise<string> =>
    new URL((await ask(t, "GET", `${path}/urls/`, { key })).body.urls.combined[0]).pathname;
  const tags = new Map<string, string>();
  const fetched = async (url: string): Promise<number> => {
    // As devices do: with the tag that they have, which is answered on a short way of its own.
    const known = tags.get(url);
    const answer = await ask(t, "GET", url, known === undefined ? {} : { headers: { "If-None-Match": known } });
    const tag = answer.headers.get("etag");
    if (tag !== null) tags.set(url, tag);
    return answer.status;
  };
  const first = await urlOf();
  await until("its list is published", async () => (await fetched(first)) === 200);
  const rotating: Rotating = {
    secrets: [secretOf(first)],
    mostHours: 720,
    rotate: (hours) =>
      call("POST", `/edl/deployments/${made.body.id}:rotate`, { credential: "url", grace_hours: hours }),
    newest: urlOf,
    listedIn: ({ body }) => body.previous_urls,
    listed: async () => (await ask(t, "GET", path, { key })).body.previous_urls,
    working: async () => {
      const statuses = await Promise.all(rotating.secrets.map(({ text }) => fetched(text)));
      for (const status of statuses) assert.ok([200, 304, 403].includes(status), String(status));
      return statuses.map((status) => status !== 403);
    },
  };
  return rotating;
}

async function newWebhook(serial: number): Promise<Rotating> {
  const place = `/${serial}`;
  const made = await call("POST", "/webhooks", { url: receiver.url + place, kinds: ["key.created"] });
  assert.equal(made.status, 201, made.text);
  const path = `/webhooks/${made.body.webhook.id}`;
  const rotating: Rotating = {
    secrets: [secretOf(made.body.secret)],
    mostHours: 168,
    rotate: (hours) => call("POST", `${path}:rotate`, { grace_hours: hours }),
    newest: async ({ body }) => body.secret,
    listedIn: ({ body }) => body.webhook.previous_secrets,
    listed: async () => (await call("GET", path)).body.previous_secrets,
    working: async () => {
      const sent = await call("POST", `${path}:test`);
      assert.equal(sent.body.outcome, "delivered", sent.text);
      const message = receiver.at(place).at(-1)!;
      return rotating.secrets.map(({ text }) => isSignedBy(text, message));
    },
  };
  return rotating;
}

/** As the Standard Webhooks specification defines it; its libraries compare times with the true clock. */
function isSignedBy(secret: string, { headers, body }: Received): boolean {
  const bytes = Buffer.from(secret.slice("whsec_".length), "base64");
  const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
  const signature = `v1,${createHmac("sha256", bytes).update(signed).digest("base64")}`;
  return String(headers["webhook-signature"]).split(" ").includes(signature);
}

const isoOf = (time: number): string => new Date(time).toISOString();

/** Those replaced that were promised to work now, as documents list them. */
function promised({ secrets }: Rotating): { replaced_at: string; valid_until: string }[] {
  const replaced = secrets.filter(({ until: end }) => t.clock.now < end && end < Number.POSITIVE_INFINITY);
  return replaced.map((each) => ({ replaced_at: isoOf(each.replacedAt), valid_until: isoOf(each.until) }));
}

async function check(rotating: Rotating): Promise<void> {
  assert.deepEqual(
    await rotating.working(),
    rotating.secrets.map(({ until: end }) => t.clock.now < end),
  );
  assert.deepEqual(await rotating.listed(), promised(rotating));
}

/** Whether it was done, and not refused because too many still work. */
async function rotate(rotating: Rotating, hours: number, keepsOne: boolean): Promise<boolean> {
  const { secrets } = rotating;
  const working = promised(rotating);
  const answer = await rotating.rotate(hours);
  if (hours > 0 && working.length >= MOST) {
    assert.equal(answer.status, 409, answer.text);
    const first = working.map(({ valid_until: end }) => end).sort()[0]!;
    assert.ok(answer.body.detail.includes(first), answer.body.detail);
    return false;
  }
  assert.equal(answer.status, 200, answer.text);
  const replaced = secrets.at(-1)!;
  // In an emergency, what was promised before no longer holds.
  if (hours === 0 || keepsOne) for (const each of secrets) each.until = Math.min(each.until, t.clock.now);
  Object.assign(replaced, { until: t.clock.now + hours * HOUR, replacedAt: t.clock.now });
  secrets.push(secretOf(await rotating.newest(answer)));
  // Of those that no longer work, the last ones are tried further.
  const ended = secrets.findIndex(({ until: end }) => end <= t.clock.now);
  if (secrets.length > 30 && ended !== -1) secrets.splice(ended, 1);
  assert.deepEqual(rotating.listedIn(answer), promised(rotating));
  return true;
}

/** `keepsOne`: as if only the last replaced secret were promised to work. */
async function run(seed: number, steps: number, keepsOne = false): Promise<Record<string, number>> {
  const random = new Random(seed);
  const kinds = [await newUrls(), await newWebhook(seed)];
  const counts = { rotations: 0, emergencies: 0, refused: 0, waits: 0, restarts: 0, working: 0 };
  for (let step = 0; step < steps; step++) {
    const rotating = kinds[random.below(kinds.length)]!;
    const action = random.below(20);
    if (action < 12) {
      const hours = action === 0 ? 0 : 1 + random.below(random.below(4) === 0 ? rotating.mostHours : 30);
      const isDone = await rotate(rotating, hours, keepsOne);
      counts[!isDone ? "refused" : hours === 0 ? "emergencies" : "rotations"]++;
    } else if (action < 19) {
      counts.waits++;
      // To the very end of a promise, to the millisecond before it, or somewhere.
      const ends = kinds.flatMap(({ secrets }) => secrets.map(({ until: end }) => end));
      const coming = ends.filter((end) => end > t.clock.now && end < Number.POSITIVE_INFINITY);
      const end = coming.length === 0 ? t.clock.now + HOUR : coming[random.below(coming.length)]!;
      const choice = random.below(3);
      t.clock.now = choice === 0 ? end : choice === 1 ? end - 1 : t.clock.now + random.below(4 * HOUR);
    } else {
      counts.restarts++;
      await t.restart();
    }
    for (const each of kinds) await check(each);
    counts.working = Math.max(counts.working, ...kinds.map((each) => promised(each).length));
  }
  return counts;
}

test("at each moment exactly the promised secrets work, and the documents list them", async (c) => {
  const counts = await run(SEED, rounds({ short: 60, long: 600 }));
  c.diagnostic(JSON.stringify(counts));
  assert.ok(counts["working"]! > 3);
});

test("when as many still work as may, another rotation is refused, says when the first ends, and can end all", async () => {
  for (const rotating of [await newUrls(), await newWebhook(0)]) {
    for (let hours = 30; hours > 30 - MOST; hours--) assert.ok(await rotate(rotating, hours, false));
    await check(rotating);
    assert.equal(await rotate(rotating, 24, false), false);
    await check(rotating);
    t.clock.now += (31 - MOST) * HOUR;
    assert.ok(await rotate(rotating, 24, false), "the first has ended");
    await check(rotating);
    assert.ok(await rotate(rotating, 0, false));
    await check(rotating);
    assert.equal(promised(rotating).length, 0);
  }
});

test("negative control: a harness that expects only the last replaced secret to work notices that others do", async () => {
  await assert.rejects(run(SEED + 1, 80, true), { name: "AssertionError" });
});
