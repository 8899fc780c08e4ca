import { get, post, remove } from "../api.ts";
import type { BlockedList, Bouncer, EdgeComponent } from "../documents.ts";

/** A program that enforces a deployment by itself. */
export type Enforcer = ({ readonly kind: "bouncer" } & Bouncer) | ({ readonly kind: "edge" } & EdgeComponent);

/** The programs of one deployment: first those whose credentials are valid; among equals, newest first. */
export async function fetchEnforcers(deploymentId: string, signal: AbortSignal): Promise<Enforcer[]> {
  const [bouncers, components] = await Promise.all([
    get("/dashboard/api/bouncers", { signal }),
    get("/dashboard/api/edge-components", { signal }),
  ]);
  const all: Enforcer[] = [
    ...bouncers.items.map((each) => ({ kind: "bouncer" as const, ...each })),
    ...components.items.map((each) => ({ kind: "edge" as const, ...each })),
  ];
  return all
    .filter(({ deployment_id: id }) => id === deploymentId)
    .sort((a, b) => a.state.localeCompare(b.state) || b.created_at.localeCompare(a.created_at));
}

export function createBouncer(deploymentId: string, label: string, hostsOnly: boolean) {
  return post("/dashboard/api/bouncers", { body: { deployment_id: deploymentId, label, hosts_only: hostsOnly } });
}

export function createEdgeComponent(deploymentId: string, label: string, type: string) {
  return post("/dashboard/api/edge-components", {
    body: { deployment_id: deploymentId, label, component_type: type },
  });
}

export function revoke({ kind, id }: Enforcer): Promise<unknown> {
  return kind === "bouncer"
    ? remove("/dashboard/api/bouncers/{bouncer_id}", { params: { path: { bouncer_id: id } } })
    : remove("/dashboard/api/edge-components/{component_id}", { params: { path: { component_id: id } } });
}

export function fetchBlocked(deploymentId: string, signal: AbortSignal): Promise<BlockedList> {
  const path = { deployment_id: deploymentId };
  return get("/dashboard/api/edl/deployments/{deployment_id}/blocked/", { params: { path }, signal });
}
