import type { FastifyReply, FastifyRequest } from "fastify";
import type { ApiKey } from "../../store/records/credential.ts";
import type { Admission } from "./admission.ts";
import { hasExpired, type KnownCredentials } from "../../service/access/known-credentials.ts";
import { isAcceptedFrom, isInScopes, scopesFor } from "../../service/access/key-scopes.ts";
import { allowanceOf, isActivePlan, noPlan, PLAN_NAMES } from "../../service/access/plans.ts";
import { Problem } from "../problem.ts";
import { invalid, tooManyRequests } from "../../service/service-error.ts";
import type { Services } from "../../service/services.ts";

/**
 * Checks the key of a request to an operation of an area and where it comes from, then the rate, the plan, the access
 * level and the scopes, in this order.
 * Returns the problem that rejects it.
 */
export function keyAdmission(services: Services): Admission {
  const { memory, settings } = services;
  const { keyLimits, failureLimits, credentials } = services.access;
  return { admit, confirm };

  function confirm(request: FastifyRequest): Error | undefined {
    const key = keyOf(request, credentials);
    return key instanceof Error ? key : undefined;
  }

  function admit(request: FastifyRequest, reply: FastifyReply): Error | undefined {
    const { area = "edl", access } = request.route.config;
    const key = keyOf(request, credentials);
    if (key instanceof Error) {
      services.metrics.failedKeys.inc();
      const window = failureLimits.take(request.ip, settings.failuresPerMinute);
      reply.headers(window.headers);
      return window.isExceeded
        ? tooManyRequests("too many requests without a valid API key came from this address", window.retryAfter)
        : key;
    }
    request.identity = { kind: "key", id: key.id };
    if (!isAcceptedFrom(key, request.ip))
      return new Problem("permission-denied", `the API key is not accepted from the address ${request.ip}`);
    const plan = memory.plan(key.organisationId, area);
    const window = keyLimits.take(key.id, area, request.now, allowanceOf(plan, settings));
    reply.headers(window.headers);
    if (window.isExceeded) {
      services.metrics.rateLimited.inc({ window: window.name });
      return tooManyRequests(
        `the key has used up the ${window.limit} requests per ${window.name} that the plan for ${PLAN_NAMES[area]} allows`,
        window.retryAfter,
      );
    }
    if (!isActivePlan(plan, request.now)) return noPlan(area);
    if (access !== "read" && key.access === "read")
      return new Problem(
        "permission-denied",
        "the API key is read-only; this operation needs a key with access level read_write",
      );
    const scopes = scopesFor(area, request.route.url ?? "", request.params);
    if (!isInScopes(key, scopes))
      return new Problem(
        "permission-denied",
        `the API key has none of the scopes that allow this operation: ${scopes.join(", ")}`,
      );
    const mayWrite = key.access === "read_write";
    request.caller = { kind: "key", id: key.id, organisationId: key.organisationId, mayWrite };
    return undefined;
  }
}

/**
 * The valid key of the request, or why there is none. The responses for unknown, malformed and revoked keys are the
 * same.
 */
function keyOf(request: FastifyRequest, credentials: KnownCredentials): ApiKey | Error {
  const text = keyText(request);
  if (text instanceof Error) return text;
  if (text === "") return refused("No API key found in request");
  const key = credentials.find("api", text);
  if (key === undefined) return refused("Unauthorized");
  return hasExpired(key, request.now) ? refused("API key expired") : key;
}

function refused(detail: string): Problem {
  return new Problem("authentication-required", detail);
}

/** The header wins if there is one; an empty header counts as absent. */
function keyText({ headers, query, route }: FastifyRequest): string | Error {
  const { apikey = "" } = query as Readonly<Record<string, string | string[] | undefined>>;
  if (typeof apikey !== "string") return invalid({ apikey: ["given more than once"] });
  const header = headers["x-api-key"] || (route.config.area === "cti" ? headers["apikey"] : undefined);
  return header === undefined || header === "" ? apikey : String(header);
}
