import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { FailureLimits, KeyLimits, MinuteCounts, SteadyClock } from "../../src/service/access/rate-limits.ts";
import { SignInLimits } from "../../src/service/access/sign-in-limits.ts";
import { ServiceError } from "../../src/service/service-error.ts";
import type { Settings } from "../../src/service/settings.ts";
import { type Area, AREAS } from "../../src/store/state.ts";
import { ApiDocument } from "./fuzz/api-document.ts";
import { startBrokenServer } from "./fuzz/broken-server.ts";
import { type Sent, sender } from "./fuzz/send.ts";
import { addKey, addOrganisation, ask, START, startServer, type TestServer } from "./start-server.ts";
import { sampled } from "../rounds.ts";

/** A server that is closed when the test ends. */
async function serverFor(context: TestContext, settings: Partial<Settings> = {}): Promise<TestServer> {
  const server = await startServer(settings);
  context.after(() => server.close());
  return server;
}

test("two windows per key: the headers describe the one with less left; 429 says when to retry", async (context) => {
  const t = await serverFor(context, { perMinute: 3, perMonth: 5 });
  const organisation = await addOrganisation(t, "limits");
  const { text: key } = await addKey(t, organisation);
  const other = (await addKey(t, organisation)).text;
  const take = async (who = key) => {
    const { status, headers } = await ask(t, "GET", "/v1/edl/ip-rulesets/", { key: who });
    return [
      status,
      ...["limit", "remaining", "reset"].map((name) => Number(headers.get(`ratelimit-${name}`))),
      headers.get("retry-after"),
    ];
  };
  t.clock.now = START + 15_000;
  assert.deepEqual(await take(), [200, 3, 2, 45, null]);
  assert.deepEqual(await take(), [200, 3, 1, 45, null]);
  assert.deepEqual(await take(), [200, 3, 0, 45, null]);
  assert.deepEqual(await take(), [429, 3, 0, 45, "45"]);
  assert.deepEqual(await take(other), [200, 3, 2, 45, null]);
  t.clock.now = START + 60_000;
  const month = (Date.UTC(2026, 11) - t.clock.now) / 1000;
  assert.deepEqual(await take(), [200, 5, 1, month, null]);
  assert.deepEqual(await take(), [200, 5, 0, month, null]);
  const refused = await ask(t, "GET", "/v1/edl/ip-rulesets/", { key });
  assert.deepEqual(
    [refused.status, refused.body.type, refused.body.title],
    [429, "/problems/rate-limit-exceeded", "Rate Limit Exceeded"],
  );
  assert.equal(refused.body.request_id, refused.headers.get("x-request-id"));
  assert.equal(refused.headers.get("retry-after"), String(month));
  t.clock.now = Date.UTC(2026, 11);
  assert.deepEqual((await take()).slice(0, 3), [200, 3, 2]);
  assert.match((await ask(t, "GET", "/metrics")).text, /ipsieve_rate_limited_total\{window="month"\} 1/);
});

test("the limits of a plan take precedence over the server's", async (context) => {
  const t = await serverFor(context);
  const organisation = await addOrganisation(t, "plan");
  const { text: key } = await addKey(t, organisation);
  await t.server.store.write({
    kind: "set-plan",
    actor: "user:test",
    at: START,
    organisationId: organisation,
    area: "cbs",
    active: true,
    until: null,
    perMinute: 7,
    perMonth: null,
  });
  assert.equal((await ask(t, "GET", "/v1/cbs/lookup?ip=1.1.1.1", { key })).headers.get("ratelimit-limit"), "7");
});

