import { type Generation, SnapshotHolder } from "../../snapshot/snapshot-holder.ts";
import type { TrustedKeys } from "../../snapshot/signing.ts";
import type { Metrics } from "../usage/metrics.ts";
import { ServiceError } from "../service-error.ts";

/** Where a snapshot is looked for, now and after a restart. */
export interface SnapshotPaths {
  /** The first path with a file is used. */
  readonly paths: readonly string[];
  /** Whether a server may start without the file, which is then loaded once it appears. */
  readonly mayBeMissing: boolean;
  /** The snapshot must be signed by one of these keys. */
  readonly trustedKeys?: TrustedKeys | undefined;
}

/** The result of `load`. */
export interface Loaded<View> {
  readonly view: View;
  /** When it has to be loaded again because something in it expires; Infinity or absent: never. */
  readonly until?: number;
  /** When the snapshot was made, in milliseconds since 1970 UTC. */
  readonly createdAt: number;
  /**
   * Builds what only some requests need; these wait for it. A starting server calls this once it listens; a later file
   * replaces the current one only when this has completed.
   */
  readonly complete?: () => Promise<void>;
}

export interface DatasetOptions<View> extends SnapshotPaths {
  /** Its name in metrics and log lines. */
  readonly name: "catalogue" | "cti";
  /** Opens and checks the file, and builds what requests need, so that none of them waits. */
  readonly load: (path: string, now: number) => Promise<Loaded<View>>;
  readonly metrics: Metrics;
  readonly now: () => number;
  readonly log: { info(about: object, message: string): void; error(about: object, message: string): void };
}

/** However often something expires, at most a twentieth of the time is spent loading. */
const AFTER_EXPIRY_MS = 1000;
const REST = 20;
const AFTER_FAILURE_MS = 60_000;
/** The longest delay of a timer. */
const MAX_WAIT_MS = 2 ** 31 - 1;

const MISSING = {
  catalogue: "no catalogue is loaded",
  cti: "no threat intelligence is loaded; the operator can import it with ipsieve cti import",
} as const;

/** A dataset in use by requests: the newest one of its holder, with metrics and log lines. */
export class ServedDataset<View> {
  readonly #options: DatasetOptions<View>;
  readonly #holder: SnapshotHolder<Loaded<View>>;
  #loadedAt: number | null = null;
  #isOpen = false;
  /** Milliseconds that the last load took. */
  #loadTime = 0;
  #expiry: NodeJS.Timeout | undefined;

  constructor(options: DatasetOptions<View>) {
    this.#options = options;
    this.#holder = new SnapshotHolder(options.paths, { load: (path) => this.#load(path) });
    this.#holder.on("swap", (current) => this.#swapped(current));
    this.#holder.on("failure", (error) => this.#failed(error));
  }

  /** How many files have been loaded. */
  get generation(): number {
    return this.#holder.current?.number ?? 0;
  }

  /**
   * When the dataset in use was made and when it was loaded: milliseconds since 1970 UTC; null before anything is
   * loaded.
   */
  get times(): { readonly createdAt: number | null; readonly loadedAt: number | null } {
    return { createdAt: this.#holder.current?.content.createdAt ?? null, loadedAt: this.#loadedAt };
  }

  /**
   * The view to respond from. A request takes it once, so that its response comes from one generation.
   * @throws ServiceError "unavailable" before anything is loaded
   */
  view(): View {
    const { current } = this.#holder;
    if (current !== undefined) return current.content.view;
    throw new ServiceError("unavailable", MISSING[this.#options.name], { retryAfter: 60 });
  }

  /** Loads the file for the first time. Rejects with the error of the file. */
  async open(): Promise<void> {
    await this.#holder.open(this.#options);
    this.#isOpen = true;
  }

  /**
   * Builds what `open` has left out. Never rejects: a failure is logged, as are failures of requests that need the
   * result.
   */
  async complete(): Promise<void> {
    try {
      await this.#holder.current?.content.complete?.();
    } catch (error) {
      this.#options.log.error(
        { snapshot: this.#options.name, err: error },
        "the snapshot in use supports lookups only",
      );
    }
  }

  /** Watches the paths: loads every new file from now on. */
  watch(): void {
    this.#holder.watch();
  }

  close(): void {
    clearTimeout(this.#expiry);
    this.#holder.close();
  }

  /**
   * Loads the file again; resolves with whether the newest one is in use. Never rejects: failures are logged and
   * counted.
   */
  reload(): Promise<boolean> {
    return this.#holder.reload();
  }

  #swapped({ number, content }: Generation<Loaded<View>>): void {
    const { name, metrics, now, log } = this.#options;
    this.#loadedAt = now();
    metrics.snapshotGeneration.set({ snapshot: name }, number);
    metrics.snapshotCreated.set({ snapshot: name }, content.createdAt / 1000);
    this.#reloadAt(content.until ?? Infinity, Math.max(AFTER_EXPIRY_MS, REST * this.#loadTime));
    if (this.#isOpen) log.info({ snapshot: name, generation: number }, "a new snapshot is in use");
  }

  async #load(path: string): Promise<Loaded<View>> {
    const start = performance.now();
    const loaded = await this.#options.load(path, this.#options.now());
    if (this.#isOpen) await loaded.complete?.();
    this.#loadTime = performance.now() - start;
    return loaded;
  }

  /** Loads again once something has expired, but no sooner than `atLeast` milliseconds from now. */
  #reloadAt(until: number, atLeast: number): void {
    clearTimeout(this.#expiry);
    if (until === Infinity) return;
    const wait = Math.min(Math.max(until - this.#options.now(), atLeast), MAX_WAIT_MS);
    this.#expiry = setTimeout(() => {
      if (this.#options.now() < until) this.#reloadAt(until, atLeast);
      else void this.#holder.reload();
    }, wait).unref();
  }

  #failed(error: unknown): void {
    const { name, metrics, log } = this.#options;
    this.#reloadAt(this.#holder.current?.content.until ?? Infinity, AFTER_FAILURE_MS);
    metrics.snapshotFailures.inc({ snapshot: name });
    log.error({ snapshot: name, err: error }, "the new snapshot cannot be used; the previous one stays in use");
  }
}
