/** Milliseconds of work at a time. */
const SLICE = 2;

const waiting: (() => void)[] = [];

/**
 * Resolves in a later turn of the event loop, when what has come meanwhile has been seen to. Only one of all who wait
 * goes on in a turn: many long works at once take longer, but hold no one else up for longer than one of them.
 */
export function turn(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(next);
  });
}

function next(): void {
  waiting.shift()!();
  if (waiting.length > 0) setImmediate(next);
}

/** Measures how long work has gone on: `await slice.pause()` in a loop lets others have their turn when it is time. */
export class Slice {
  /** The first slice begins with the first pause: works that come together do not all begin at once. */
  #end = Number.NEGATIVE_INFINITY;

  get isOver(): boolean {
    return performance.now() >= this.#end;
  }

  async pause(): Promise<void> {
    if (!this.isOver) return;
    await turn();
    this.#end = performance.now() + SLICE;
  }
}

/**
 * Does work that can be interrupted, letting requests have their turn in between. Rejects with the signal's reason, and
 * does no more of it, once that is aborted.
 */
export async function inSlices<Result>(
  work: Generator<undefined, Result, undefined>,
  signal?: AbortSignal,
): Promise<Result> {
  const slice = new Slice();
  for (;;) {
    await slice.pause();
    signal?.throwIfAborted();
    do {
      const { done, value } = work.next();
      if (done === true) return value;
    } while (!slice.isOver);
  }
}
