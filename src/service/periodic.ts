/** Work that is repeated at intervals, one run at a time, until it is stopped. It keeps no process running. */
export class Periodic {
  readonly #run: () => Promise<number | void>;
  readonly #every: number;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #isStopped = false;

  /**
   * `run` must not reject; `every`: milliseconds from the end of one run to the next, unless it returns others.
   */
  constructor(run: () => Promise<number | void>, every: number) {
    this.#run = run;
    this.#every = every;
  }

  /** The first run is after `every` milliseconds. */
  start(): void {
    this.#runAfter(this.#every);
  }

  /** The first run is now. */
  startNow(): void {
    if (this.#isStopped) return;
    this.#running = this.#run().then((wait) => this.#runAfter(wait ?? this.#every));
  }

  #runAfter(milliseconds: number): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => this.startNow(), milliseconds).unref();
  }

  /** Resolves when the run in progress has ended; no other one starts. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }
}
