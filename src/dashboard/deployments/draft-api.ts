import { post } from "../api.ts";
import type { Deployment, DeploymentPreview } from "../documents.ts";
import { at, change, type Draft, ONE } from "./deployments-api.ts";
import { NO_LIMITS } from "./limits.tsx";

/** Saves what the form of a deployment says. Rejects as `change`. */
export function saveDraft(id: string, draft: Draft, tag: string): Promise<Deployment> {
  return change(id, withAllLimits(draft), tag);
}

/** The list that a deployment would have. The name may still be missing. */
export function preview(
  { name, ...draft }: Draft,
  id: string | undefined,
  signal: AbortSignal,
): Promise<DeploymentPreview> {
  const body = { ...draft, ...(name.trim() !== "" && { name: name.trim() }) };
  return id === undefined
    ? post("/dashboard/api/edl/deployments:preview", { body, signal })
    : post(`${ONE}:preview`, { params: at(id), body: withAllLimits(body), signal });
}

/** With null, which removes it, for each limit of the form that the draft does not have. */
function withAllLimits<Part extends Pick<Draft, "options">>(draft: Part) {
  return { ...draft, options: { ...NO_LIMITS, ...draft.options } };
}
