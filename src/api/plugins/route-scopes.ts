import type { RouteScope } from "../operation.ts";
import type { App } from "../app-type.ts";
import type { QuerySchema } from "./validation.ts";

/**
 * Adds routes below a path. They all belong to the scope, and the scope alone determines what their requests must
 * prove, nothing in the request.
 */
export function addScope(app: App, scope: RouteScope, path: string, addRoutes: (app: App) => void): void {
  void app.register(
    (context, _options, done) => {
      context.addHook("onRoute", (route) => {
        route.config = { ...route.config, scope };
        const querystring = (route.schema?.querystring ?? { properties: {} }) as QuerySchema;
        route.schema = {
          ...route.schema,
          querystring: { ...querystring, read: scope === "public" ? ["apikey"] : [] } satisfies QuerySchema,
        };
      });
      addRoutes(context as unknown as App);
      done();
    },
    { prefix: path },
  );
}
