import type { RouteOptions } from "fastify";
import type { App } from "../app-type.ts";
import { documentOf } from "./document.ts";
import type { OpenApi } from "./open-api.ts";
import type { Services } from "../../service/services.ts";
import type { RouteScope } from "../operation.ts";

declare module "fastify" {
  interface FastifyInstance {
    /** The OpenAPI 3.1 document of all operations of a scope. */
    openApi(scope: RouteScope): OpenApi;
  }
}

/**
 * Collects the operations as routes are added, by scope; those without an operation id are left out. Call it before.
 */
export function describeOperations(app: App, { settings }: Services): void {
  const routes: RouteOptions[] = [];
  app.addHook("onRoute", (route) => {
    if (route.schema?.operationId !== undefined && route.method !== "HEAD") routes.push(route);
  });
  app.decorate("openApi", (scope) =>
    documentOf(
      scope,
      routes.filter(({ config }) => config?.scope === scope),
      settings,
    ),
  );
}
