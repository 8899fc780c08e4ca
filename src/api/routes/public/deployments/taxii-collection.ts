import type { FastifyRequest } from "fastify";
import type { TaxiiCredential } from "../../../../store/records/credential.ts";
import { isActivePlan, noPlan } from "../../../../service/access/plans.ts";
import type { Services } from "../../../../service/services.ts";
import { type Collection, collectionNamed } from "../../../../service/taxii/collections.ts";
import { notFound, Problem } from "../../../problem.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** What a TAXII client has signed in with. */
    taxii: TaxiiCredential;
  }
}

/** Of TAXII's messages. */
export const TAXII_TYPE = "application/taxii+json;version=2.1";
/** Of the objects in them. */
export const STIX_TYPE = "application/stix+json;version=2.1";

/** Why a collection cannot be read now; undefined if it can. */
export function readErrorOf(collection: Collection, now: number, memory: Services["memory"]): Error | undefined {
  if (!collection.isActive) return new Problem("permission-denied", "the deployment is not active");
  const needsPlan =
    collection.source === "dataset" && !isActivePlan(memory.plan(collection.organisationId, "cti"), now);
  return needsPlan ? noPlan("cti") : undefined;
}

/** Unknown and not chosen for the credential are the same. @throws Problem (404) */
export function collectionIn({ params, taxii }: FastifyRequest, memory: Services["memory"]): Collection {
  const id = (params as { readonly collection: string }).collection.toLowerCase();
  if (taxii.collections.includes(id)) return collectionNamed(memory, taxii.organisationId, id);
  throw notFound("unknown collection; /taxii2/api/collections/ lists those of the credential");
}
