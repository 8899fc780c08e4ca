import { type StateUpdater, useEffect, useState } from "preact/hooks";
import { get } from "../api.ts";
import type { Identification } from "../documents.ts";
import { type Problem, problemOf } from "../problem.ts";
import { uploads } from "./uploads.ts";

/** Milliseconds between two requests. */
const PAUSE = 600;
const MAX_PAUSE = 8000;

export interface Followed {
  /** The last reported state. */
  readonly data: Identification | undefined;
  readonly problem: Problem | undefined;
}

/** Polls the state of an identification until it has ended. */
export function useIdentification(id: string): Followed {
  const [state, setState] = useState<Followed>({ data: undefined, problem: undefined });
  const isSending = uploads.value.get(id)?.state === "sending";
  useEffect(() => {
    const controller = new AbortController();
    void follow(id, controller.signal, setState);
    return () => controller.abort();
    // Fetched again when the upload is over, so that the end is shown immediately.
  }, [id, isSending]);
  return state;
}

async function follow(
  id: string,
  signal: AbortSignal,
  report: (update: StateUpdater<Followed>) => void,
): Promise<void> {
  for (let failures = 0; !signal.aborted;) {
    try {
      const data = await read(id, signal);
      if (signal.aborted) return;
      failures = 0;
      if (data !== undefined) report({ data, problem: undefined });
      if (data !== undefined && data.state !== "running") return;
    } catch (error) {
      if (signal.aborted) return;
      const problem = problemOf(error);
      report((last) => ({ data: problem.status === 404 ? undefined : last.data, problem }));
      if (problem.status >= 400 && problem.status < 500 && problem.status !== 429) return;
      failures++;
    }
    await new Promise((resolve) => setTimeout(resolve, Math.min(MAX_PAUSE, PAUSE * 2 ** Math.max(0, failures - 1))));
  }
}

/**
 * While it is being sent, it is searched for in the list: it may not have reached the server yet, and a browser reports
 * each response 404 as an error.
 */
async function read(id: string, signal: AbortSignal): Promise<Identification | undefined> {
  if (uploads.value.get(id)?.state !== "sending")
    return get("/dashboard/api/identifications/{id}", { params: { path: { id } }, signal });
  const { items } = await get("/dashboard/api/identifications", { signal });
  return items.find((each) => each.id === id);
}
