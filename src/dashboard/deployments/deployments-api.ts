import { get, patch, post, remove } from "../api.ts";
import type { Deployment, DeploymentPreview, DeploymentUrls, PullList } from "../documents.ts";
import { fetchLists } from "../lists/lists-api.ts";
import { fetchRulesets } from "../rulesets/rules-api.ts";
import type { Choices } from "./source-list.tsx";

/** What users decide about a deployment. */
export type Draft = Pick<
  Deployment,
  | "name"
  | "description"
  | "firewall_format"
  | "device"
  | "update_frequency"
  | "purpose"
  | "direction"
  | "guard"
  | "include"
  | "exclude"
  | "options"
>;

const ONE = "/dashboard/api/edl/deployments/{deployment_id}";
const at = (id: string) => ({ path: { deployment_id: id } });

/** All deployments: an organisation has a hundred at most. */
export async function fetchDeployments(signal: AbortSignal): Promise<Deployment[]> {
  const params = { query: { page_size: 1000 } };
  return (await get("/dashboard/api/edl/deployments/", { params, signal })).items;
}

export function fetchDeployment(id: string, signal: AbortSignal): Promise<Deployment> {
  return get(ONE, { params: at(id), signal });
}

/** What sources can refer to. */
export async function fetchChoices(signal: AbortSignal): Promise<Choices> {
  const [rulesets, lists] = await Promise.all([fetchRulesets(signal), fetchLists(signal)]);
  return { rulesets, lists };
}

/** Null where the deployment is not active. */
export async function fetchUrls(
  { id, active }: Deployment,
  signal: AbortSignal,
): Promise<DeploymentUrls["urls"] | null> {
  return active ? (await get(`${ONE}/urls/`, { params: at(id), signal })).urls : null;
}

export function fetchPulls(id: string, signal: AbortSignal): Promise<PullList> {
  return get(`${ONE}/pulls/`, { params: at(id), signal });
}

/** Saves a new deployment, or changes of one. */
export function save(draft: Draft, id?: string): Promise<Deployment> {
  return id === undefined
    ? post("/dashboard/api/edl/deployments/", { body: draft })
    : patch(ONE, { params: at(id), body: draft });
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
    : post(`${ONE}:preview`, { params: at(id), body, signal });
}

export function setActive(id: string, active: boolean): Promise<Deployment> {
  return patch(ONE, { params: at(id), body: { active } });
}

export function publish(id: string, generation: number): Promise<Deployment> {
  return post(`${ONE}:publish`, { params: at(id), body: { generation } });
}

export function rotate(id: string, credential: "url" | "password", hours: number) {
  return post(`${ONE}:rotate`, { params: at(id), body: { credential, grace_hours: hours } });
}

export function erase(id: string): Promise<unknown> {
  return remove(ONE, { params: at(id) });
}
