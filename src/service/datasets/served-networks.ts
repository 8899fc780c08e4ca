import { SnapshotHolder } from "../../snapshot/snapshot-holder.ts";
import { type NetworkView, openNetworkView } from "./network-view.ts";

export interface ServedNetworksOptions {
  /** The first path with a file is used; none: lookups have no network. */
  readonly paths: readonly string[];
  readonly log: { info(about: object, message: string): void; error(about: object, message: string): void };
}

/**
 * The networks that lookups show. They are opened by the first lookup: a server that is asked for none does without
 * their memory. A file that is missing or damaged fails no lookup: these have no network, the log says why, and a later
 * file is used once it is there.
 */
export class ServedNetworks {
  readonly #options: ServedNetworksOptions;
  readonly #holder: SnapshotHolder<NetworkView>;
  #opening: Promise<void> | undefined;
  #isOpen: boolean;

  constructor(options: ServedNetworksOptions) {
    this.#options = options;
    this.#isOpen = options.paths.length === 0;
    this.#holder = new SnapshotHolder(options.paths, { load: openNetworkView });
    this.#holder.on("swap", ({ number }) => {
      if (number > 1) options.log.info({ snapshot: "networks", generation: number }, "a new snapshot is in use");
    });
    this.#holder.on("failure", (error) => this.#failed(error));
  }

  /** Whether `view` can be used: from the first `open` on. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** How many files have been loaded. */
  get generation(): number {
    return this.#holder.current?.number ?? 0;
  }

  /** The networks in use; null if there are none. */
  view(): NetworkView | null {
    return this.#holder.current?.content ?? null;
  }

  /** Opens the file, the first time, and follows it from then on. Never rejects. */
  open(): Promise<void> {
    return (this.#opening ??= this.#open());
  }

  /** Loads the file again, if it has been opened. Never rejects. */
  async reload(): Promise<void> {
    if (this.#opening !== undefined) await this.#holder.reload();
  }

  close(): void {
    this.#holder.close();
  }

  async #open(): Promise<void> {
    if (this.#isOpen) return; // there is no path
    try {
      await this.#holder.open();
    } catch (error) {
      this.#failed(error);
    }
    this.#isOpen = true;
    this.#holder.watch();
  }

  #failed(error: unknown): void {
    const instead = this.view() === null ? "lookups have no network" : "the previous ones stay in use";
    this.#options.log.error({ snapshot: "networks", err: error }, `the networks cannot be used; ${instead}`);
  }
}