test("requests under one plan do not count against another, in the minute and in the month, even after a restart", async (context) => {
  const t = await serverFor(context);
  const organisation = await addOrganisation(t, "apart");
  const { text: key } = await addKey(t, organisation);
  await setPlan(t, organisation, "cti", 60, 70);
  const statuses = async (path: string, count: number): Promise<Set<number>> => {
    const answers = await Promise.all(Array.from({ length: count }, () => ask(t, "GET", path, { key })));
    return new Set(answers.map(({ status }) => status));
  };
  assert.deepEqual(await statuses("/v1/edl/ip-rulesets/", 100), new Set([200]));
  const lookup = "/v1/cti/lookup/192.0.2.1";
  const { status, headers } = await ask(t, "GET", lookup, { key });
  assert.deepEqual(
    [status, headers.get("ratelimit-limit"), headers.get("ratelimit-remaining")],
    [503, "60", "59"],
    "there are no threats, but requests left",
  );
  await t.restart();
  t.clock.now += 60_000;
  assert.equal(
    (await ask(t, "GET", lookup, { key })).headers.get("ratelimit-remaining"),
    "59",
    "of the minute; the month has 68",
  );
  assert.equal((await ask(t, "GET", "/v1/edl/ip-rulesets/", { key })).headers.get("ratelimit-limit"), "6000");
  await statuses(lookup, 59);
  const refused = await ask(t, "GET", lookup, { key });
  assert.equal(
    refused.body.detail,
    "the key has used up the 60 requests per minute that the plan for threat-intelligence lookup allows; try again in 60 s",
  );
  assert.deepEqual(await statuses("/v1/edl/ip-rulesets/", 10), new Set([200]));
});

const LIMITS: Readonly<Record<Area, number>> = { edl: 10_001, cbs: 10_002, cti: 10_003 };

function setPlan(
  { server }: TestServer,
  organisationId: string,
  area: Area,
  perMinute: number,
  perMonth: number | null = null,
) {
  return server.store.write({
    kind: "set-plan",
    actor: "command:test",
    at: START,
    organisationId,
    area,
    active: true,
    until: null,
    perMinute,
    perMonth,
  });
}

/**
 * Requests every operation and some other paths with a new key, well and badly, with and without the key, and returns
 * the responses that do not state the rest of the right window.
 */
async function wrongLimits(url: string, key: string): Promise<string[]> {
  const { operations } = await ApiDocument.of(url);
  const { send, close } = sender(url, 1);
  const wrong: string[] = [];
  const left: Record<string, number> = { ...LIMITS };
  const hold = async (window: string, limit: number, isCounted: boolean, sent: Sent): Promise<void> => {
    const { status, headers } = await send(sent);
    left[window] ??= Number(headers["ratelimit-remaining"]) + (isCounted ? 1 : 0);
    if (isCounted) left[window]--;
    const told = ["limit", "remaining", "reset"].map((name) => headers[`ratelimit-${name}`]);
    if (told.some((text) => !/^\d+$/.test(text ?? "")) || Number(told[0]) !== limit || Number(told[1]) !== left[window])
      wrong.push(`${sent.method} ${sent.path.slice(0, 80)} ${status}: ${told.join()}, not ${limit},${left[window]}`);
  };
  for (const { method, path, plan } of sampled(operations, 3)) {
    const good = path.replace("{ruleset_id}", crypto.randomUUID()).replace("{ip}", "192.0.2.1");
    for (const target of [good, `${good}?page=x&ip=x`]) {
      await hold(plan, LIMITS[plan], true, {
        method,
        path: target,
        headers: { "X-API-Key": key, "Content-Type": "application/json" },
        body: method === "GET" ? undefined : "{",
      });
      await hold("address", 1_000_000, true, { method, path: target, headers: {} });
      await hold("address", 1_000_000, true, { method, path: target, headers: { "X-API-Key": "x" } });
    }
    await hold("address", 1_000_000, false, { method: "PROPFIND", path: good, headers: { "X-API-Key": key } });
    await hold("address", 1_000_000, false, {
      method,
      path: `${good}?${"x".repeat(9000)}`,
      headers: { "X-API-Key": key },
    });
  }
  for (const path of ["/nowhere", "/livez", "/readyz", "/docs", "/openapi.json", "/%zz", "/", "/dashboard/api/session"])
    await hold("address", 1_000_000, false, { method: "GET", path, headers: { "X-API-Key": key } });
  close();
  return wrong;
}

