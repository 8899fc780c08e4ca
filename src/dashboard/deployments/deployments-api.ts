import { get, http, patch, post, remove, tagOf } from "../api.ts";
import type { Deployment, DeploymentChanges, DeploymentUrls, NewDeployment, PullList } from "../documents.ts";
import { fetchLists } from "../lists/lists-api.ts";
import { Problem } from "../problem.ts";
import { fetchRulesets } from "../rulesets/rules-api.ts";
import type { Choices } from "./source-list.tsx";

/** What users decide about a deployment; whether it is active is not part of its form. */
export type Draft = Required<Omit<NewDeployment, "active">>;

export const ONE = "/dashboard/api/edl/deployments/{deployment_id}";
export const at = (id: string) => ({ path: { deployment_id: id } });

/** All deployments: an organisation has a hundred at most. */
export async function fetchDeployments(signal: AbortSignal): Promise<Deployment[]> {
  const params = { query: { page_size: 1000 } };
  return (await get("/dashboard/api/edl/deployments/", { params, signal })).items;
}

export interface TaggedDeployment {
  readonly deployment: Deployment;
  /** Its ETag, without which a change would also overwrite what someone else has saved since. */
  readonly tag: string;
}

export async function fetchDeployment(id: string, signal: AbortSignal): Promise<TaggedDeployment> {
  const { data, response } = await http.GET(ONE, { params: at(id), signal });
  return { deployment: data!, tag: tagOf(response) };
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

export function create(draft: Draft): Promise<Deployment> {
  return post("/dashboard/api/edl/deployments/", { body: draft });
}

/** Rejects with status 412, and saves nothing, if someone has changed the deployment since it had the tag. */
export function change(id: string, body: DeploymentChanges, tag: string): Promise<Deployment> {
  return patch(ONE, { params: at(id), headers: { "If-Match": tag }, body }).catch(rethrow);
}

/** In the words of someone at a form. */
function rethrow(error: unknown): never {
  if (!(error instanceof Problem) || error.status !== 412) throw error;
  throw new Problem(412, {
    title: "Someone else has changed this deployment",
    detail: "It was changed after this page was opened, so nothing was done. Reload the page to see the change.",
  });
}

export function publish(id: string, generation: number): Promise<Deployment> {
  return post(`${ONE}:publish`, { params: at(id), body: { generation } });
}

export function rotate(id: string, credential: "url" | "password", hours: number) {
  return post(`${ONE}:rotate`, { params: at(id), body: { credential, grace_hours: hours } });
}

/** Rejects as `change` does. */
export function erase(id: string, tag: string): Promise<unknown> {
  return remove(ONE, { params: at(id), headers: { "If-Match": tag } }).catch(rethrow);
}
