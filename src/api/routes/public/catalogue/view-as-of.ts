import type { FastifyRequest } from "fastify";
import type { CatalogueView } from "../../../../service/datasets/catalogue-view.ts";
import type { Services } from "../../../../service/services.ts";

/** The catalogue in use, or the one of an earlier time, which the field `field` names. @throws ServiceError */
export async function viewAsOf(
  { data: { catalogue, earlierCatalogues } }: Pick<Services, "data">,
  { caller }: Pick<FastifyRequest, "caller">,
  asOf: string | undefined,
  field = "as_of",
): Promise<CatalogueView> {
  return asOf === undefined ? catalogue.view() : earlierCatalogues.asOf(asOf, caller.organisationId, field);
}
