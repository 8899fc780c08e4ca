import { type Generation, SnapshotHolder } from "../../snapshot/snapshot-holder.ts";
import type { Metrics } from "../usage/metrics.ts";
import { ServiceError } from "../service-error.ts";

/** Where a snapshot is looked for, now and after a restart. */
export interface SnapshotPaths {
  /** The first at which there is a file counts. */
  readonly paths: readonly string[];
  /** Whether a server starts without it, and loads it once it is there. */
  readonly mayBeMissing: boolean;
}

interface Loaded<View> {
  readonly view: View;
  /** When the snapshot was made, in milliseconds since 1970 UTC. */
  readonly createdAt: number;
}

export interface DatasetOptions<View> extends SnapshotPaths {
  /** What metrics and log lines call it. */
  readonly name: "catalogue" | "cti";
  /** Opens the file, checks it, and makes all that requests need, so that none of them waits. */
  readonly load: (path: string) => Promise<Loaded<View>>;
  readonly metrics: Metrics;
  readonly now: () => number;
  readonly log: { info(about: object, message: string): void; error(about: object, message: string): void };
}

const MISSING = {
  catalogue: "no catalogue is loaded",
  cti: "no threat intelligence is loaded; the operator can import it with ipsieve cti import",
} as const;

/** A dataset that requests are answered from: the newest that its holder has, with metrics and log lines. */
export class ServedDataset<View> {
  readonly #options: DatasetOptions<View>;
  readonly #holder: SnapshotHolder<Loaded<View>>;
  #loadedAt: number | null = null;
  #isOpen = false;

  constructor(options: DatasetOptions<View>) {
    this.#options = options;
    this.#holder = new SnapshotHolder(options.paths, { load: options.load });
    this.#holder.on("swap", (current) => this.#swapped(current));
    this.#holder.on("failure", (error) => this.#failed(error));
  }

  /** How many files have been loaded. */
  get generation(): number {
    return this.#holder.current?.number ?? 0;
  }

  /**
   * When what answers was made, and when it was loaded: milliseconds since 1970 UTC; null before anything is loaded.
   */
  get times(): { readonly createdAt: number | null; readonly loadedAt: number | null } {
    return { createdAt: this.#holder.current?.content.createdAt ?? null, loadedAt: this.#loadedAt };
  }

  /**
   * What to answer from. Whoever answers a request takes it once, so that the answer comes from one generation.
   * @throws ServiceError "unavailable" before anything is loaded
   */
  view(): View {
    const { current } = this.#holder;
    if (current !== undefined) return current.content.view;
    throw new ServiceError("unavailable", MISSING[this.#options.name], { retryAfter: 60 });
  }

  /** Loads the file for the first time. Rejects with what is wrong with it. */
  async open(): Promise<void> {
    await this.#holder.open(this.#options);
    this.#isOpen = true;
  }

  /** Loads every new file at one of the paths from now on. */
  watch(): void {
    this.#holder.watch();
  }

  close(): void {
    this.#holder.close();
  }

  /** Loads the file again; whether the newest answers then. Never rejects: failures are logged and counted. */
  reload(): Promise<boolean> {
    return this.#holder.reload();
  }

  #swapped({ number, content }: Generation<Loaded<View>>): void {
    const { name, metrics, now, log } = this.#options;
    this.#loadedAt = now();
    metrics.snapshotGeneration.set({ snapshot: name }, number);
    metrics.snapshotCreated.set({ snapshot: name }, content.createdAt / 1000);
    if (this.#isOpen) log.info({ snapshot: name, generation: number }, "a new snapshot answers now");
  }

  #failed(error: unknown): void {
    const { name, metrics, log } = this.#options;
    metrics.snapshotFailures.inc({ snapshot: name });
    log.error({ snapshot: name, err: error }, "the new snapshot cannot be used; the previous one stays in use");
  }
}
