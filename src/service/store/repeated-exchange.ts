/** An exchange with the store that is repeated at intervals, one at a time, until it is stopped. */
export class RepeatedExchange {
  readonly #exchange: () => Promise<void>;
  readonly #every: number;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #isStopped = false;

  /** `exchange` must not reject; `every`: milliseconds from the end of one exchange to the next. */
  constructor(exchange: () => Promise<void>, every: number) {
    this.#exchange = exchange;
    this.#every = every;
  }

  /** The first exchange is after `every` milliseconds. */
  start(): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => {
      this.#running = this.#exchange().then(() => this.start());
    }, this.#every).unref();
  }

  /** Resolves when the exchange in progress has ended; no other one starts. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }
}
