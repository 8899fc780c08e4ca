import type { Logger } from "pino";
import { StoreError, type StoreErrorCode } from "../../store/store-error.ts";
import type { Metrics } from "../usage/metrics.ts";

/** Seconds after which a client should retry what the database rejected. */
export const RETRY_AFTER = 5;

/** Errors of the database itself, rather than of a command. */
const OUTAGE_CODES: ReadonlySet<StoreErrorCode> = new Set(["unavailable", "outcome-unknown", "corrupt"]);

/** Whether the database itself failed, which the log of its outage reports, rather than a command. */
export function isOutage(error: unknown): error is StoreError {
  return error instanceof StoreError && OUTAGE_CODES.has(error.code);
}

type Access = "read" | "write";

export interface OutageTimes {
  /** Milliseconds between two probes. */
  readonly probeEvery: number;
  /**
   * Milliseconds without an error after which an outage is over: longer than any background task takes to fail again.
   */
  readonly calm: number;
  /** Milliseconds between log lines while the outage lasts. */
  readonly repeatEvery: number;
}

const TIMES: OutageTimes = { probeEvery: 1000, calm: 6000, repeatEvery: 60_000 };

interface OutageOptions {
  readonly log: Pick<Logger, "error" | "info">;
  readonly metrics: Pick<Metrics, "databaseUp" | "databaseOutages">;
  /** Rejects while the database fails. */
  readonly probe: () => Promise<void>;
  readonly times?: OutageTimes;
}

/**
 * Tracks a failing database: one log line when the outage begins, one a minute, and one when it is over, however many
 * errors there are.
 *
 *     error ─▶ begin ─▶ probe ── fails ──▶ probe again in a second
 *                             └─ works ──▶ what was rejected is tried again ── no error for some seconds ──▶ end
 *
 * Once a client's read or write has failed, further ones are rejected immediately until a probe succeeds: requests
 * waiting for a database that hangs would leave no room for requests served from memory.
 */
export class StoreOutage {
  readonly #options: OutageOptions;
  readonly #times: OutageTimes;
  readonly #rejected = new Set<Access>();
  #current:
    | { readonly since: number; lastError: number; reason: string; loggedAt: number; rejections: number }
    | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: OutageOptions) {
    this.#options = options;
    this.#times = options.times ?? TIMES;
    options.metrics.databaseUp.set(1);
  }

  /** Whether the database is known to be failing. Checked every second. */
  get isCurrent(): boolean {
    return this.#current !== undefined;
  }

  /** For a request of a client. Rejects as the call does, or immediately while such calls fail. */
  async guard<T>(access: Access, call: () => Promise<T>): Promise<T> {
    if (this.#current !== undefined && this.#rejected.has(access))
      throw this.#reject(new StoreError("unavailable", this.#current.reason));
    try {
      return await call();
    } catch (error) {
      if (!isOutage(error)) throw error;
      this.#rejected.add(access);
      this.failed(error);
      throw this.#reject(error);
    }
  }

  /** For a background task: every error of it is worth a log line. */
  async watch<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      this.failed(error);
      throw error;
    }
  }

  failed(error: unknown): void {
    if (this.#isClosed) return;
    const { log, metrics } = this.#options;
    const now = performance.now();
    const reason = error instanceof Error ? error.message : String(error);
    metrics.databaseUp.set(0);
    if (this.#current !== undefined) return void Object.assign(this.#current, { lastError: now, reason });
    this.#current = { since: now, lastError: now, reason, loggedAt: now, rejections: 0 };
    metrics.databaseOutages.inc();
    // The stack matters only for unexpected errors.
    log.error(
      error instanceof StoreError ? { code: error.code, reason } : { err: error },
      "the database is failing; requests that need it get 503 until it works again",
    );
    this.#probeIn(0);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #reject(error: StoreError): StoreError {
    if (this.#current !== undefined) this.#current.rejections++;
    return error;
  }

  #probeIn(milliseconds: number): void {
    if (!this.#isClosed) this.#timer = setTimeout(() => void this.#probe(), milliseconds).unref();
  }

  async #probe(): Promise<void> {
    try {
      await this.#options.probe();
      this.#rejected.clear();
      if (!this.#isClosed) this.#options.metrics.databaseUp.set(1);
    } catch (error) {
      this.failed(error);
    }
    if (this.#isClosed) return;
    if (performance.now() - this.#current!.lastError >= this.#times.calm) return this.#end();
    this.#repeat();
    this.#probeIn(this.#times.probeEvery);
  }

  #repeat(): void {
    const current = this.#current!;
    const now = performance.now();
    if (now - current.loggedAt < this.#times.repeatEvery) return;
    current.loggedAt = now;
    const { reason, since, rejections } = current;
    this.#options.log.error({ reason, seconds: seconds(now - since), refused: rejections }, "the database still fails");
  }

  #end(): void {
    const { since, lastError, rejections } = this.#current!;
    this.#current = undefined;
    this.#options.log.info({ seconds: seconds(lastError - since), refused: rejections }, "the database works again");
  }
}

function seconds(milliseconds: number): number {
  return Math.round(milliseconds / 100) / 10;
}
