interface Waiter {
  readonly sequence: number;
  reach(): void;
}

/** Requests that wait until the server has a change. They are counted and limited as requests in progress. */
export class SequenceWaiters {
  readonly #waiting = new Set<Waiter>();

  /** Resolves with whether the change has arrived, after this many milliseconds at the latest. */
  wait(sequence: number, milliseconds: number): Promise<boolean> {
    return new Promise((resolve) => {
      const end = (isThere: boolean): void => {
        clearTimeout(timer);
        this.#waiting.delete(waiter);
        resolve(isThere);
      };
      const waiter: Waiter = { sequence, reach: () => end(true) };
      const timer = setTimeout(() => end(false), milliseconds);
      this.#waiting.add(waiter);
    });
  }

  /** All changes up to this one have arrived. */
  reached(sequence: number): void {
    for (const waiter of this.#waiting) if (waiter.sequence <= sequence) waiter.reach();
  }
}
