import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type Allowance,
  FailureLimits,
  KeyLimits,
  MINUTE,
  MinuteCounts,
  originOf,
  SteadyClock,
} from "../../../src/service/access/rate-limits.ts";
import { SignInLimits } from "../../../src/service/access/sign-in-limits.ts";

const START = Date.UTC(2026, 10, 30, 23, 58, 20);
const DAY = 86_400_000;

/** Limits of keys with a clock that the test sets. */
function keyLimits(now = START) {
  const clock = { now };
  const steady = new SteadyClock(() => clock.now);
  const limits = new KeyLimits(steady);
  const take = (allowance: Partial<Allowance> = {}, key = "k", area: "edl" | "cti" = "edl") =>
    limits.take(key, area, clock.now, { perMinute: 3, perMonth: 100, ...allowance });
  const peek = (allowance: Partial<Allowance> = {}, key = "k", area: "edl" | "cti" = "edl") =>
    limits.peek(key, area, clock.now, { perMinute: 3, perMonth: 100, ...allowance });
  return { clock, limits, take, peek };
}

const headersOf = (limit: number, remaining: number, reset: number) => ({
  "ratelimit-limit": String(limit),
  "ratelimit-remaining": String(remaining),
  "ratelimit-reset": String(reset),
});

test("a minute allows what the plan says; what is rejected counts in neither window", () => {
  const { clock, take, peek } = keyLimits();
  for (const remaining of [2, 1, 0])
    assert.deepEqual(take(), {
      isExceeded: false,
      name: "minute",
      limit: 3,
      retryAfter: 40,
      headers: headersOf(3, remaining, 40),
    });
  clock.now += 1;
  const rejected = take();
  assert.deepEqual([rejected.isExceeded, rejected.retryAfter, rejected.headers], [true, 40, headersOf(3, 0, 40)]);
  assert.deepEqual(peek().minute, { limit: 3, remaining: 0, reset: 40 });
  assert.deepEqual([peek().inMonth, peek().month.remaining], [3, 97]);
  assert.equal(take({}, "other").isExceeded, false, "another key");
  assert.equal(take({}, "k", "cti").isExceeded, false, "another plan");
  clock.now = START + 40_000 - 1;
  assert.equal(take().retryAfter, 1, "at least a second");
  clock.now++;
  assert.deepEqual(take().headers, headersOf(3, 2, 60));
  assert.equal(peek().inMonth, 4);
});

test("the headers are of the window that has less left; the month's ends with the month", () => {
  const { clock, take, peek } = keyLimits();
  const month = { perMonth: 2 };
  assert.deepEqual(take(month).headers, headersOf(2, 1, 100));
  assert.equal(take({ perMonth: 3 }).name, "minute", "as much left in both");
  const rejected = take(month);
  assert.deepEqual([rejected.isExceeded, rejected.name, rejected.limit, rejected.retryAfter], [true, "month", 2, 100]);
  clock.now += 100_000 - 1;
  assert.deepEqual(peek(month).month, { limit: 2, remaining: 0, reset: 1 });
  clock.now++;
  assert.deepEqual(take(month).headers, headersOf(2, 1, 31 * 86_400), "December");
  assert.equal(peek(month).inMonth, 1);
});

test("what was used is recorded once, under its month, also after the month is over", () => {
  const { clock, limits, take, peek } = keyLimits();
  const allowance = { perMinute: 10 };
  take(allowance);
  take(allowance);
  take(allowance, "k", "cti");
  const december = START + 2 * MINUTE;
  assert.deepEqual(limits.unrecordedOf("k", "2026-11"), { requests: 3, lastUsedAt: START });
  assert.deepEqual(limits.unrecordedOf("k", "2026-12"), { requests: 0, lastUsedAt: START });
  assert.equal(limits.unrecordedOf("other", "2026-11"), null);
  clock.now = december;
  take(allowance);
  const use = { keyId: "k", lastUsedAt: START };
  const uses = limits.takeUnrecorded();
  const of = (area: string, month: string) => uses.filter((each) => each.area === area && each.month === month);
  assert.deepEqual(of("edl", "2026-11"), [{ ...use, area: "edl", month: "2026-11", requests: 2 }]);
  assert.deepEqual(of("edl", "2026-12"), [
    { ...use, area: "edl", month: "2026-12", requests: 1, lastUsedAt: december },
  ]);
  assert.deepEqual(of("cti", "2026-11"), [{ ...use, area: "cti", month: "2026-11", requests: 1 }]);
  assert.equal(uses.length, 3);
  assert.deepEqual(limits.takeUnrecorded(), []);
  assert.equal(limits.unrecordedOf("k", "2026-12"), null);
  limits.giveBack(uses);
  assert.deepEqual(limits.takeUnrecorded(), uses);
  take(allowance);
  limits.setRecorded("k", "edl", "2026-12", 7, clock.now);
  assert.equal(peek(allowance).inMonth, 8, "with what is not recorded yet");
  limits.setRecorded("k", "edl", "2026-11", 70, clock.now);
  assert.equal(peek(allowance).inMonth, 8, "another month");
});

