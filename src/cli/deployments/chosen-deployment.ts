import type { Client, Deployment } from "../../client/client.ts";
import { nearest } from "../../words/nearest.ts";
import { UsageError } from "../runner/usage-error.ts";

/** The note of every command that takes a DEPLOYMENT. */
export const DEPLOYMENT_NOTE = 'DEPLOYMENT is the id or name of a deployment; "ipsieve deployment list" lists them.';

interface Named {
  readonly id: string;
  readonly name: string;
}

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
  const byId = all.find(({ id }) => id === text.toLowerCase());
  const named = byId === undefined ? all.filter(({ name }) => name === text) : [byId];
  if (named.length > 1)
    throw new UsageError(
      `several deployments are named ${JSON.stringify(text)}; give the id of one: ${named.map(({ id }) => id).join(", ")}`,
    );
  if (named[0] !== undefined) return named[0];
  const meant = nearest(
    text,
    all.map(({ name }) => name),
  );
  throw new UsageError(
    `there is no deployment ${JSON.stringify(text)}; ${meant === undefined ? '"ipsieve deployment list" lists them' : `did you mean ${JSON.stringify(meant)}?`}`,
  );
}

export async function allDeployments(client: Client): Promise<Deployment[]> {
  const all: Deployment[] = [];
  for await (const deployment of client.deployments()) all.push(deployment);
  return all;
}
