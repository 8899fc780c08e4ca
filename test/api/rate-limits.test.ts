import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { FailureLimits, KeyLimits, MinuteCounts, SteadyClock } from "../../src/api/rate-limits.ts";
import type { Settings } from "../../src/api/settings.ts";
import { addKey, addOrganisation, ask, START, startServer, type TestServer } from "./start-server.ts";

/** A server that is closed when the test ends. */
async function serverFor(context: TestContext, settings: Partial<Settings> = {}): Promise<TestServer> {
  const server = await startServer(settings);
  context.after(() => server.close());
  return server;
}

test("two windows per key: the headers tell of the one with less left; 429 tells when to come back", async (context) => {
  const t = await serverFor(context, { perMinute: 3, perMonth: 5 });
  const organisation = await addOrganisation(t, "limits");
  const { text: key } = await addKey(t, organisation);
  const other = (await addKey(t, organisation)).text;
  const take = async (who = key) => {
    const { status, headers } = await ask(t, "GET", "/v1/edl/ip-rulesets/", { key: who });
    return [status, ...["limit", "remaining", "reset"].map((name) => Number(headers.get(`ratelimit-${name}`))), headers.get("retry-after")];
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
  assert.deepEqual([refused.status, refused.body.type, refused.body.title], [429, "/problems/rate-limit-exceeded", "Rate Limit Exceeded"]);
  assert.equal(refused.body.request_id, refused.headers.get("x-request-id"));
  assert.equal(refused.headers.get("retry-after"), String(month));
  t.clock.now = Date.UTC(2026, 11);
  assert.deepEqual((await take()).slice(0, 3), [200, 3, 2]);
  assert.match((await ask(t, "GET", "/metrics")).text, /ipsieve_rate_limited_total\{window="month"\} 1/);
});

test("a plan's own numbers count before the server's", async (context) => {
  const t = await serverFor(context);
  const organisation = await addOrganisation(t, "plan");
  const { text: key } = await addKey(t, organisation);
  await t.server.store.write({ kind: "set-plan", actor: "user:test", at: START, organisationId: organisation, area: "cbs", active: true, until: null, perMinute: 7, perMonth: null });
  assert.equal((await ask(t, "GET", "/v1/cbs/lookup?ip=1.1.1.1", { key })).headers.get("ratelimit-limit"), "7");
});

test("every response carries the headers", async (context) => {
  const t = await serverFor(context);
  for (const path of ["/nowhere", "/livez", "/v1/cbs/lookup", "/openapi.json"]) {
    const { headers } = await ask(t, "GET", path);
    for (const name of ["limit", "remaining", "reset"]) assert.match(headers.get(`ratelimit-${name}`) ?? "", /^\d+$/, path);
  }
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

/** A clock that the test sets, and what never goes back. */
function clockAt(start: number): { now: number; steady: SteadyClock } {
  const steady = new SteadyClock(() => clock.now);
  const clock = { now: start, steady };
  return clock;
}

test("IPv6 addresses of one /56 count as one, others do not", () => {
  const limits = new FailureLimits(clockAt(START).steady);
  const used = (address: string): number => 100 - Number(limits.take(address, 100).headers["ratelimit-remaining"]);
  assert.deepEqual(["2001:db8::1", "2001:db8:0:ff::2", "2001:db8:0:100::", "fe80::1%eth0", "192.0.2.1", "::ffff:192.0.2.2", "192.0.2.1"].map(used), [1, 2, 1, 1, 1, 1, 2]);
});

test("uses are recorded by month, and counted on by who learns of them", () => {
  const november = Date.UTC(2026, 10, 30, 23, 59);
  const clock = clockAt(november);
  const limits = new KeyLimits(clock.steady);
  const take = (now: number, perMinute = 100) => limits.take("k", (clock.now = now), perMinute, 100);
  for (let i = 0; i < 3; i++) take(november + i);
  take(november + 60_000);
  assert.deepEqual(limits.takeUnrecorded(), [
    { keyId: "k", month: "2026-11", requests: 3, lastUsedAt: november + 2 },
    { keyId: "k", month: "2026-12", requests: 1, lastUsedAt: november + 60_000 },
  ]);
  assert.deepEqual(limits.takeUnrecorded(), []);
  limits.setRecorded("k", "2026-12", 99, november + 60_000);
  assert.equal(take(november + 60_001, 1000).isExceeded, false);
  assert.equal(take(november + 60_002, 1000).isExceeded, true);
});

test("a clock that is set back, by however much, gives no second minute, and holds nobody up", () => {
  for (const back of [1, 30_000, 60_000, 3_600_000, 400 * 86_400_000]) {
    const clock = clockAt(START);
    const [keys, failures] = [new KeyLimits(clock.steady), new FailureLimits(clock.steady)];
    const take = () => [keys.take("k", clock.now, 2, 1e6), failures.take("192.0.2.1", 2)].map(({ isExceeded, retryAfter }) => (isExceeded ? retryAfter : "taken"));
    assert.deepEqual([take(), take(), take()], [["taken", "taken"], ["taken", "taken"], [60, 60]]);
    clock.now -= back;
    assert.deepEqual([take(), take()], [[60, 60], [60, 60]], `set back by ${back} ms`);
    clock.now += 59_999;
    assert.deepEqual(take(), [1, 1]);
    clock.now++;
    assert.deepEqual(take(), ["taken", "taken"]);
  }
});

test("a clock that is set back to the month before gives neither month a second time", () => {
  const december = Date.UTC(2026, 11);
  const clock = clockAt(december - 60_000);
  const limits = new KeyLimits(clock.steady);
  const isTaken = (now: number) => !limits.take("k", (clock.now = now), 100, 2).isExceeded;
  assert.deepEqual([1, 2, 3].map(() => isTaken(december - 60_000)), [true, true, false]);
  assert.deepEqual([1, 2, 3].map(() => isTaken(december + 60_000)), [true, true, false]);
  // The month is looked at once a minute.
  const times = [-180_000, -120_000, -60_000, -1, 60_000, 120_000, 180_000];
  assert.deepEqual(times.map((time) => isTaken(december + time)), times.map(() => false));
  assert.deepEqual(limits.takeUnrecorded().map(({ month, requests }) => [month, requests]), [["2026-11", 2], ["2026-12", 2]]);
});

test("counts are bounded: past 100,000 in a minute the others share some, none is forgotten, and hardly any is held up for another", () => {
  const counts = new MinuteCounts(clockAt(START).steady);
  for (let i = 0; i < 100_000; i++) counts.take(`first ${i}`, 10);
  // Whoever was counted stays counted, however many come after.
  for (let i = 0; i < 10; i++) counts.take("attacked", 10);
  for (let i = 0; i < 50_000; i++) counts.take(`rotating ${i}`, 10);
  assert.ok(counts.take("attacked", 10).isExceeded);
  assert.equal(counts.take("first 7", 10).headers["ratelimit-remaining"], "8");
  const heldUp = Array.from({ length: 1000 }, (_, i) => counts.take(`late ${i}`, 10)).filter(({ isExceeded }) => isExceeded).length;
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