test("every response, of every operation and plan, says how much of its window is left", async (context) => {
  const t = await serverFor(context, { failuresPerMinute: 1_000_000 });
  const organisation = await addOrganisation(t, "every");
  const newKey = async (): Promise<string> => (await addKey(t, organisation)).text;
  for (const area of AREAS) await setPlan(t, organisation, area, LIMITS[area]);
  assert.deepEqual(await wrongLimits(t.server.url, await newKey()), []);
  const without = await startBrokenServer(t.server.url, "", {
    operation: "any",
    run: async (exchange, ask) => {
      const answer = await ask(exchange);
      return answer.status === 414
        ? { ...answer, headers: { ...answer.headers, "ratelimit-limit": undefined } }
        : answer;
    },
  });
  const shared = await startBrokenServer(t.server.url, "", {
    operation: "any",
    run: async (exchange, ask) => {
      const { "x-api-key": key = "" } = exchange.headers;
      if (exchange.path.startsWith("/v1/edl/") && String(key).length > 1)
        await ask({ method: "GET", path: "/v1/cbs/providers", headers: { "x-api-key": key }, body: "" });
      return ask(exchange);
    },
  });
  context.after(() => [without, shared].forEach((broken) => broken.close()));
  assert.match(
    (await wrongLimits(without.url, await newKey())).join("\n"),
    / 414: /,
    "negative control: a server that leaves the headers out",
  );
  assert.match(
    (await wrongLimits(shared.url, await newKey())).join("\n"),
    /^GET \/v1\/cbs\//m,
    "negative control: a server that counts two plans as one",
  );
});

test("requests without a good key are limited by address; good keys are not", async (context) => {
  const t = await serverFor(context, { failuresPerMinute: 2 });
  const { text: key } = await addKey(t, await addOrganisation(t, "failures"));
  const statuses = [];
  for (let i = 0; i < 3; i++) statuses.push((await ask(t, "GET", "/v1/cbs/lookup?ip=1.1.1.1", { key: "x" })).status);
  assert.deepEqual(statuses, [401, 401, 429]);
  assert.equal((await ask(t, "GET", "/v1/cbs/lookup?ip=1.1.1.1", { key })).status, 200);
  t.clock.now += 60_000;
  assert.equal((await ask(t, "GET", "/v1/cbs/lookup?ip=1.1.1.1")).status, 401);
});

/** A clock that the test sets, and the clock that never goes back. */
function clockAt(start: number): { now: number; steady: SteadyClock } {
  const steady = new SteadyClock(() => clock.now);
  const clock = { now: start, steady };
  return clock;
}

test("IPv6 addresses of one /56 count as one, others do not", () => {
  const limits = new FailureLimits(clockAt(START).steady);
  const used = (address: string): number => 100 - Number(limits.take(address, 100).headers["ratelimit-remaining"]);
  assert.deepEqual(
    [
      "2001:db8::1",
      "2001:db8:0:ff::2",
      "2001:db8:0:100::",
      "fe80::1%eth0",
      "192.0.2.1",
      "::ffff:192.0.2.2",
      "192.0.2.1",
    ].map(used),
    [1, 2, 1, 1, 1, 1, 2],
  );
});

test("usage is recorded by month, and other servers continue from it", () => {
  const november = Date.UTC(2026, 10, 30, 23, 59);
  const clock = clockAt(november);
  const limits = new KeyLimits(clock.steady);
  const take = (now: number, perMinute = 100) =>
    limits.take("k", "cbs", (clock.now = now), { perMinute, perMonth: 100 });
  for (let i = 0; i < 3; i++) take(november + i);
  take(november + 60_000);
  assert.deepEqual(limits.takeUnrecorded(), [
    { keyId: "k", area: "cbs", month: "2026-11", requests: 3, lastUsedAt: november + 2 },
    { keyId: "k", area: "cbs", month: "2026-12", requests: 1, lastUsedAt: november + 60_000 },
  ]);
  assert.deepEqual(limits.takeUnrecorded(), []);
  limits.setRecorded("k", "edl", "2026-12", 99, november + 60_000);
  assert.equal(take(november + 60_000, 1000).isExceeded, false, "another plan's");
  limits.setRecorded("k", "cbs", "2026-12", 98, november + 60_000);
  assert.equal(take(november + 60_001, 1000).isExceeded, false);
  assert.equal(take(november + 60_002, 1000).isExceeded, true);
});

test("a clock that is set back, by however much, grants no second minute, and delays no one", () => {
  for (const back of [1, 30_000, 60_000, 3_600_000, 400 * 86_400_000]) {
    const clock = clockAt(START);
    const [keys, failures] = [new KeyLimits(clock.steady), new FailureLimits(clock.steady)];
    const take = () =>
      [keys.take("k", "edl", clock.now, { perMinute: 2, perMonth: 1e6 }), failures.take("192.0.2.1", 2)].map(
        ({ isExceeded, retryAfter }) => (isExceeded ? retryAfter : "taken"),
      );
    assert.deepEqual(
      [take(), take(), take()],
      [
        ["taken", "taken"],
        ["taken", "taken"],
        [60, 60],
      ],
    );
    clock.now -= back;
    assert.deepEqual(
      [take(), take()],
      [
        [60, 60],
        [60, 60],
      ],
      `set back by ${back} ms`,
    );
    clock.now += 59_999;
    assert.deepEqual(take(), [1, 1]);
    clock.now++;
    assert.deepEqual(take(), ["taken", "taken"]);
  }
});

