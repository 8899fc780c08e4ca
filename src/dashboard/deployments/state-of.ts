import type { Deployment } from "../documents.ts";

type State = "inactive" | "not published yet" | "refused" | "not pulled" | "ok";

/** What a page says about a deployment in a word or two. */
export function stateOf({ active, status, not_pulled: isNotPulled }: Deployment): State {
  if (!active) return "inactive";
  if (status === "stale") return "not published yet";
  return status === "refused" ? "refused" : isNotPulled ? "not pulled" : "ok";
}
