import { Type } from "typebox";
import { writeDocuments } from "../../../service/address-documents.ts";
import { explainAddresses } from "../../../service/explain/explain-addresses.ts";
import { readAddresses, readPrefix } from "../../../service/rules/read-address.ts";
import type { Services } from "../../../service/services.ts";
import type { App } from "../../app-type.ts";
import { sendDocuments } from "../../plugins/line-bodies.ts";
import { MAX_AT_ONCE, sendJson } from "../../http/reply.ts";
import { addressesBytes, READ_EDL } from "../../operation.ts";
import { Explanation, Explanations } from "../../schemas/explanation.ts";
import { AddressesBody } from "../../schemas/rule.ts";

/** Why addresses and prefixes are allowed or blocked, by everything that the organisation has. */
export function addExplainRoutes(app: App, services: Services): void {
  const { settings } = services;
  const schema = {
    operationId: "explainAddresses",
    summary: "Why addresses or prefixes are allowed, blocked or neither, and until when",
    description: `With \`ip\` one explanation, with \`ips\` (at most ${settings.bulkAddresses}) a map from each address, as it was sent, to its explanation: every rule that covers it in any ruleset, which one decides and who wrote it, the deployments that list it, its services, and what feeds say about it.`,
    tags: ["IP rulesets"],
    problems: [400, 413, 415],
    body: AddressesBody("Explain", settings.bulkAddresses),
    response: { 200: Type.Union([Explanation, Explanations]) },
    bodyExample: { ip: "203.0.113.7" },
  };
  const config = { ...READ_EDL, bodyBytes: addressesBytes(settings) };
  app.post("/edl/ip-rulesets::explain", { config, schema }, async (request, reply) => {
    const { caller, now } = request;
    const { ip, ips = [] } = request.body as { readonly ip?: string; readonly ips?: readonly string[] };
    if (ip !== undefined) readPrefix(ip);
    const batch = readAddresses(ip === undefined ? ips : [ip]);
    const about = { organisationId: caller.organisationId, now, hasActors: caller.mayWrite };
    const documentAt = await explainAddresses(batch, about, {
      ...services.publishing.sources,
      metrics: services.metrics,
    });
    if (ip !== undefined) return sendJson(reply, documentAt(0));
    const parts = writeDocuments(batch.texts, "map", documentAt);
    return sendDocuments(reply, parts, { form: "map", isShort: batch.count <= MAX_AT_ONCE });
  });
}
