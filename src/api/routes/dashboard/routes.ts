import type { App } from "../../app-type.ts";
import type { Services } from "../../../service/services.ts";
import { addAuditRoutes } from "./audit.ts";
import { addEnforcerRoutes } from "../../resources/enforcers.ts";
import { addCatalogueRoutes } from "./catalogue.ts";
import { addCatalogueUpdateRoutes } from "./catalogue-updates.ts";
import { addDeploymentCredentialRoutes } from "../../resources/deployments.ts";
import { addKeyRoutes } from "../../resources/keys.ts";
import { addListCredentialRoutes } from "../../resources/external-lists.ts";
import { addLookupRoutes } from "./lookup.ts";
import { addMatchingRuleRoutes } from "./matching-rules.ts";
import { addPreviewRoutes } from "./previews.ts";
import { addRowRoutes } from "./rows.ts";
import { addSessionRoutes } from "./sessions.ts";
import { addSetupRoutes } from "./setup.ts";
import { addTaxiiCredentialRoutes } from "../../resources/taxii-credentials.ts";
import { addThreatRoutes } from "./threats.ts";
import { addUndoRoutes } from "./undo.ts";
import { addUsageRoutes } from "./usage.ts";
import { addUserRoutes } from "../../resources/users.ts";
import { addDeliveryRoutes } from "../../resources/webhook-deliveries.ts";
import { addWebhookRoutes } from "../../resources/webhooks.ts";

/** The operations that only the dashboard has, besides those of the public API. */
export function addDashboardRoutes(app: App, services: Services): void {
  addSetupRoutes(app, services);
  addSessionRoutes(app, services);
  addUserRoutes(app, services);
  addKeyRoutes(app, services);
  addAuditRoutes(app, services);
  addDeploymentCredentialRoutes(app, services);
  addEnforcerRoutes(app, services);
  addTaxiiCredentialRoutes(app, services);
  addListCredentialRoutes(app, services);
  addWebhookRoutes(app, services);
  addDeliveryRoutes(app, services);
  addRowRoutes(app, services);
  addMatchingRuleRoutes(app, services);
  addPreviewRoutes(app, services);
  addUndoRoutes(app, services);
  addLookupRoutes(app, services);
  addUsageRoutes(app, services);
  addCatalogueRoutes(app, services);
  addCatalogueUpdateRoutes(app, services);
  addThreatRoutes(app, services);
}