test("a month that comes again, after the clock was set back, continues with its count", () => {
  const { clock, take, peek } = keyLimits();
  take();
  take();
  clock.now = START + DAY;
  take();
  assert.equal(peek().inMonth, 1, "December");
  clock.now = START;
  take();
  assert.equal(peek().inMonth, 2, "the month changes with the minute, which is not over");
  clock.now = START + MINUTE;
  take();
  assert.equal(peek().inMonth, 3, "November again");
  clock.now = START + DAY + MINUTE;
  take();
  assert.equal(peek().inMonth, 3, "December again");
});

test("a clock that is set back goes on from where it was, and a new minute begins a minute later", () => {
  const clock = { now: 1000 };
  const steady = new SteadyClock(() => clock.now);
  const read = (now: number): number => {
    clock.now = now;
    return steady.read();
  };
  assert.deepEqual([1000, 1500, 200, 300, 300, 250, 1250].map(read), [1000, 1500, 1500, 1600, 1600, 1600, 2600]);
});

test("counts of this minute are exchanged once, and those of other servers are added to it", () => {
  const { clock, limits, take, peek } = keyLimits();
  const minute = Math.floor(START / MINUTE);
  take();
  take();
  take({}, "k", "cti");
  assert.deepEqual(limits.takeUnshared(), [
    ["edl k", 2],
    ["cti k", 1],
  ]);
  assert.deepEqual(limits.takeUnshared(), []);
  take();
  take();
  assert.deepEqual(limits.takeUnshared(), [["edl k", 1]], "the rejected one is not counted");
  limits.addOthers(
    minute,
    [
      ["cti k", 2],
      ["none k", 9],
    ],
    clock.now,
  );
  assert.equal(take({}, "k", "cti").isExceeded, true);
  assert.equal(peek({}, "k", "cti").inMonth, 1, "their months are recorded by them");
  limits.addOthers(minute - 1, [["edl other", 9]], clock.now);
  limits.addOthers(minute + 1, [["edl other", 9]], clock.now);
  assert.equal(take({}, "other").isExceeded, false);
  clock.now += MINUTE;
  assert.deepEqual(limits.takeUnshared(), [], "a minute that is over");
  assert.equal(take().isExceeded, false);
  assert.deepEqual(limits.takeUnshared(), [["edl k", 1]]);
});

function minuteCounts() {
  const clock = { now: START };
  const counts = new MinuteCounts(new SteadyClock(() => clock.now));
  return { clock, counts };
}

test("each client has its own count of a minute, which others add to and a look does not", () => {
  const { clock, counts } = minuteCounts();
  const minute = Math.floor(START / MINUTE);
  assert.deepEqual(counts.peek("a", 2), {
    isExceeded: false,
    name: "minute",
    limit: 2,
    retryAfter: 40,
    headers: headersOf(2, 2, 40),
  });
  assert.deepEqual(
    [1, 2, 3].map(() => counts.take("a", 2).isExceeded),
    [false, false, true],
  );
  assert.deepEqual([counts.peek("a", 2).isExceeded, counts.peek("b", 2).isExceeded], [true, false]);
  assert.deepEqual(counts.takeUnshared(), [["a", 3]]);
  assert.deepEqual(counts.takeUnshared(), []);
  counts.addOthers(minute, [["b", 2]]);
  counts.addOthers(minute + 1, [["c", 9]]);
  assert.deepEqual([counts.take("b", 2).isExceeded, counts.take("c", 2).isExceeded], [true, false]);
  assert.deepEqual(counts.takeUnshared(), [
    ["b", 1],
    ["c", 1],
  ]);
  clock.now += MINUTE;
  assert.deepEqual(counts.takeUnshared(), []);
  assert.equal(counts.take("a", 2).headers["ratelimit-remaining"], "1");
});

