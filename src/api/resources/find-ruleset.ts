import type { FastifyRequest } from "fastify";
import { notFound } from "../problem.ts";
import type { LiveRuleset } from "../../service/store/service-memory.ts";
import type { Services } from "../../service/services.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The ruleset in the path, if it belongs to the caller's organisation. @throws Problem (404) */
export function findRuleset(request: FastifyRequest, services: Services): LiveRuleset {
  const { ruleset_id } = request.params as { ruleset_id: string };
  const { organisationId } = request.caller;
  return services.memory.ruleset(organisationId, ruleset_id) ?? rulesetWithId(rulesetId(request), request, services);
}

/** The ruleset with an id in lower case, as `findRuleset`. @throws Problem (404) */
export function rulesetWithId(id: string, request: FastifyRequest, { memory }: Services): LiveRuleset {
  const ruleset = memory.ruleset(request.caller.organisationId, id);
  if (ruleset !== undefined) return ruleset;
  throw noRuleset(request);
}

/** The id in the path. A text that is not a UUID names no ruleset. @throws Problem (404) */
export function rulesetId(request: FastifyRequest): string {
  const id = (request.params as { ruleset_id: string }).ruleset_id.toLowerCase();
  if (UUID.test(id)) return id;
  throw noRuleset(request);
}

/** The error for a ruleset that does not exist, or no longer does. */
export function noRuleset({ server }: FastifyRequest): Error {
  return notFound(`unknown ruleset; ${server.prefix}/edl/ip-rulesets/ lists yours`);
}
