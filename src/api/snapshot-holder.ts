import { statSync, unwatchFile, watchFile } from "node:fs";
import type { Metrics } from "./metrics.ts";

/** One loaded file: what a response answers from, from its first byte to its last. */
export interface Generation<View> {
  readonly view: View;
  readonly number: number;
}

export interface HolderOptions<View> {
  /** `catalogue` or `cti`: what metrics and log lines call it. */
  readonly name: string;
  readonly path: string;
  /** Opens the file, checks it, and makes all that requests need, so that none of them waits. */
  readonly load: (path: string) => Promise<{ view: View; createdAt: number }>;
  readonly metrics: Metrics;
  readonly log: { info(about: object, message: string): void; error(about: object, message: string): void };
}

const POLL = 1000;

/**
 * Holds the newest generation of a snapshot. A file that takes the place of the watched one is loaded beside the current one, which goes on
 * answering; then the two are exchanged at once. A file that cannot be used changes nothing. Who answers a request
 * takes `current` once.
 */
export class SnapshotHolder<View> {
  readonly #options: HolderOptions<View>;
  #current: Generation<View> | undefined;
  #isLoading = false;
  #wantsMore = false;

  constructor(options: HolderOptions<View>) {
    this.#options = options;
  }

  /** What to answer from; undefined before anything has been loaded. */
  get current(): Generation<View> | undefined {
    return this.#current;
  }

  /** Loads the file for the first time. Rejects with what is wrong with it. */
  async open(): Promise<void> {
    this.#replace(await this.#options.load(this.#options.path));
  }

  /** Looks every second whether another file stands at the path: a stat sees renames everywhere, also on network file systems. */
  watch(): void {
    watchFile(this.#options.path, { interval: POLL, persistent: false }, (now, before) => {
      if (now.ino !== 0 && (now.ino !== before.ino || now.mtimeMs !== before.mtimeMs || now.size !== before.size)) void this.reload();
    });
  }

  close(): void {
    unwatchFile(this.#options.path);
  }

  /** Loads the file again. While one is loading, later calls lead to one more. Never rejects: failures are logged and counted. */
  async reload(): Promise<void> {
    this.#wantsMore = true;
    if (this.#isLoading) return;
    this.#isLoading = true;
    while (this.#wantsMore) {
      this.#wantsMore = false;
      await this.#tryLoad();
    }
    this.#isLoading = false;
  }

  async #tryLoad(): Promise<void> {
    const { name, path, load, metrics, log } = this.#options;
    try {
      if (!statSync(path).isFile()) return;
      this.#replace(await load(path));
      log.info({ snapshot: name, generation: this.#current!.number }, "a new snapshot answers now");
    } catch (error) {
      metrics.snapshotFailures.inc({ snapshot: name });
      log.error({ snapshot: name, err: error }, "the new snapshot cannot be used; the one before goes on answering");
    }
  }

  #replace({ view, createdAt }: { view: View; createdAt: number }): void {
    const { name, metrics } = this.#options;
    this.#current = { view, number: (this.#current?.number ?? 0) + 1 };
    metrics.snapshotGeneration.set({ snapshot: name }, this.#current.number);
    metrics.snapshotCreated.set({ snapshot: name }, createdAt / 1000);
  }
}
