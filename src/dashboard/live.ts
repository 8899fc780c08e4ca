import { useEffect, useRef } from "preact/hooks";
import { hasPlan } from "./session.ts";

/** Milliseconds between two calls while changes come, and without any: some things change by time alone. */
const [AT_LEAST, AT_MOST] = [2000, 60_000];

/** Calls a function soon after changes of the organisation, and every minute, while the page is visible. */
export function useChanges(changed: () => void): void {
  const latest = useRef(changed);
  latest.current = changed;
  useEffect(() => {
    let soon: ReturnType<typeof setTimeout> | undefined;
    const call = (): void => {
      soon = undefined;
      if (document.visibilityState === "visible") latest.current();
    };
    const note = (): void => void (soon ??= setTimeout(call, AT_LEAST));
    const events = hasPlan("edl") ? new EventSource("dashboard/api/changes") : undefined;
    events?.addEventListener("message", note);
    const regular = setInterval(call, AT_MOST);
    document.addEventListener("visibilitychange", note);
    return () => {
      events?.close();
      clearTimeout(soon);
      clearInterval(regular);
      document.removeEventListener("visibilitychange", note);
    };
  }, []);
}
