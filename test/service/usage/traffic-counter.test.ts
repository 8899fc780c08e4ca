import assert from "node:assert/strict";
import { test } from "node:test";
import { quantileOf } from "../../../src/service/usage/time-classes.ts";
import { TrafficCounter } from "../../../src/service/usage/traffic-counter.ts";
import { bySteps, type Traffic } from "../../../src/store/records/traffic.ts";

const NOW = Date.UTC(2026, 10, 21, 12);
const MINUTE = 60_000;

const told = (traffic: readonly Traffic[]) =>
  traffic.map(({ at, requests, refused, failed, lookups }) => [
    (at - NOW) / MINUTE,
    requests,
    refused,
    failed,
    lookups,
  ]);

test("requests, their statuses, and lookups are counted in their minutes", () => {
  const counter = new TrafficCounter();
  counter.addLookups(10_000);
  counter.addRequest(NOW, 200, 1);
  counter.addRequest(NOW + MINUTE - 1, 404, 1);
  counter.addRequest(NOW + MINUTE, 500, 1);
  counter.addLookups(3);
  counter.addRequest(NOW - 59 * MINUTE, 503, 1);
  counter.addLookups(2);
  assert.deepEqual(told(counter.pending(NOW + MINUTE)), [
    [-59, 1, 0, 1, 3],
    [0, 2, 1, 0, 10_000],
    [1, 1, 0, 1, 2],
  ]);
});

test("minutes are recorded once; those that the store rejects are pending again; readers in between detect it", async () => {
  const counter = new TrafficCounter();
  const written: Traffic[] = [];
  counter.addRequest(NOW, 200, 1);
  const { round } = counter;
  const writing = counter.record(NOW, async (minutes) => void written.push(...minutes));
  assert.deepEqual([counter.round, counter.pending(NOW)], [null, []]);
  counter.addRequest(NOW, 429, 1);
  await writing;
  assert.notEqual(counter.round, round);
  await counter.record(NOW, () => Promise.reject(new Error("the database is away")));
  counter.addRequest(NOW, 200, 1);
  assert.deepEqual(told(bySteps(counter.pending(NOW), MINUTE)), [[0, 2, 1, 0, 0]]);
  await counter.record(NOW, async (minutes) => void written.push(...minutes));
  assert.deepEqual(told(bySteps(written, MINUTE)), [[0, 3, 1, 0, 0]]);
  assert.deepEqual(counter.pending(NOW), []);
});

test("while the database is down for days, only the newest minutes are kept", async () => {
  const counter = new TrafficCounter();
  for (let minute = 0; minute < 4000; minute++) {
    counter.addRequest(NOW + minute * MINUTE, 200, 1);
    if (minute % 50 === 49) await counter.record(NOW, () => Promise.reject(new Error("the database is away")));
  }
  const pending = counter.pending(NOW);
  assert.deepEqual([pending.length, (pending.at(-1)!.at - NOW) / MINUTE], [1440, 3999]);
});

test("the median and the 99th percentile are accurate to a quarter, even over many minutes", () => {
  let seed = 7;
  const random = () => (seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
  for (const spread of [0.001, 1, 50, 10_000]) {
    const counter = new TrafficCounter();
    const times = Array.from({ length: 5000 }, () => spread * 10 ** (2 * random()));
    for (const [index, time] of times.entries()) counter.addRequest(NOW + (index % 50) * MINUTE, 200, time);
    times.sort((a, b) => a - b);
    const [{ times: all } = { times: [] }] = bySteps(counter.pending(NOW), 60 * MINUTE);
    for (const [share, exact] of [
      [0.5, times[2499]!],
      [0.99, times[4949]!],
    ] as const) {
      const found = quantileOf(all, share)!;
      assert.ok(Math.abs(found - exact) <= Math.max(exact / 4, 0.001), `${found} for ${exact}`);
    }
  }
  const counter = new TrafficCounter();
  for (const time of [0, 1e-9, 1e12, Number.MAX_VALUE]) counter.addRequest(NOW, 200, time);
  assert.equal(counter.pending(NOW)[0]!.requests, 4);
  assert.equal(quantileOf([], 0.5), null);
});
