import type { FastifyInstance, FastifyRequest } from "fastify";

declare module "fastify" {
  interface FastifyRequest {
    /**
     * The same as `routeOptions`, read once: the framework makes those anew at each reading. Undefined for what is no
     * request for a path.
     */
    route: FastifyRequest["routeOptions"];
  }
}

/** Reads the route of every request, before other hooks ask for it. */
export function readRoutes(app: FastifyInstance): void {
  app.decorateRequest("route");
  app.addHook("onRequest", (request: FastifyRequest, _reply, done) => {
    request.route = request.routeOptions;
    done();
  });
}
