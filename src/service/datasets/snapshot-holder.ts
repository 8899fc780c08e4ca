import { type Stats, statSync, unwatchFile, watchFile } from "node:fs";
import type { Metrics } from "../usage/metrics.ts";
import { ServiceError } from "../service-error.ts";

/** Where a snapshot is looked for, now and after a restart. */
export interface SnapshotPaths {
  /** The first at which there is a file counts. */
  readonly paths: readonly string[];
  /** Whether a server starts without it, and loads it once it is there. */
  readonly mayBeMissing: boolean;
}

export interface HolderOptions<View> extends SnapshotPaths {
  /** What metrics and log lines call it. */
  readonly name: "catalogue" | "cti";
  /** Opens the file, checks it, and makes all that requests need, so that none of them waits. */
  readonly load: (path: string) => Promise<{ view: View; createdAt: number }>;
  readonly metrics: Metrics;
  readonly now: () => number;
  readonly log: { info(about: object, message: string): void; error(about: object, message: string): void };
}

const POLL = 1000;

const MISSING = {
  catalogue: "no catalogue is loaded",
  cti: "no threat intelligence is loaded; the operator can import it with ipsieve cti import",
} as const;

/**
 * Holds the newest generation of a snapshot. A new file at one of its paths is loaded beside the current one, which
 * goes on answering; then the two are exchanged at once. A file that cannot be used changes nothing.
 */
export class SnapshotHolder<View> {
  readonly #options: HolderOptions<View>;
  #view: View | undefined;
  #generation = 0;
  #createdAt: number | null = null;
  #loadedAt: number | null = null;
  #loading: Promise<boolean> | undefined;
  #wantsMore = false;
  /** The file that was loaded, or tried, last. */
  #tried = "";

  constructor(options: HolderOptions<View>) {
    this.#options = options;
  }

  /** How many files have been loaded. */
  get generation(): number {
    return this.#generation;
  }

  /**
   * When what answers was made, and when it was loaded: milliseconds since 1970 UTC; null before anything is loaded.
   */
  get times(): { readonly createdAt: number | null; readonly loadedAt: number | null } {
    return { createdAt: this.#createdAt, loadedAt: this.#loadedAt };
  }

  /**
   * What to answer from. Whoever answers a request takes it once, so that the answer comes from one generation.
   * @throws ServiceError "unavailable" before anything is loaded
   */
  view(): View {
    if (this.#view !== undefined) return this.#view;
    throw new ServiceError("unavailable", MISSING[this.#options.name], { retryAfter: 60 });
  }

  /** Loads the file for the first time. Rejects with what is wrong with it. */
  async open(): Promise<void> {
    const { paths, load, mayBeMissing } = this.#options;
    const found = this.#find();
    if (found === undefined && mayBeMissing) return;
    this.#tried = found?.identity ?? "";
    this.#replace(await load(found?.path ?? paths[0]!));
  }

  /**
   * Looks every second whether another file stands at one of the paths: a stat sees renames everywhere, also on network
   * file systems.
   */
  watch(): void {
    for (const path of this.#options.paths) {
      watchFile(path, { interval: POLL, persistent: false }, () => {
        const found = this.#find();
        if (found !== undefined && found.identity !== this.#tried) void this.reload();
      });
    }
  }

  close(): void {
    for (const path of this.#options.paths) unwatchFile(path);
  }

  /**
   * Loads the file again; whether the newest answers then. While one is loading, later calls lead to one more. Never
   * rejects: failures are logged and counted.
   */
  reload(): Promise<boolean> {
    this.#wantsMore = true;
    return (this.#loading ??= this.#loadNewest());
  }

  async #loadNewest(): Promise<boolean> {
    let isLoaded = false;
    while (this.#wantsMore) {
      this.#wantsMore = false;
      isLoaded = await this.#tryLoad();
    }
    this.#loading = undefined;
    return isLoaded;
  }

  async #tryLoad(): Promise<boolean> {
    const { name, paths, load, metrics, log } = this.#options;
    const found = this.#find();
    if (found === undefined && this.#view === undefined) return false;
    try {
      this.#tried = found?.identity ?? "";
      this.#replace(await load(found?.path ?? paths[0]!));
      log.info({ snapshot: name, generation: this.#generation }, "a new snapshot answers now");
      return true;
    } catch (error) {
      metrics.snapshotFailures.inc({ snapshot: name });
      log.error({ snapshot: name, err: error }, "the new snapshot cannot be used; the one before goes on answering");
      return false;
    }
  }

  #find(): { readonly path: string; readonly identity: string } | undefined {
    for (const path of this.#options.paths) {
      const found = fileAt(path);
      if (found !== undefined) return { path, identity: JSON.stringify([path, found.ino, found.mtimeMs, found.size]) };
    }
    return undefined;
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

function fileAt(path: string): Stats | undefined {
  try {
    const found = statSync(path);
    return found.isFile() ? found : undefined;
  } catch {
    return undefined;
  }
}
