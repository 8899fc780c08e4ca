import assert from "node:assert/strict";
import { test } from "node:test";
import { MinuteRing } from "../../src/api/minute-ring.ts";

const NOW = Date.UTC(2026, 10, 21, 12);
const MINUTE = 60_000;

test("requests, errors and lookups are counted in their minute, of sixty", () => {
  const ring = new MinuteRing();
  ring.addLookups(10_000);
  ring.addRequest(NOW, 200, 1);
  ring.addRequest(NOW + MINUTE - 1, 404, 1);
  ring.addRequest(NOW + MINUTE, 500, 1);
  ring.addLookups(3);
  ring.addRequest(NOW - 59 * MINUTE, 503, 1);
  // Late, and so early that its minute is kept no longer.
  ring.addRequest(NOW - 60 * MINUTE, 200, 1);
  const told = ring.read(NOW + MINUTE).map(({ at, requests, errors, lookups }) => [(at - NOW) / MINUTE, requests, errors, lookups]);
  assert.equal(told.length, 60);
  assert.deepEqual(told.filter(([, requests]) => requests! > 0), [[0, 2, 0, 10_000], [1, 1, 1, 3]]);
  assert.deepEqual([told[0]![0], told[59]![0]], [-58, 1]);
});

test("a minute comes back empty, after an hour, after a pause of a week, and where the clock goes back", () => {
  const ring = new MinuteRing();
  for (let minute = 0; minute < 200; minute++) ring.addRequest(NOW + minute * MINUTE, 200, 1);
  assert.deepEqual(ring.read(NOW + 199 * MINUTE).map(({ requests }) => requests), Array(60).fill(1));
  assert.deepEqual(ring.read(NOW + 201 * MINUTE).slice(-3).map(({ requests }) => requests), [1, 0, 0]);
  ring.addRequest(NOW + 200 * MINUTE, 200, 1);
  assert.deepEqual(ring.read(NOW + 199 * MINUTE).slice(-3).map(({ requests }) => requests), [1, 1, 0]);
  assert.ok(ring.read(NOW + 20_000 * MINUTE).every(({ requests, p50 }) => requests === 0 && p50 === null));
  // A clock that was wrong by days is set right: counting goes on at once.
  assert.ok(ring.read(NOW).every(({ requests }) => requests === 0));
  ring.addRequest(NOW, 200, 1);
  assert.deepEqual([ring.read(NOW).at(-1)!.at, ring.read(NOW).at(-1)!.requests], [NOW, 1]);
});

test("half of the times, and 99 of 100, lie within what is told, to a quarter", () => {
  let seed = 7;
  const random = () => (seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
  for (const spread of [0.001, 1, 50, 10_000]) {
    const ring = new MinuteRing();
    const times = Array.from({ length: 5000 }, () => spread * 10 ** (2 * random()));
    for (const time of times) ring.addRequest(NOW, 200, time);
    times.sort((a, b) => a - b);
    const { p50, p99 } = ring.read(NOW).at(-1)!;
    for (const [told, exact] of [[p50!, times[2499]!], [p99!, times[4949]!]] as const) assert.ok(Math.abs(told - exact) <= Math.max(exact / 4, 0.001), `${told} for ${exact}`);
  }
  const ring = new MinuteRing();
  for (const time of [0, 1e-9, 1e12, Number.MAX_VALUE]) ring.addRequest(NOW, 200, time);
  assert.equal(ring.read(NOW).at(-1)!.requests, 4);
});
