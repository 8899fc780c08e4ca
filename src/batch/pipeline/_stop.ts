/** Whether a run continues and, if not, why: the first reason is kept. */
export class Stop {
  readonly #controller = new AbortController();

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get isStopped(): boolean {
    return this.signal.aborted;
  }

  get reason(): unknown {
    return this.signal.reason;
  }

  stop(reason: unknown): void {
    this.#controller.abort(reason);
  }

  /** The result, or the reason to stop if that comes first: a worker may take a long time. */
  async orStopped<Result>(result: Promise<Result>): Promise<Result> {
    const { signal } = this;
    result.catch(() => {}); // it may fail when no one waits for it any more
    signal.throwIfAborted();
    let stop!: () => void;
    const stopped = new Promise<never>((_, reject) => {
      stop = () => reject(signal.reason);
      signal.addEventListener("abort", stop);
    });
    try {
      return await Promise.race([result, stopped]);
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }
}
