import type { FastifyInstance, FastifyRequest } from "fastify";
import type { ApiKey, Area, Plan } from "../../store/state.ts";
import { KnownKeys } from "../known-keys.ts";
import { invalid, Problem } from "../problem.ts";
import type { Services } from "../services.ts";

/** Whose key came with a request. */
export interface Caller {
  readonly key: ApiKey;
  readonly plan: Plan;
}

declare module "fastify" {
  interface FastifyRequest {
    /** Set for operations of an area. */
    caller: Caller;
    /** The one reading of the clock that the whole response uses. */
    now: number;
  }
}

/** Checks the key of every request to an operation of an area, then the rate, the plan and the access level, in this order, before the body is read. */
export function authenticate(app: FastifyInstance, services: Services): void {
  const { memory, keyLimits, failureLimits, settings, now } = services;
  const keys = new KnownKeys(memory);
  app.decorateRequest("caller");
  app.decorateRequest("now", 0);
  app.addHook("onRequest", (request, reply, done) => {
    request.now = now();
    const { area, access } = request.route.config;
    if (area === undefined) {
      reply.headers(failureLimits.peek(request.ip, request.now, settings.failuresPerMinute).headers);
      return done();
    }
    const key = keyOf(request, keys);
    if (key instanceof Problem) {
      services.metrics.failedKeys.inc();
      const window = failureLimits.take(request.ip, request.now, settings.failuresPerMinute);
      reply.headers(window.headers);
      return done(window.isExceeded ? tooMany("too many requests without a valid API key came from this address", window.retryAfter) : key);
    }
    const plan = memory.plan(key.organisationId, area);
    const window = keyLimits.take(key.id, request.now, plan?.perMinute ?? settings.perMinute, plan?.perMonth ?? settings.perMonth);
    reply.headers(window.headers);
    if (window.isExceeded) {
      services.metrics.rateLimited.inc({ window: window.name });
      return done(tooMany(`the key has made its ${window.limit} requests of this ${window.name}`, window.retryAfter));
    }
    if (plan === undefined || !isActive(plan, request.now)) return done(new Problem("permission-denied", `the organisation has no active plan for ${NAMES[area]}`));
    if (access === "read_write" && key.access === "read") return done(new Problem("permission-denied", "the API key may only read; this needs a key of the access level read_write"));
    request.caller = { key, plan };
    done();
  });
}

const NAMES: Readonly<Record<Area, string>> = { edl: "EDL Management", cbs: "Common Business Services", cti: "threat-intelligence lookup" };

function isActive({ active, until }: Plan, now: number): boolean {
  return active && (until === null || now < until);
}

function tooMany(detail: string, retryAfter: number): Problem {
  return new Problem("rate-limit-exceeded", `${detail}; try again in ${retryAfter} s`, { headers: { "retry-after": String(retryAfter) } });
}

/** The valid key of the request, or why there is none. Unknown, malformed and revoked keys cannot be told apart. */
function keyOf(request: FastifyRequest, keys: KnownKeys): ApiKey | Problem {
  const text = keyText(request);
  if (text instanceof Problem) return text;
  if (text === "") return refused("No API key found in request");
  const key = keys.find(text);
  if (key === undefined || key.revokedAt !== null) return refused("Unauthorized");
  return key.expiresAt !== null && request.now >= key.expiresAt ? refused("API key expired") : key;
}

function refused(detail: string): Problem {
  return new Problem("authentication-required", detail);
}

/** The header decides where there is one; an empty one is none. */
function keyText({ headers, query, route }: FastifyRequest): string | Problem {
  const { apikey = "" } = query as Readonly<Record<string, string | string[] | undefined>>;
  if (typeof apikey !== "string") return invalid({ apikey: ["it is given more than once"] });
  const header = headers["x-api-key"] || (route.config.area === "cti" ? headers["apikey"] : undefined);
  return header === undefined || header === "" ? apikey : String(header);
}
