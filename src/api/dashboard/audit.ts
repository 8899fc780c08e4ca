import type { App } from "../app-type.ts";
import { BY_ADMINS } from "../operation.ts";
import { AuditList, AuditQuery, DEFAULT_ITEMS } from "../schemas/audit.ts";
import type { Services } from "../services.ts";
import { auditDocument } from "./audit-document.ts";

/** Who changed what, and when. */
export function addAuditRoutes(app: App, { store, memory }: Services): void {
  const list = {
    operationId: "listAudit", summary: "The changes of the organisation, the newest first", tags: ["Audit log"], problems: [400], querystring: AuditQuery, response: { 200: AuditList },
  };
  app.get("/audit", { config: BY_ADMINS, schema: list }, async ({ caller, query }) => {
    const { before, limit = DEFAULT_ITEMS, ruleset_id } = query;
    // No id holds anything else: what does is the id of nothing, and not every database takes it.
    const rulesetId = ruleset_id?.toLowerCase().replaceAll(/[^0-9a-f-]/g, "?");
    const { entries, nextBefore } = await store.audit(caller.organisationId, { before, limit, rulesetId });
    return { items: entries.map((entry) => auditDocument(entry, caller.organisationId, memory)), next_before: nextBefore };
  });
}
