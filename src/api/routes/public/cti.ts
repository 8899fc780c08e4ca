import type { App } from "../../app-type.ts";
import { bulkJson, bulkJsonLines, bulkLookup, countSeen, lookUpTexts } from "../../../cti/bulk-lookup.ts";
import { parseAddress } from "../../../address/parse-address.ts";
import { CtiError } from "../../../cti/cti-error.ts";
import { ArrivingBody } from "../../http/arriving-body.ts";
import { addCtiSearch } from "./cti-search.ts";
import { lineBody, LINES, LINE_TYPES, requireBody, sendLookups, withLineBodies } from "../../plugins/line-bodies.ts";
import { chooseType } from "../../http/media-types.ts";
import { addressesBytes, READ_CTI } from "../../operation.ts";
import { invalid } from "../../../service/service-error.ts";
import { withField } from "../../../service/rules/read-address.ts";
import { sendJson, sendText } from "../../http/reply.ts";
import {
  BulkThreatBody,
  BulkThreatRequest,
  BulkThreats,
  ExtendedThreat,
  Threat,
  ThreatParameters,
} from "../../schemas/cti.ts";
import type { ThreatView } from "../../../service/datasets/threat-view.ts";
import type { Services } from "../../../service/services.ts";

const tags = ["Threat intelligence"];

/** What feeds say about addresses. Each response comes from one generation of the dataset. */
export function addCtiRoutes(app: App, services: Services): void {
  addSingleLookups(app, services);
  addCtiSearch(app, services);
  withLineBodies(app, (context) => addBulkLookup(context, services, "/cti/bulk_lookup", "bulkLookup"));
}

/** The other path of the bulk lookup. */
export function addCtiAlias(app: App, services: Services): void {
  withLineBodies(app, (context) => addBulkLookup(context, services, "/bulk_lookup", "bulkLookupAlias"));
}

function addSingleLookups(app: App, { data: { threats }, metrics }: Services): void {
  const lookup = {
    operationId: "lookupIp",
    summary: "Looks up an address",
    tags,
    problems: [400],
    params: ThreatParameters,
    response: { 200: Threat },
  };
  app.get("/cti/lookup/:ip", { config: { ...READ_CTI, isCheap: true }, schema: lookup }, (request, reply) => {
    const { json, seen } = withField("ip", () => threats.view().write(request.params.ip));
    metrics.countLookups("cti", 1, seen ? 1 : 0);
    sendJson(reply, json);
  });

  // A prefix whose slash is not encoded is no address either, and says so.
  for (const path of ["/cti/lookup", "/cti/extended_lookup"])
    app.get(`${path}/:ip/:length`, { config: READ_CTI }, ({ params }) => {
      const { ip, length } = params as { readonly ip: string; readonly length: string };
      return withField("ip", () => parseAddress(`${ip}/${length}`));
    });

  const extended = {
    operationId: "extendedLookupIp",
    summary: "Looks up an address, with all details",
    tags,
    problems: [400],
    params: ThreatParameters,
    response: { 200: ExtendedThreat },
  };
  app.get("/cti/extended_lookup/:ip", { config: READ_CTI, schema: extended }, (request) => {
    const document = withField("ip", () => threats.view().dataset.lookupExtended(request.params.ip));
    metrics.countLookups("cti", 1, document.seen ? 1 : 0);
    return document;
  });
}

function addBulkLookup(
  app: App,
  { data: { threats }, metrics, settings }: Services,
  path: string,
  operationId: string,
): void {
  const most = settings.bulkAddresses;
  const schema = {
    operationId,
    summary: "Looks up many addresses: whether each was seen and is spoofable",
    description: `A JSON body has at most ${most} addresses; the response is a map, or lines if Accept is ${LINES}. A body of ${LINES} (a string, or an object with the property ip, per line) or text/plain (an address per line) may be of any length: the response is sent line by line while the body arrives; for a line that is not an address it has the line number and the error.`,
    tags,
    problems: [400, 406, 413, 415],
    body: lineBody(BulkThreatBody(most)),
    documentedBody: BulkThreatRequest(most),
    response: { 200: BulkThreats },
    otherTypes: [LINES],
    otherBodies: LINE_TYPES,
    bodyExample: { ips: ["203.0.113.7", "2001:db8::1"] },
  };
  app.post(path, { config: { ...READ_CTI, bodyBytes: addressesBytes(settings) }, schema }, (request, reply) => {
    const view = threats.view();
    const count = (lookups: number, seen: number): void => metrics.countLookups("cti", lookups, seen);
    const body: unknown = request.body;
    requireBody(body);
    if (body instanceof ArrivingBody)
      return sendLookups(request, reply, body, (texts) => lookUpTexts(view.dataset, texts, count, view.batches));
    const type = chooseType(request, reply, ["application/json", LINES]);
    const ips = (Array.isArray(body) ? body : (body as { ips: unknown[] }).ips) as string[];
    const states = lookUp(view, ips);
    count(ips.length, countSeen(states));
    if (type === LINES) return sendText(reply, LINES, bulkJsonLines(ips, states));
    return sendJson(reply, bulkJson(ips, states));
  });
}

/** @throws Problem (400) that names the index of every malformed address */
function lookUp({ dataset, batches }: ThreatView, ips: readonly unknown[]): Uint8Array {
  try {
    return bulkLookup(dataset, ips, batches);
  } catch (error) {
    if (error instanceof CtiError && error.code === "bad-addresses") throw invalid({ ips: [error.message] });
    throw error;
  }
}
