import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Admission } from "../access/admission.ts";
import { keyAdmission } from "../access/admit-key.ts";
import { sessionAdmission } from "../access/admit-session.ts";
import type { Device } from "../access/known-device.ts";
import type { LiveSession } from "../../service/rules/service-memory.ts";
import type { Services } from "../../service/services.ts";
import type { RouteScope } from "./route-scopes.ts";

/** Who a request comes from: the bearer of an API key, or a user who has signed in. */
export interface Caller {
  readonly kind: "key" | "user";
  readonly id: string;
  readonly organisationId: string;
}

declare module "fastify" {
  interface FastifyInstance {
    /** What rejects a caller who was let in, now that the body is there. */
    confirmCaller(request: FastifyRequest): Error | undefined;
  }

  interface FastifyRequest {
    /** Set for operations of a scope, but for those that anybody may use. */
    caller: Caller;
    /** Whose key or session it has, also where that is not let in. For the log. */
    asker: Pick<Caller, "kind" | "id"> | undefined;
    /** The caller's session, in the dashboard's scope. */
    live: LiveSession;
    /** The known device that a try to sign in comes from. */
    device: Device | undefined;
    /** The one reading of the clock that the whole response uses. */
    now: number;
  }
}

/** Has every request to a scope's operation prove who it comes from, in the scope's way, before the body is read. */
export function authenticate(app: FastifyInstance, services: Services): void {
  const { now } = services;
  const admissions: Readonly<Record<RouteScope, Admission>> = {
    public: keyAdmission(services),
    dashboard: sessionAdmission(services),
  };
  app.decorateRequest("caller");
  app.decorateRequest("asker");
  app.decorateRequest("live");
  app.decorateRequest("device");
  app.decorateRequest("now", 0);
  app.addHook("onRequest", (request, reply, done) => {
    request.now = now();
    const { scope } = request.route.config;
    // Only keys have windows of their own.
    if (scope !== "public") reply.headers(app.addressWindow(request.ip));
    done(scope === undefined ? undefined : admissions[scope].admit(request, reply));
  });
  // A key may have been revoked, a user deleted, while the body came.
  app.decorate("confirmCaller", (request: FastifyRequest): Error | undefined => {
    const { scope } = request.route.config;
    return scope === undefined ? undefined : admissions[scope].confirm(request);
  });
  const confirm = (request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void =>
    done(app.confirmCaller(request));
  app.addHook("onRoute", (route) => {
    const access = route.config?.access;
    if (access === "read_write" || access === "admin") route.preHandler = confirm;
  });
}
