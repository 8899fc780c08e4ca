import { useLayoutEffect, useState } from "preact/hooks";
import { type Problem, problemOf } from "./problem.ts";

/** Data that is fetched: the last response stays while it is fetched again. */
export interface Loading<Data> {
  readonly data: Data | undefined;
  readonly problem: Problem | undefined;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

/** Waits in `load` before a request, so that changes that follow each other quickly cause only one. */
export async function rest(milliseconds: number, signal: AbortSignal): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
  signal.throwIfAborted();
}

/** Fetches now, whenever one of `dependencies` changes, and at `reload`; outdated responses are dropped. */
export function useLoad<Data>(
  load: (signal: AbortSignal) => Promise<Data>,
  dependencies: readonly unknown[] = [],
): Loading<Data> {
  const [round, setRound] = useState(0);
  const [state, setState] = useState<Omit<Loading<Data>, "reload">>({
    data: undefined,
    problem: undefined,
    isLoading: true,
  });
  // Not after the frame, which would be drawn without it.
  useLayoutEffect(() => {
    const controller = new AbortController();
    setState((last) => ({ ...last, isLoading: true }));
    load(controller.signal).then(
      (data) => controller.signal.aborted || setState({ data, problem: undefined, isLoading: false }),
      (error) =>
        controller.signal.aborted ||
        setState((last) => ({ data: last.data, problem: problemOf(error), isLoading: false })),
    );
    return () => controller.abort();
  }, [...dependencies, round]);
  return { ...state, reload: () => setRound((last) => last + 1) };
}
