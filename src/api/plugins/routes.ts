import type { FastifyInstance, FastifyRequest } from "fastify";

declare module "fastify" {
  interface FastifyRequest {
    /**
     * The same as `routeOptions`, read once: the framework creates a new object at each access. Undefined for requests
     * without a path.
     */
    route: FastifyRequest["routeOptions"];
  }
}

/** Reads the route of every request, before other hooks need it. */
export function readRoutes(app: FastifyInstance): void {
  app.decorateRequest("route");
  app.addHook("onRequest", (request: FastifyRequest, _reply, done) => {
    request.route = request.routeOptions;
    done();
  });
}