test("beyond 100,000 clients counters are shared, so that none gets more than its limit", () => {
  const { clock, counts } = minuteCounts();
  for (let at = 0; at < 100_000; at++) counts.take(`c${at}`, 1000);
  assert.equal(counts.take("c99999", 2).isExceeded, false, "the last that is counted alone");
  for (let at = 0; at < 300; at++) counts.take(`further${at}`, 1000);
  const used = Array.from({ length: 300 }, (_, at) =>
    Number(counts.peek(`further${at}`, 1e6).headers["ratelimit-remaining"]),
  );
  assert.ok(
    used.every((remaining) => remaining < 1e6),
    "each is counted",
  );
  assert.ok(used.filter((remaining) => remaining === 1e6 - 1).length > 250, "in many counters");
  assert.equal(counts.take("further7", 1).isExceeded, true);
  clock.now += MINUTE;
  assert.equal(counts.take("further7", 1).isExceeded, false);
  assert.equal(counts.peek("further8", 1).headers["ratelimit-remaining"], "1");
});

test("other servers get 1,000 counts: half of them whoever comes, then those that use up their limit, and no long names", () => {
  const { counts } = minuteCounts();
  counts.take("x".repeat(65), 1);
  counts.take("y".repeat(64), 1e6);
  for (let at = 1; at < 600; at++) counts.take(`idle${at}`, 1e6);
  const few = counts.takeUnshared();
  assert.ok(few.some(([who]) => who === "y".repeat(64)));
  assert.ok(!few.some(([who]) => who.startsWith("x")));
  assert.equal(few.length, 501, "once half is taken, a client must have used up something");
  for (let at = 0; at < 1200; at++) counts.take(`busy${at}`, 1);
  assert.equal(counts.takeUnshared().length, 1000);
  for (let at = 0; at < 750; at++) counts.take(`full${at}`, 1);
  counts.take("half", 2);
  counts.take("less", 3);
  const names = counts.takeUnshared().map(([who]) => who);
  assert.deepEqual([names.includes("half"), names.includes("less")], [true, false]);
});

test("the addresses of one customer are one client: an IPv4 address, a /56 of IPv6, with or without a zone", () => {
  for (const [text, origin] of [
    ["192.0.2.1", "192.0.2.1"],
    ["2001:db8:0:1ff::1", "2001:db8:0:100::/56"],
    ["2001:db8:0:100::", "2001:db8:0:100::/56"],
    ["2001:db8:0:200::", "2001:db8:0:200::/56"],
    ["fe80::1%eth0", "fe80::/56"],
    ["%", "%"],
    ["unknown", "unknown"],
  ] as const)
    assert.equal(originOf(text), origin);
  const steady = new SteadyClock(() => START);
  const failures = new FailureLimits(steady);
  failures.take("2001:db8::1", 1);
  assert.equal(failures.peek("2001:db8::ffff", 1).headers["ratelimit-remaining"], "0");
  assert.equal(failures.take("2001:db8::ffff", 1).isExceeded, true);
});

test("sign-ins are limited by address, by name and by known device, each for itself", () => {
  const limits = new SignInLimits(1, new SteadyClock(() => START));
  const takes = [
    () => limits.takeAddress("2001:db8::1"),
    () => limits.takeName("ada"),
    () => limits.takeKnown("device"),
  ];
  for (const take of takes) take();
  limits.takeAddress("192.0.2.1");
  limits.takeName("bob");
  limits.takeKnown("other");
  for (const take of takes)
    assert.throws(take, { name: "ServiceError", code: "too-many-requests", message: /too many sign-in attempts/ });
  assert.throws(() => limits.takeAddress("2001:db8::2"), { code: "too-many-requests" });
  const [[name] = []] = limits.names.takeUnshared();
  assert.match(name!, /^[0-9a-f]{12}$/, "no name leaves the server");
});
