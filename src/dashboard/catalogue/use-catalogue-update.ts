import { useEffect, useRef, useState } from "preact/hooks";
import { get, post } from "../api.ts";
import { notifyProblem } from "../components/toasts.tsx";
import type { CatalogueUpdate } from "../documents.ts";
import { type Loading, useLoad } from "../load.ts";

/** Milliseconds between two requests while an update is running. */
const PAUSE = 1000;

export interface FollowedUpdate {
  readonly loading: Loading<CatalogueUpdate>;
  readonly isRunning: boolean;
  readonly start: () => Promise<void>;
}

/**
 * The last update of the catalogue, followed while it runs; `onUpdated` is called when one has ended that was seen
 * running.
 */
export function useCatalogueUpdate(onUpdated: () => void): FollowedUpdate {
  const [isStarting, setStarting] = useState(false);
  const loading = useLoad((signal) => get("/dashboard/api/catalogue/update", { signal }));
  const state = loading.data?.last?.state;
  const before = useRef(state);
  useEffect(() => {
    if (before.current === "running" && state === "done") onUpdated();
    before.current = state;
    if (state !== "running") return;
    const timer = setTimeout(loading.reload, PAUSE);
    return () => clearTimeout(timer);
    // Also after a failed response: the next one may succeed.
  }, [loading.data, loading.problem]);
  const start = async (): Promise<void> => {
    setStarting(true);
    before.current = "running";
    try {
      await post("/dashboard/api/catalogue/update");
    } catch (error) {
      before.current = state;
      notifyProblem(error);
    }
    setStarting(false);
    loading.reload();
  };
  return { loading, isRunning: isStarting || state === "running", start };
}
