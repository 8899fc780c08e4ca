import type { Logger } from "pino";
import { Periodic } from "../periodic.ts";
import type { Metrics } from "../usage/metrics.ts";
import { type ChildCommand, RunningChild } from "./child-command.ts";

export interface FollowedCatalogueOptions {
  /** `ipsieve pull --json`, which replaces the file that the server has loaded, if there is a new one. */
  readonly command: ChildCommand;
  /** Milliseconds between two pulls. */
  readonly every: number;
  readonly metrics: Pick<Metrics, "cataloguePulls" | "cataloguePulled">;
  readonly now: () => number;
  readonly log: Pick<Logger, "info" | "warn">;
}

/** Maximum milliseconds until the next attempt after a failure, if pulls are further apart. */
const AFTER_FAILURE = 60_000;
const PREFIX = "ipsieve: ";

/**
 * Keeps this server's catalogue equal to the one that another server, or any web server, offers. It is pulled by a
 * separate process, at the start and then at intervals. While pulls fail, the last good catalogue stays in use.
 */
export class FollowedCatalogue {
  readonly #options: FollowedCatalogueOptions;
  readonly #pulls: Periodic;
  #child: RunningChild | undefined;
  #isClosed = false;
  #failingSince: number | null = null;

  constructor(options: FollowedCatalogueOptions) {
    this.#options = options;
    this.#pulls = new Periodic(() => this.#pull(), options.every);
  }

  /** When pulls began to fail, in milliseconds since 1970 UTC; null if the last one succeeded. */
  get failingSince(): number | null {
    return this.#failingSince;
  }

  start(): void {
    this.#pulls.startNow();
  }

  /** Stops a pull in progress, which a later one continues, and waits until it has ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#child?.end();
    await this.#pulls.stop();
  }

  /** Ends a pull immediately. */
  kill(): void {
    this.#child?.kill();
  }

  /** Returns the milliseconds until the next pull. Never rejects. */
  async #pull(): Promise<number> {
    const { command, every } = this.#options;
    let reason = "";
    try {
      this.#child = new RunningChild(command, (line) => (reason = line));
      const { code, signal, stdout } = await this.#child.ended;
      if (code === 0) this.#succeeded(JSON.parse(stdout) as { readonly outcome: "pulled" | "unchanged" });
      else this.#failed(signal === null ? reason : `it was ended by ${signal}`);
    } catch (error) {
      this.#failed((error as Error).message);
    } finally {
      this.#child = undefined;
    }
    return this.#failingSince === null ? every : Math.min(every, AFTER_FAILURE);
  }

  #succeeded({ outcome }: { readonly outcome: "pulled" | "unchanged" }): void {
    const { metrics, now, log } = this.#options;
    metrics.cataloguePulls.inc({ outcome });
    metrics.cataloguePulled.set(now() / 1000);
    if (this.#failingSince !== null) log.info({ outcome }, "the catalogue can be pulled again");
    this.#failingSince = null;
  }

  #failed(reason: string): void {
    if (this.#isClosed) return;
    const { metrics, now, log } = this.#options;
    metrics.cataloguePulls.inc({ outcome: "failed" });
    this.#failingSince ??= now();
    log.warn(
      { reason: reason.startsWith(PREFIX) ? reason.slice(PREFIX.length) : reason },
      "the catalogue cannot be pulled; the last good one stays in use",
    );
  }
}