test("a clock that is set back grants no second minute of attempts to sign in, for an address, a name or a device", () => {
  for (const back of [1, 30_000, 60_000, 3_600_000, 400 * 86_400_000]) {
    const clock = clockAt(START);
    const limits = new SignInLimits(2, clock.steady);
    const kinds = {
      address: () => limits.takeAddress("192.0.2.1"),
      name: () => limits.takeName("ada"),
      device: () => limits.takeKnown("d"),
    };
    const take = () => Object.values(kinds).map(retryAfterOf);
    const [taken, refused] = [
      [0, 0, 0],
      [60, 60, 60],
    ];
    assert.deepEqual([take(), take(), take()], [taken, taken, refused]);
    clock.now -= back;
    assert.deepEqual([take(), take()], [refused, refused], `set back by ${back} ms`);
    clock.now += 59_999;
    assert.deepEqual(take(), [1, 1, 1]);
    clock.now++;
    assert.deepEqual(take(), taken);
  }
});

/** Seconds after which to retry; 0 if the attempt was allowed. */
function retryAfterOf(attempt: () => void): number {
  try {
    attempt();
    return 0;
  } catch (error) {
    assert.ok(error instanceof ServiceError && error.code === "too-many-requests", String(error));
    return error.retryAfter!;
  }
}

test("a clock that is set back to the previous month grants neither month a second time", () => {
  const december = Date.UTC(2026, 11);
  const clock = clockAt(december - 60_000);
  const limits = new KeyLimits(clock.steady);
  const isTaken = (now: number) =>
    !limits.take("k", "edl", (clock.now = now), { perMinute: 100, perMonth: 2 }).isExceeded;
  assert.deepEqual(
    [1, 2, 3].map(() => isTaken(december - 60_000)),
    [true, true, false],
  );
  assert.deepEqual(
    [1, 2, 3].map(() => isTaken(december + 60_000)),
    [true, true, false],
  );
  // The month is checked once a minute.
  const times = [-180_000, -120_000, -60_000, -1, 60_000, 120_000, 180_000];
  assert.deepEqual(
    times.map((time) => isTaken(december + time)),
    times.map(() => false),
  );
  assert.deepEqual(
    limits.takeUnrecorded().map(({ month, requests }) => [month, requests]),
    [
      ["2026-11", 2],
      ["2026-12", 2],
    ],
  );
});

test("counts are bounded: beyond 100,000 in a minute further clients share counters, none is forgotten, and hardly any is limited for another", () => {
  const counts = new MinuteCounts(clockAt(START).steady);
  for (let i = 0; i < 100_000; i++) counts.take(`first ${i}`, 10);
  // Counted clients remain counted, however many arrive later.
  for (let i = 0; i < 10; i++) counts.take("attacked", 10);
  for (let i = 0; i < 50_000; i++) counts.take(`rotating ${i}`, 10);
  assert.ok(counts.take("attacked", 10).isExceeded);
  assert.equal(counts.take("first 7", 10).headers["ratelimit-remaining"], "8");
  const heldUp = Array.from({ length: 1000 }, (_, i) => counts.take(`late ${i}`, 10)).filter(
    ({ isExceeded }) => isExceeded,
  ).length;
  assert.ok(heldUp < 10, `${heldUp} of 1,000`);
});

test("month counts survive a restart", async (context) => {
  const t = await serverFor(context, { perMonth: 2 });
  const { text: key } = await addKey(t, await addOrganisation(t, "restart"));
  await ask(t, "GET", "/v1/edl/ip-rulesets/", { key });
  await t.restart();
  assert.equal((await ask(t, "GET", "/v1/edl/ip-rulesets/", { key })).headers.get("ratelimit-remaining"), "0");
  assert.equal((await ask(t, "GET", "/v1/edl/ip-rulesets/", { key })).status, 429);
});
