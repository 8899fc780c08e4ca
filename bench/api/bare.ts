/**
 * The least that Fastify can do for the same answers: a route without authentication, limits, logs and lookups, which
 * returns prepared documents by the same schema. `node bare.ts DOCUMENTS.json`, a JSON object of documents by lookup.
 */
import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import fastify from "fastify";
import { CbsLookup } from "../../src/api/schemas/cbs.ts";
import { Threat } from "../../src/api/schemas/cti.ts";
import { CheckResult } from "../../src/api/schemas/rule.ts";

/** By `cti`, `cbs` and `check`, then by the text of the address. */
export type Documents = Readonly<Record<"cti" | "cbs" | "check", Readonly<Record<string, object>>>>;

const documents = JSON.parse(readFileSync(process.argv[2]!, "utf8")) as Documents;
const mapOf = (area: keyof Documents): Map<string, object> => new Map(Object.entries(documents[area]));
const [threats, services, checks] = [mapOf("cti"), mapOf("cbs"), mapOf("check")];
/** The service's own schema has formats and keywords that Fastify's compiler does not support. */
const BODY = { type: "object", required: ["ip"], properties: { ip: { type: "string", maxLength: 43 } } };

const app = fastify();
app.get("/v1/cti/lookup/:ip", { schema: { response: { 200: Threat } } }, (request, reply) => {
  reply.send(threats.get((request.params as { ip: string }).ip));
});
app.get("/v1/cbs/lookup", { schema: { response: { 200: CbsLookup } } }, (request, reply) => {
  reply.send(services.get((request.query as { ip: string }).ip));
});
app.post(
  "/v1/edl/ip-rulesets/:ruleset_id/rules::check",
  { schema: { body: BODY, response: { 200: CheckResult } } },
  (request, reply) => {
    reply.send(checks.get((request.body as { ip: string }).ip));
  },
);
await app.listen({ host: "127.0.0.1", port: 0 });
console.log(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}`);
process.once("SIGTERM", () => void app.close());
