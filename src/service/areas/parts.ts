interface Part {
  start?(): unknown;
  /** Also called if it was not started. */
  stop(): unknown;
}

/**
 * What has to be started, in the order in which it is added, and stopped in the opposite order. An
 * `AsyncDisposableStack` that starts as well; Node 22 has none.
 */
export class Parts {
  readonly #parts: Part[] = [];

  add<Added extends Part>(part: Added): Added {
    this.#parts.push(part);
    return part;
  }

  /** Rejects with the first failure; the parts after it are not started. */
  async start(): Promise<void> {
    for (const part of this.#parts) await part.start?.();
  }

  /** Stops each part once, and all of them, whichever fail; then rejects with the failure, or AggregateError. */
  async stop(): Promise<void> {
    const errors: unknown[] = [];
    for (let part = this.#parts.pop(); part !== undefined; part = this.#parts.pop()) {
      try {
        await part.stop();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length === 1) throw errors[0];
    if (errors.length > 1) throw new AggregateError(errors, errors.map(String).join("; "));
  }
}
