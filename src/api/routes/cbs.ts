import { browse, listProviders, listRegions, listServices } from "../../cbs/browse.ts";
import type { CatalogueTree } from "../../cbs/catalogue-tree.ts";
import { rangesOf } from "../../cbs/ranges.ts";
import type { App } from "../app-type.ts";
import { chooseType } from "../media-types.ts";
import { READ_CBS } from "../operation.ts";
import { extentOf, pageOf } from "../page.ts";
import { notFound } from "../problem.ts";
import { readPrefix, readPrefixes, withField } from "../read-address.ts";
import { sendJson, sendText } from "../reply.ts";
import {
  CbsBulk, CbsBulkBody, CbsList, CbsListQuery, CbsLookup, CbsLookupQuery, CbsNode, CbsNodeQuery, CbsRanges, CbsRangesQuery, CbsSearch, CbsSearchQuery,
} from "../schemas/cbs.ts";
import type { Services } from "../services.ts";

const tags = ["Common Business Services"];

/** Which services addresses belong to, and what the catalogue holds. Each answer comes from one generation of the catalogue. */
export function addCbsRoutes(app: App, services: Services): void {
  addLookups(app, services);
  addNodes(app, services);
  addLists(app, services);
}

function addLookups(app: App, { catalogue, metrics, settings }: Services): void {
  const lookup = { operationId: "lookupCbs", summary: "Which services an address or prefix belongs to", tags, problems: [400], querystring: CbsLookupQuery, response: { 200: CbsLookup } };
  app.get("/cbs/lookup", { config: READ_CBS, schema: lookup }, (request, reply) => {
    const { ip } = request.query;
    const { json, found } = catalogue.view().writer.write(readPrefix(ip), ip);
    metrics.countLookups("cbs", 1, found ? 1 : 0);
    sendJson(reply, json);
  });

  const bulk = {
    operationId: "bulkLookupCbs", summary: "The same for many", tags, problems: [400, 413, 415], body: CbsBulkBody(settings.bulkAddresses), response: { 200: CbsBulk },
    bodyExample: { ips: ["1.1.1.1", "203.0.113.0/24"] },
  };
  app.post("/cbs/lookup", { config: READ_CBS, schema: bulk, bodyLimit: settings.bulkBodyBytes }, (request, reply) => {
    const { writer } = catalogue.view();
    const prefixes = readPrefixes(request.body.ips);
    let found = 0;
    let json = "";
    for (const [text, prefix] of prefixes) {
      const document = writer.write(prefix, text);
      if (document.found) found++;
      json += `${json === "" ? "{" : ","}${JSON.stringify(text)}:${document.json}`;
    }
    metrics.countLookups("cbs", prefixes.size, found);
    return sendJson(reply, json === "" ? "{}" : `${json}}`);
  });
}

function addNodes(app: App, services: Services): void {
  const { catalogue, settings } = services;
  const node = { operationId: "getCbsNode", summary: "A node of the catalogue and its children", tags, problems: [400, 404], querystring: CbsNodeQuery, response: { 200: CbsNode } };
  app.get("/cbs/node", { config: READ_CBS, schema: node }, (request) => {
    const { tree } = catalogue.view();
    return browse(tree, knownId(app, tree, request.query.id));
  });

  const ranges = {
    operationId: "listCbsRanges", summary: "The prefixes of a node and of all below it; without an id of the whole catalogue",
    description: "As text or CSV all of them, unless a page is asked for.", tags, problems: [400, 404, 406], querystring: CbsRangesQuery,
    response: { 200: CbsRanges }, otherTypes: ["text/plain", "text/csv"],
  };
  app.get("/cbs/ranges", { config: READ_CBS, schema: ranges }, (request, reply) => {
    const type = chooseType(request, ["application/json", "text/plain", "text/csv"]);
    const { tree } = catalogue.view();
    const { id, family, aggregate, page, page_size } = request.query;
    const isWhole = type !== "application/json" && page === undefined && page_size === undefined;
    const extent = isWhole ? {} : extentOf(request.query);
    const { items, count } = rangesOf(tree, knownId(app, tree, id), { family: family === undefined ? undefined : family === "4" ? 4 : 6, aggregate, ...extent });
    if (type === "application/json") return pageOf(request, settings, items, count);
    // Ids hold no comma; a quoted field keeps those of one prefix together.
    const rows = type === "text/plain" ? items.map(({ cidr }) => `${cidr}\n`) : ["cidr,cbs_ids\n", ...items.map(({ cidr, cbs_ids }) => `${cidr},"${cbs_ids.join(",").replaceAll('"', '""')}"\n`)];
    return sendText(reply, type, rows.join(""));
  });

  const search = { operationId: "searchCbs", summary: "Nodes by name, id, or address", tags, problems: [400], querystring: CbsSearchQuery, response: { 200: CbsSearch } };
  app.get("/cbs/search", { config: READ_CBS, schema: search }, (request) => {
    const { q, type, limit } = request.query;
    const items = withField("q", () => catalogue.view().search.search(q, { type, limit }));
    return { items, count: items.length };
  });
}

function addLists(app: App, { catalogue, settings }: Services): void {
  const lists = [["regions", "listCbsRegions", listRegions], ["services", "listCbsServices", listServices], ["providers", "listCbsProviders", listProviders]] as const;
  for (const [name, operationId, list] of lists) {
    const schema = { operationId, summary: `All ${name}, by type and provider, with what they hold`, tags, problems: [400], querystring: CbsListQuery, response: { 200: CbsList } };
    app.get(`/cbs/${name}`, { config: READ_CBS, schema }, (request) => {
      const { type, provider, service, region } = request.query;
      const all = catalogue.view().lists.get(name, { type, provider, service, region }, list);
      const { offset, limit } = extentOf(request.query);
      return pageOf(request, settings, all.slice(offset, offset + limit), all.length);
    });
  }
}

/** The id, if there is such a node. @throws Problem (404) */
function knownId({ prefix }: App, tree: CatalogueTree, id: string | undefined): string | undefined {
  if (id === undefined || tree.has(id)) return id;
  throw notFound(`there is no node ${JSON.stringify(id)} in the catalogue; ${prefix}/cbs/search finds ids by name`);
}
