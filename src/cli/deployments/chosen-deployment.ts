import type { Client, Deployment } from "../../client/client.ts";
import { chosenByName, type Named, rejectTakenName } from "../server/choose-by-name.ts";

/** The note of every command that takes a DEPLOYMENT. */
export const DEPLOYMENT_NOTE = 'DEPLOYMENT is the id or name of a deployment; "ipsieve deployment list" lists them.';

const DEPLOYMENT = { kind: "deployment", listedBy: "deployment list" };

/**
 * The deployment with this id or, if none has the id, with this name. Throws UsageError if there is none, or more than
 * one.
 */
export async function chosenDeployment(client: Client, text: string): Promise<Deployment> {
  return deploymentIn(await allDeployments(client), text);
}

/** The same with its ETag, for a change of exactly this state. */
export async function taggedDeployment(
  client: Client,
  text: string,
): Promise<{ readonly deployment: Deployment; readonly tag: string }> {
  const { id } = await chosenDeployment(client, text);
  const params = { path: { deployment_id: id } };
  const { data, response } = await client.http.GET("/v1/edl/deployments/{deployment_id}", { params });
  return { deployment: data!, tag: response.headers.get("etag")! };
}

/** The same of those in a list. */
export function deploymentIn<Each extends Named>(all: readonly Each[], text: string): Each {
  return chosenByName(all, text, DEPLOYMENT);
}

/** Throws UsageError if a deployment has this name, other than the one with `ownId`. */
export async function rejectTakenDeployment(client: Client, name: string, ownId?: string): Promise<void> {
  rejectTakenName(await allDeployments(client), name, DEPLOYMENT, ownId);
}

export async function allDeployments(client: Client): Promise<Deployment[]> {
  const all: Deployment[] = [];
  for await (const deployment of client.deployments()) all.push(deployment);
  return all;
}
