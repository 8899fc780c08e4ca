import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";

/** Much longer than anything tests wait for takes, even on a busy machine. */
const MAX_WAIT = 120_000;

/**
 * Waits until `isSo` holds, checking every `every` milliseconds; fails with `what` as the message if it does not within
 * `within` milliseconds.
 */
export async function until(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  { every = 10, within = MAX_WAIT }: { readonly every?: number; readonly within?: number } = {},
): Promise<void> {
  for (const end = performance.now() + within; !(await isSo()); await delay(every))
    assert.ok(performance.now() < end, `not within ${within} ms: ${what}`);
}
