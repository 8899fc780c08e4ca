import type { RouteOptions } from "fastify";
import type { App } from "../app-type.ts";
import { documentOf } from "../openapi/document.ts";
import type { OpenApi } from "../openapi/open-api.ts";
import type { Services } from "../../service/services.ts";
import type { DoorName } from "./doors.ts";

declare module "fastify" {
  interface FastifyInstance {
    /** The OpenAPI 3.1 document of all operations of a door. */
    openApi(door: DoorName): OpenApi;
  }
}

/** Collects the operations as routes are added, by door; those without an operation id are left out. Call it before. */
export function describeOperations(app: App, { settings }: Services): void {
  const routes: RouteOptions[] = [];
  app.addHook("onRoute", (route) => {
    if (route.schema?.operationId !== undefined && route.method !== "HEAD") routes.push(route);
  });
  app.decorate("openApi", (door) =>
    documentOf(
      door,
      routes.filter(({ config }) => config?.door === door),
      settings,
    ),
  );
}
