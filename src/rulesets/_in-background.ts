/** Milliseconds of work at a time. Other work runs in between, for a millisecond or more. */
const SLICE = 2;

/**
 * Does interruptible work in slices, after a delay in milliseconds, by timers that do not keep a program from ending
 * unless `isAwaited`; then calls `onEnd`, with the error if the work failed.
 */
export function inBackground(
  work: Iterator<undefined, void>,
  onEnd: (error: unknown) => void,
  { delay = 0, isAwaited = false }: { readonly delay?: number; readonly isAwaited?: boolean } = {},
): void {
  const timer: unknown = setTimeout(() => {
    let isDone: boolean;
    try {
      isDone = sliceOf(work);
    } catch (error) {
      return onEnd(error);
    }
    if (isDone) onEnd(undefined);
    else inBackground(work, onEnd, { isAwaited });
  }, delay);
  // Browsers return a number, which has no such method.
  if (!isAwaited && typeof timer === "object") (timer as { unref?(): void }).unref?.();
}

/** Whether the work is done. */
function sliceOf(work: Iterator<undefined, void>): boolean {
  const end = performance.now() + SLICE;
  do if (work.next().done === true) return true;
  while (performance.now() < end);
  return false;
}
