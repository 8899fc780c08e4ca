import type { FastifyInstance } from "fastify";
import { keyAdmission } from "../admit-key.ts";
import { sessionAdmission } from "../admit-session.ts";
import type { LiveSession } from "../service-memory.ts";
import type { Services } from "../services.ts";

/** Who a request comes from: the bearer of an API key, or a user who has signed in. */
export interface Caller {
  readonly kind: "key" | "user";
  readonly id: string;
  readonly organisationId: string;
}

declare module "fastify" {
  interface FastifyRequest {
    /** Set for operations of a door, but for those that anybody may use. */
    caller: Caller;
    /** The caller's session, at the dashboard's door. */
    live: LiveSession;
    /** The one reading of the clock that the whole response uses. */
    now: number;
  }
}

/** Has every request to a door's operation prove who it comes from, in the door's way, before the body is read. */
export function authenticate(app: FastifyInstance, services: Services): void {
  const { failureLimits, settings, now } = services;
  const admitKey = keyAdmission(services);
  const admitSession = sessionAdmission(services);
  app.decorateRequest("caller");
  app.decorateRequest("live");
  app.decorateRequest("now", 0);
  app.addHook("onRequest", (request, reply, done) => {
    request.now = now();
    const { door } = request.route.config;
    if (door === "public") return done(admitKey(request, reply));
    if (door === "dashboard") return done(admitSession(request, reply));
    reply.headers(failureLimits.peek(request.ip, request.now, settings.failuresPerMinute).headers);
    done();
  });
}
