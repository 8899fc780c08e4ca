import type { Delivery, WebhookProgress } from "../../store/records/webhook.ts";
import type { PostResult } from "./guarded-post.ts";

const [SECOND, MINUTE, HOUR] = [1000, 60_000, 3_600_000];
/** Milliseconds after each failure of a message until it is sent again: ten attempts over three days. */
const DELAYS = [
  5 * SECOND,
  MINUTE,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  6 * HOUR,
  12 * HOUR,
  24 * HOUR,
  28 * HOUR,
] as const;
/** Delays are longer by up to this share, so that endpoints that failed together are not tried again together. */
const JITTER = 0.1;
/** Milliseconds without success after which nothing more is sent. */
const FAILING_FOR = 72 * HOUR;
/** Maximum delay that a server may request. */
const MAX_RETRY_AFTER = 24 * HOUR;
const GONE = 410;

/** The consequence of an attempt for its endpoint. */
export interface Verdict {
  readonly outcome: Delivery["outcome"];
  readonly progress: WebhookProgress;
  /** Why nothing more may be sent; undefined: it goes on. */
  readonly stop?: "gone" | "failing";
}

/**
 * Decides after an attempt to deliver the event of a change. `random` is in 0..1. An event at which an endpoint is
 * stopped is not given up: the user who activates the endpoint chooses.
 */
export function judge(
  before: WebhookProgress,
  sequence: number,
  { status, error, retryAfter }: PostResult,
  at: number,
  random: number,
): Verdict {
  if (error === "") {
    const fresh = { attempts: 0, nextAt: null, failingSince: null, lastAttemptAt: at, lastSuccessAt: at };
    return { outcome: "delivered", progress: { ...before, ...fresh, cursor: sequence } };
  }
  const attempts = before.attempts + 1;
  // The clock may have been set back since.
  const failingSince = Math.min(before.failingSince ?? at, at);
  const failed = { ...before, attempts, failingSince, lastAttemptAt: at, nextAt: null };
  if (status === GONE) return { outcome: "failed", progress: failed, stop: "gone" };
  if (at - failingSince >= FAILING_FOR) return { outcome: "failed", progress: failed, stop: "failing" };
  if (attempts > DELAYS.length) {
    const givenUp = before.givenUp + 1;
    return { outcome: "given-up", progress: { ...failed, cursor: sequence, attempts: 0, givenUp } };
  }
  const delay = DELAYS[attempts - 1]! * (1 + JITTER * random);
  const nextAt = at + Math.ceil(Math.max(delay, Math.min(retryAfter ?? 0, MAX_RETRY_AFTER)));
  return { outcome: "failed", progress: { ...failed, nextAt } };
}
