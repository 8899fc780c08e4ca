import type { FastifyReply, FastifyRequest } from "fastify";
import type { Role } from "../../store/state.ts";
import type { Admission } from "./admission.ts";
import type { Access } from "../operation.ts";
import { isActivePlan, noPlan } from "../../service/access/plans.ts";
import { Problem } from "../problem.ts";
import type { Services } from "../../service/services.ts";
import { sessionDigest } from "./session-cookie.ts";

/** What a role may do, by access level. */
const MAY: Readonly<Record<Role, readonly Access[]>> = {
  viewer: ["read"],
  editor: ["read", "read_write"],
  admin: ["read", "read_write", "admin"],
};

/**
 * Checks that a request to the dashboard's API comes from the dashboard's own pages, then its session, the role and the
 * plan, in this order. Returns the problem that rejects it. An operation that does not declare its access is for
 * admins.
 */
export function sessionAdmission({ memory, settings }: Services): Admission {
  return { admit, confirm };

  function admit(request: FastifyRequest, reply: FastifyReply): Error | undefined {
    reply.header("cache-control", "no-store");
    if (request.method !== "GET" && request.method !== "HEAD" && !isSameOrigin(request, settings.baseUrl)) {
      return new Problem(
        "permission-denied",
        "the request does not come from the dashboard's own pages (Sec-Fetch-Site, Origin)",
      );
    }
    return confirm(request);
  }

  function confirm(request: FastifyRequest): Error | undefined {
    const { area, access = "admin" } = request.route.config;
    if (access === "none") return undefined;
    const digest = sessionDigest(request, settings.baseUrl);
    const live = digest === undefined ? undefined : memory.session(digest, request.now);
    if (live === undefined)
      return new Problem("authentication-required", "sign in first: you are not signed in, or your session has ended");
    const { user } = live;
    request.identity = { kind: "user", id: user.id };
    if (!MAY[user.role].includes(access))
      return new Problem(
        "permission-denied",
        `this operation needs the role ${access === "admin" ? "admin" : "editor or admin"}; yours is ${user.role}`,
      );
    if (area !== undefined && !isActivePlan(memory.plan(user.organisationId, area), request.now)) return noPlan(area);
    const mayWrite = MAY[user.role].includes("read_write");
    request.caller = { kind: "user", id: user.id, organisationId: user.organisationId, mayWrite };
    request.live = live;
    return undefined;
  }
}

/**
 * Whether the browser says that the request comes from our own pages. A request without these headers does not come
 * from a page: all browsers name the origin of requests that change something.
 */
function isSameOrigin({ headers, protocol, host }: FastifyRequest, baseUrl: string): boolean {
  const { "sec-fetch-site": site, origin } = headers;
  if (site !== undefined) return site === "same-origin";
  return origin !== undefined && (origin === `${protocol}://${host}` || origin === URL.parse(baseUrl)?.origin);
}
