import type { App } from "../app-type.ts";
import type { Services } from "../services.ts";
import { addSessionRoutes } from "./sessions.ts";
import { addSetupRoutes } from "./setup.ts";

/** What only the dashboard has, beside the operations of the public API. */
export function addDashboardRoutes(app: App, services: Services): void {
  addSetupRoutes(app, services);
  addSessionRoutes(app, services);
}
