export type Fetch = (request: Request) => Promise<Response>;

/** Idempotent methods: sending them again has no further effect. */
const SAFE: ReadonlySet<string> = new Set(["GET", "HEAD"]);

/**
 * A `fetch` that retries after a 429 or 503 that says how long to wait (Retry-After): as often as necessary, but
 * waiting no more than `maxWait` milliseconds in all. If the wait would be longer, it returns the response as it is. A
 * write that may have been executed (503) is repeated only with an Idempotency-Key.
 */
export function patientFetch(fetch: Fetch, maxWait: number): Fetch {
  // Without retries, a copy of the body would only fill memory.
  if (maxWait === 0) return fetch;
  return async (request) => {
    for (let waited = 0; ;) {
      // A body can be sent only once, so a copy is sent.
      const response = await fetch(request.clone());
      const wait = waitOf(request, response);
      if (wait === undefined || waited + wait > maxWait) return response;
      await response.body?.cancel();
      await sleep(wait, request.signal);
      waited += wait;
    }
  };
}

/** Milliseconds to wait before a retry makes sense; undefined if it does not. */
function waitOf(request: Request, { status, headers }: Response): number | undefined {
  const isRepeatable =
    status === 429 || (status === 503 && (SAFE.has(request.method) || request.headers.has("idempotency-key")));
  const text = headers.get("retry-after");
  if (!isRepeatable || text === null) return undefined;
  const seconds = /^\d{1,9}$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds * 1000);
}

/** Rejects with the signal's reason when that comes first. */
export function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", abort);
      resolve();
    }, milliseconds);
    signal.addEventListener("abort", abort, { once: true });
  });
}
