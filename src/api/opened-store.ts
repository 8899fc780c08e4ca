import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { Store } from "../store/store.ts";
import { StoreError } from "../store/store-error.ts";
import { startStandbyFeeds } from "./standby-feeds.ts";
import { SecretKey } from "../service/access/secret-key.ts";
import type { LoadingStore } from "../service/store/loading-store.ts";
import type { Settings } from "../service/settings.ts";
import type { ServerOptions } from "./server-options.ts";

/** Milliseconds after which a start says that it still waits for the database, again and again. */
const SAID_AFTER = 5000;

/** Milliseconds that a start waits for the database before feeds are served without it. */
const STANDBY_AFTER = 2000;

/** Milliseconds until a failed load of the state is retried. */
export const LOAD_AGAIN_AFTER = 1000;

/** The store, once it is open. With `--feeds-dir` the server serves feeds until then. */
export async function openWithStandby(options: ServerOptions, deadline: number): Promise<OpenedStore> {
  const { settings, store: loading, secretKeyFile, log, now = Date.now } = options;
  if (settings.feedsDir === "") return openWithRetry(options, deadline);
  const opened = new AbortController();
  const late = sleep(STANDBY_AFTER, undefined, { signal: opened.signal }).catch(() => undefined);
  const first = await Promise.race([loading.store.catch(() => undefined), late]);
  opened.abort();
  if (first !== undefined) return { store: first, loading };
  const standby = await startStandbyFeeds({ settings, secretKey: new SecretKey(secretKeyFile), log, now });
  try {
    return await openWithRetry(options, deadline);
  } finally {
    await standby.close();
  }
}

/**
 * Whether a start waits after this error: with `--feeds-dir`, however long the database is away; otherwise until the
 * deadline, unless a setting may be wrong.
 */
export function mayWaitFor(error: unknown, { feedsDir }: Settings, deadline: number): error is StoreError {
  if (!(error instanceof StoreError)) return false;
  const { code, mayPass = false } = error;
  return feedsDir === "" ? mayPass && performance.now() < deadline : code === "unavailable";
}

export interface OpenedStore {
  readonly store: Store;
  readonly loading: LoadingStore;
}

/** Tries again after errors that are worth waiting for; the log says so. */
async function openWithRetry({ store: first, settings, log }: ServerOptions, deadline: number): Promise<OpenedStore> {
  const waiting = new WaitLog(log);
  try {
    for (let loading = first; ; loading = loading.again()) {
      try {
        return { store: await loading.store, loading };
      } catch (error) {
        if (!mayWaitFor(error, settings, deadline)) throw error;
        waiting.failed(error.message);
        await sleep(LOAD_AGAIN_AFTER);
      }
    }
  } finally {
    waiting.end();
  }
}

/** Says that a start waits for the database: at once when it fails for another reason, and every few seconds. */
class WaitLog {
  readonly #log: Logger;
  readonly #began = performance.now();
  readonly #timer = setInterval(() => this.#say(), SAID_AFTER).unref();
  #reason: string | undefined;

  constructor(log: Logger) {
    this.#log = log;
  }

  failed(reason: string): void {
    const isNew = reason !== this.#reason;
    this.#reason = reason;
    if (isNew) this.#say();
  }

  end(): void {
    clearInterval(this.#timer);
  }

  #say(): void {
    const seconds = Math.round((performance.now() - this.#began) / 1000);
    const reason = this.#reason === undefined ? {} : { reason: this.#reason };
    this.#log.warn({ seconds, ...reason }, "still waiting for the database to be opened");
  }
}
