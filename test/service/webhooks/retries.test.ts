import assert from "node:assert/strict";
import { test } from "node:test";
import { judge } from "../../../src/service/webhooks/retries.ts";
import type { PostResult } from "../../../src/service/webhooks/guarded-post.ts";
import type { WebhookProgress } from "../../../src/store/records/webhook.ts";

const [SECOND, MINUTE, HOUR] = [1000, 60_000, 3_600_000];
const AT = Date.UTC(2026, 10, 27);
const FRESH: WebhookProgress = {
  webhookId: "w",
  cursor: 7,
  attempts: 0,
  nextAt: null,
  failingSince: null,
  lastAttemptAt: null,
  lastSuccessAt: null,
  givenUp: 3,
};
const FAILED: PostResult = { status: 500, error: "status 500", retryAfter: null };
const SUCCEEDED: PostResult = { status: 204, error: "", retryAfter: null };

/** The delays of a message that fails each time, until it is given up. */
function delays(random: number): number[] {
  const found: number[] = [];
  // Another message has succeeded meanwhile: the endpoint is not stopped.
  for (let progress = FRESH; ; progress = { ...progress, failingSince: null }) {
    const verdict = judge(progress, 8, FAILED, AT, random);
    progress = verdict.progress;
    if (verdict.outcome === "given-up") return found;
    assert.equal(verdict.outcome, "failed");
    found.push(progress.nextAt! - AT);
  }
}

test("ten attempts: the documented delays after each of nine failures, up to a tenth longer", () => {
  const minutes = [1, 5, 30, 2 * 60, 6 * 60, 12 * 60, 24 * 60, 28 * 60];
  const documented = [5 * SECOND, ...minutes.map((count) => count * MINUTE)];
  assert.deepEqual(delays(0), documented);
  assert.deepEqual(
    delays(1),
    documented.map((delay) => Math.ceil(delay * 1.1)),
  );
  assert.equal(documented.reduce((sum, delay) => sum + delay) > 72 * HOUR, true, "over three days");
});

test("a message that is given up is counted, and the next one starts anew", () => {
  const { outcome, progress, stop } = judge({ ...FRESH, attempts: 9, failingSince: AT - 1 }, 8, FAILED, AT, 0);
  const expected = { ...FRESH, cursor: 8, givenUp: 4, failingSince: AT - 1, lastAttemptAt: AT };
  assert.deepEqual({ outcome, progress, stop }, { outcome: "given-up", progress: expected, stop: undefined });
});

test("a success moves the cursor and forgets the failures", () => {
  const failing = { ...FRESH, attempts: 4, nextAt: AT, failingSince: AT - HOUR, lastAttemptAt: AT - 1 };
  assert.deepEqual(judge(failing, 8, SUCCEEDED, AT, 0), {
    outcome: "delivered",
    progress: { ...FRESH, cursor: 8, lastAttemptAt: AT, lastSuccessAt: AT },
  });
});

test("Retry-After makes a delay longer, to at most a day, and never shorter", () => {
  const delayOf = (retryAfter: number | null, attempts = 0) =>
    judge({ ...FRESH, attempts }, 8, { ...FAILED, retryAfter }, AT, 0).progress.nextAt! - AT;
  assert.deepEqual(
    [null, 0, 5000, 5001, 24 * HOUR, 24 * HOUR + 1].map((each) => delayOf(each)),
    [5000, 5000, 5000, 5001, 24 * HOUR, 24 * HOUR],
  );
  assert.equal(delayOf(24 * HOUR, 8), 28 * HOUR);
});

test("410 stops the endpoint at once, three days without success do as well, wherever the clock was", () => {
  const stopOf = (failingSince: number | null, status = 500) =>
    judge({ ...FRESH, failingSince }, 8, { ...FAILED, status }, AT, 0);
  assert.equal(stopOf(null, 410).stop, "gone");
  assert.equal(stopOf(AT - 72 * HOUR).stop, "failing");
  assert.equal(stopOf(AT - 72 * HOUR + 1).stop, undefined);
  const { outcome, progress } = stopOf(AT - 72 * HOUR);
  assert.deepEqual([outcome, progress.cursor, progress.nextAt], ["failed", FRESH.cursor, null]);
  assert.equal(stopOf(AT + HOUR).progress.failingSince, AT, "a clock that was set back");
  assert.equal(stopOf(AT - HOUR).progress.failingSince, AT - HOUR);
  assert.equal(stopOf(null).progress.failingSince, AT);
});
