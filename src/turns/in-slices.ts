/** Milliseconds of work at a time. */
const SLICE = 2;

const waiting: (() => void)[] = [];

/**
 * Resolves in a later turn of the event loop, when events that arrived meanwhile have been handled. Only one waiting
 * caller continues per turn: many long tasks at once take longer, but block others no longer than one of them does.
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

/**
 * Measures how long work has been running: `await slice.pause()` in a loop lets other work run when the time is used
 * up.
 */
export class Slice {
  /** The first slice begins with the first pause, so that simultaneous tasks do not all begin at once. */
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
 * Does interruptible work in slices, with requests in between. Once the signal is aborted, it stops and rejects with
 * the signal's reason.
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
