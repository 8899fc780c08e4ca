import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Admission } from "../access/admission.ts";
import { keyAdmission } from "../access/admit-key.ts";
import { sessionAdmission } from "../access/admit-session.ts";
import type { Device } from "../access/known-device.ts";
import type { LiveSession } from "../../service/store/service-memory.ts";
import type { Services } from "../../service/services.ts";
import type { RouteScope } from "../operation.ts";

/** The caller of a request: the owner of an API key, or a signed-in user. */
export interface Caller {
  readonly kind: "key" | "user";
  readonly id: string;
  readonly organisationId: string;
  /** Whether the key or the role may write rules; those who may also see who wrote them. */
  readonly mayWrite: boolean;
}

declare module "fastify" {
  interface FastifyInstance {
    /** The error that rejects an admitted caller now that the body has arrived. */
    confirmCaller(request: FastifyRequest): Error | undefined;
  }

  interface FastifyRequest {
    /** Set for operations of a scope, except those that need no authentication. */
    caller: Caller;
    /** The owner of its key or session, even if it is rejected. For the log. */
    identity: Pick<Caller, "kind" | "id"> | undefined;
    /** The caller's session, in the dashboard's scope. */
    live: LiveSession;
    /** The known device that a sign-in attempt comes from. */
    device: Device | undefined;
    /** The time used for the whole response, read once. */
    now: number;
  }
}

/** Authenticates every request to a scope's operation, in the scope's way, before the body is read. */
export function authenticate(app: FastifyInstance, services: Services): void {
  const { now } = services;
  const admissions: Readonly<Record<RouteScope, Admission>> = {
    public: keyAdmission(services),
    dashboard: sessionAdmission(services),
  };
  app.decorateRequest("caller");
  app.decorateRequest("identity");
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
  // While the body arrived, the key may have been revoked or the user deleted.
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

/** While the body arrived, the caller may have lost the right to send it. @throws Problem (401, 403) */
export function requireCaller(request: FastifyRequest): void {
  const problem = request.server.confirmCaller(request);
  if (problem !== undefined) throw problem;
}
