import type { AddressSet } from "../../sets/address-set.ts";
import type { DeploymentSource } from "../../store/records/deployment.ts";
import { Sources, type SourceServices } from "../sources/gather-source.ts";
import { readSource, rethrow } from "../deployments/read-deployment.ts";

/** Who makes the request, and when. */
export interface Requester {
  readonly organisationId: string;
  readonly now: number;
}

/**
 * The addresses that sources of a request list, in its order; `field` is the member that has them. Nothing is cached.
 * Rejects with ServiceError "invalid", which names the source, and "no-plan". O(sources), in slices.
 */
export async function gatherSets(
  sources: readonly DeploymentSource[],
  field: string,
  { organisationId, now }: Requester,
  services: SourceServices,
): Promise<AddressSet[]> {
  const gatherer = new Sources(services);
  const scope = { organisationId, now, services: { ...services, lists: { sources: gatherer } } };
  const sets: AddressSet[] = [];
  for (const [index, source] of sources.entries()) {
    const place = `${field}[${index}]`;
    const read = await readSource(source, place, scope);
    const gathered = await gatherer.gather(organisationId, read, now).catch((error: unknown) => rethrow(error, place));
    sets.push(gathered.addresses);
  }
  return sets;
}
