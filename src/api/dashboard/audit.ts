import type { App } from "../app-type.ts";
import { joined } from "../encoded.ts";
import { BY_ADMINS } from "../operation.ts";
import { streamJson } from "../reply.ts";
import { AuditList, AuditQuery, DEFAULT_ITEMS } from "../schemas/audit.ts";
import type { Services } from "../services.ts";
import { auditDocument } from "./audit-document.ts";

/** Who changed what, and when. */
export function addAuditRoutes(app: App, { store, memory }: Services): void {
  const list = {
    operationId: "listAudit", summary: "The changes of the organisation, the newest first", tags: ["Audit log"], problems: [400], querystring: AuditQuery, response: { 200: AuditList },
  };
  app.get("/audit", { config: BY_ADMINS, schema: list }, async ({ caller, query }, reply) => {
    const { before, limit = DEFAULT_ITEMS, ruleset_id } = query;
    // No id holds anything else: what does is the id of nothing, and not every database takes it.
    const rulesetId = ruleset_id?.toLowerCase().replaceAll(/[^0-9a-f-]/g, "?");
    const { entries, nextBefore } = await store.audit(caller.organisationId, { before, limit, rulesetId });
    const documents = entries.values().map((entry) => auditDocument(entry, caller.organisationId, memory));
    return streamJson(reply, joined(listTexts(documents, nextBefore)));
  });
}

/** As JSON, by the schema `AuditList`: a hundred entries may tell of twenty thousand rules. */
function* listTexts(documents: Iterable<object>, nextBefore: number | null): Generator<string> {
  let start = '{"items":[';
  for (const document of documents) {
    yield start + JSON.stringify(document);
    start = ",";
  }
  yield `${start === "," ? "" : start}],"next_before":${nextBefore}}`;
}
