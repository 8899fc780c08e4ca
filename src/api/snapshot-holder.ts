import { statSync, unwatchFile, watchFile } from "node:fs";
import type { Metrics } from "./metrics.ts";
import { Problem } from "./problem.ts";

export interface HolderOptions<View> {
  /** What metrics and log lines call it. */
  readonly name: "catalogue" | "cti";
  readonly path: string;
  /** Opens the file, checks it, and makes all that requests need, so that none of them waits. */
  readonly load: (path: string) => Promise<{ view: View; createdAt: number }>;
  readonly metrics: Metrics;
  readonly now: () => number;
  readonly log: { info(about: object, message: string): void; error(about: object, message: string): void };
}

const POLL = 1000;

const MISSING = {
  catalogue: "no catalogue is loaded",
  cti: "no threat intelligence is loaded; whoever runs the service imports some by ipsieve cti import",
} as const;

/**
 * Holds the newest generation of a snapshot. A file that takes the place of the watched one is loaded beside the current one, which goes on
 * answering; then the two are exchanged at once. A file that cannot be used changes nothing.
 */
export class SnapshotHolder<View> {
  readonly #options: HolderOptions<View>;
  #view: View | undefined;
  #generation = 0;
  #createdAt: number | null = null;
  #loadedAt: number | null = null;
  #isLoading = false;
  #wantsMore = false;

  constructor(options: HolderOptions<View>) {
    this.#options = options;
  }

  /** How many files have been loaded. */
  get generation(): number {
    return this.#generation;
  }

  /** When what answers was made, and when it was loaded: milliseconds since 1970 UTC; null before anything is loaded. */
  get times(): { readonly createdAt: number | null; readonly loadedAt: number | null } {
    return { createdAt: this.#createdAt, loadedAt: this.#loadedAt };
  }

  /** What to answer from. Whoever answers a request takes it once, so that the answer comes from one generation. @throws Problem (503) before anything is loaded */
  view(): View {
    if (this.#view !== undefined) return this.#view;
    throw new Problem("service-unavailable", MISSING[this.#options.name], { headers: { "retry-after": "60" } });
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
      log.info({ snapshot: name, generation: this.#generation }, "a new snapshot answers now");
    } catch (error) {
      metrics.snapshotFailures.inc({ snapshot: name });
      log.error({ snapshot: name, err: error }, "the new snapshot cannot be used; the one before goes on answering");
    }
  }

  #replace({ view, createdAt }: { view: View; createdAt: number }): void {
    const { name, metrics, now } = this.#options;
    this.#view = view;
    this.#createdAt = createdAt;
    this.#loadedAt = now();
    metrics.snapshotGeneration.set({ snapshot: name }, ++this.#generation);
    metrics.snapshotCreated.set({ snapshot: name }, createdAt / 1000);
  }
}
