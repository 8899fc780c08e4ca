/** Milliseconds of work at a time. Others have their turn in between, a millisecond or more. */
const SLICE = 2;

/**
 * Does work that can be interrupted bit by bit, by timers that do not keep a program from ending; then calls `onEnd`, with
 * the error if it has failed.
 */
export function inBackground(work: Iterator<undefined, void>, onEnd: (error: unknown) => void): void {
  const timer: unknown = setTimeout(() => {
    try {
      const end = performance.now() + SLICE;
      do if (work.next().done === true) return onEnd(undefined);
      while (performance.now() < end);
    } catch (error) {
      return onEnd(error);
    }
    inBackground(work, onEnd);
  }, 0);
  // A number in browsers.
  if (typeof timer === "object") (timer as { unref?(): void }).unref?.();
}
