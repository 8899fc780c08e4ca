import type { FastifyReply } from "fastify";
import { finished } from "../../../../turns/finished.ts";
import { isAddressLike } from "../../../../cbs/search.ts";
import { browse, compareListItems, type ListItem } from "../../../../cbs/browse.ts";
import type { CatalogueNode } from "../../../../cbs/catalogue.ts";
import type { RangeDocument, RangeList } from "../../../../cbs/ranges.ts";
import type { App } from "../../../app-type.ts";
import { writeDocuments } from "../../../../service/address-documents.ts";
import { encoded, joined } from "../../../../service/encoded.ts";
import { isKnown } from "../../../http/entity-tags.ts";
import { AddressLookups, type FoundAddresses } from "../../../../service/datasets/address-lookups.ts";
import type { CatalogueView } from "../../../../service/datasets/catalogue-view.ts";
import { tagOf } from "../../../../service/rules/tags.ts";
import { inSlices } from "../../../../turns/in-slices.ts";
import { ArrivingBody } from "../../../http/arriving-body.ts";
import {
  answerBatch,
  describeLines,
  lineBody,
  LINES,
  LINE_TYPES,
  requireBody,
  sendDocuments,
  sendLookups,
  withLineBodies,
} from "../../../plugins/line-bodies.ts";
import { chooseType } from "../../../http/media-types.ts";
import { addressesBytes, READ_CBS } from "../../../operation.ts";
import {
  badCursor,
  cursorPageOf,
  extentOf,
  pageOf,
  pageOfList,
  type Part,
  partAfter,
  prefixOfCursor,
  rejectCursor,
} from "../../../http/page.ts";
import { readAddresses, readPrefix, withField } from "../../../../service/rules/read-address.ts";
import { MAX_AT_ONCE, sendJson } from "../../../http/reply.ts";
import {
  CbsBulk,
  CbsBulkBody,
  CbsBulkQuery,
  CbsList,
  CbsListQuery,
  CbsLookup,
  CbsLookupQuery,
  CbsNode,
  CbsNodeQuery,
  CbsRanges,
  CbsRangesQuery,
  CbsSearch,
  CbsSearchQuery,
  MAX_FOUND_NETWORKS,
} from "../../../schemas/cbs.ts";
import type { Services } from "../../../../service/services.ts";
import { sendShared } from "../../../http/shared-file.ts";
import { knownId, knownSource } from "./cbs-ids.ts";
import { addDiff } from "./diff.ts";
import { tagged } from "./tagged.ts";
import { viewAsOf } from "./view-as-of.ts";
import { addRangesExport } from "./export-ranges.ts";

const tags = ["Common Business Services"];

/**
 * Which services addresses belong to, and what the catalogue contains. Each response comes from one generation of the
 * catalogue.
 */
export function addCbsRoutes(app: App, services: Services): void {
  addLookups(app, services);
  withLineBodies(app, (context) => addBulkLookup(context, services));
  addNodes(app, services);
  addRangesExport(app, services);
  addDiff(app, services);
  addLists(app, services);
}

/** The lookups of this catalogue, beside the networks in use. The first request opens these. */
async function lookupsIn(
  asked: CatalogueView | Promise<CatalogueView>,
  { data: { networks } }: Services,
): Promise<AddressLookups> {
  const [view] = await Promise.all([asked, networks.open()]);
  return new AddressLookups(view, networks.view());
}

function addLookups(app: App, services: Services): void {
  const lookup = {
    operationId: "lookupCbs",
    summary: "Which services an address or prefix belongs to",
    tags,
    problems: [400],
    querystring: CbsLookupQuery,
    ...tagged(CbsLookup),
  };
  app.get("/cbs/lookup", { config: { ...READ_CBS, isCheap: true }, schema: lookup }, (request, reply) => {
    const { ip, as_of } = request.query;
    const answer = (lookups: AddressLookups): FastifyReply => {
      const { json, found } = lookups.write(readPrefix(ip), ip);
      services.metrics.countLookups("cbs", 1, found ? 1 : 0);
      if (isKnown(request, reply, lookups.tag)) return reply.code(304).send();
      return sendJson(reply, json);
    };
    const { catalogue, networks } = services.data;
    // Most requests are for the current one, and wait for nothing.
    if (as_of === undefined && networks.isOpen) return answer(new AddressLookups(catalogue.view(), networks.view()));
    return lookupsIn(viewAsOf(services, request, as_of), services).then(answer);
  });
}

function addBulkLookup(app: App, services: Services): void {
  const { metrics, settings } = services;
  const most = settings.bulkAddresses;
  const bulk = {
    operationId: "bulkLookupCbs",
    summary: "Which services many addresses or prefixes belong to",
    description: `The response is a map from each address, as it was sent, to its document. ${describeLines(most, "each document from the catalogue as it was when the request began")}`,
    tags,
    problems: [400, 406, 413, 415],
    querystring: CbsBulkQuery,
    body: lineBody(CbsBulkBody(most)),
    documentedBody: CbsBulkBody(most),
    response: { 200: CbsBulk },
    otherTypes: [LINES],
    otherBodies: LINE_TYPES,
    bodyExample: { ips: ["1.1.1.1", "203.0.113.0/24"] },
  };
  const config = { ...READ_CBS, bodyBytes: addressesBytes(settings) };
  app.post("/cbs/lookup", { config, schema: bulk }, async (request, reply) => {
    const lookups = await lookupsIn(viewAsOf(services, request, request.query.as_of), services);
    const body: unknown = request.body;
    requireBody(body);
    const count = ({ matches }: FoundAddresses): void =>
      metrics.countLookups("cbs", matches.length, countFound(matches));
    if (body instanceof ArrivingBody)
      return sendLookups(request, reply, body, (texts) =>
        answerBatch(texts, (batch) => {
          const found = finished(lookups.lookingUp(batch));
          count(found);
          return batch.texts.map((_, index) => lookups.document(found, batch, index));
        }),
      );
    const isMap = chooseType(request, reply, ["application/json", LINES]) === "application/json";
    const batch = readAddresses((body as { readonly ips: string[] }).ips, { isDistinct: isMap });
    const isShort = batch.count <= MAX_AT_ONCE;
    const found = isShort ? finished(lookups.lookingUp(batch)) : await inSlices(lookups.lookingUp(batch));
    count(found);
    const form = isMap ? "map" : "lines";
    const parts = writeDocuments(batch.texts, form, (index) => lookups.document(found, batch, index));
    return sendDocuments(reply, parts, { form, isShort });
  });
}

function countFound(matches: Uint32Array): number {
  let found = 0;
  for (let index = 0; index < matches.length; index++) if (matches[index] !== 0) found++;
  return found;
}

function addNodes(app: App, services: Services): void {
  const { settings } = services;
  const { networks, files } = services.data;
  const node = {
    operationId: "getCbsNode",
    summary: "A node of the catalogue and its children",
    tags,
    problems: [400, 404],
    querystring: CbsNodeQuery,
    ...tagged(CbsNode),
  };
  app.get("/cbs/node", { config: READ_CBS, schema: node }, async (request, reply) => {
    const view = await viewAsOf(services, request, request.query.as_of);
    const { tree } = await view.browsing();
    const id = knownId(app, tree, request.query.id);
    return isKnown(request, reply, view.tag) ? reply.code(304).send() : browse(tree, id);
  });

  const ranges = {
    operationId: "listCbsRanges",
    summary: "The prefixes of a node and all nodes below it; without an id, of the whole catalogue",
    description: "Text and CSV contain all of them, unless a page is requested.",
    tags,
    problems: [400, 404, 406],
    querystring: CbsRangesQuery,
    otherTypes: ["text/plain", "text/csv"],
    ...tagged(CbsRanges),
  };
  app.get("/cbs/ranges", { config: READ_CBS, schema: ranges }, async (request, reply) => {
    const type = chooseType(request, reply, ["application/json", "text/plain", "text/csv"]);
    const view = await viewAsOf(services, request, request.query.as_of);
    const { family, aggregate, source, page, page_size, cursor } = request.query;
    if (type !== "application/json") rejectCursor(request);
    const { tree } = await view.browsing();
    const id = knownId(app, tree, request.query.id);
    const isWhole = type !== "application/json" && page === undefined && page_size === undefined;
    const { offset, limit } = isWhole ? { offset: 0, limit: Infinity } : extentOf(request.query);
    const selection = { family, aggregate, source: knownSource(tree, source) };
    const key = JSON.stringify([view.generation, type, id, selection, cursor ?? offset, isWhole ? null : limit]);
    if (isKnown(request, reply, tagOf(key))) return reply.code(304).send();
    const list = await view.ranges(id, selection);
    if (cursor !== undefined)
      return cursorPageOf(request, settings, list.count, (after, most) => rangesAfter(list, after, most));
    if (type === "application/json") return pageOf(request, settings, list.page(offset, limit), list.count);
    const write = (): Promise<Buffer> =>
      inSlices(encoded(joined(type === "text/plain" ? list.lines(offset, limit) : list.csvLines(offset, limit))));
    const fileType = `${type}; charset=utf-8`;
    return isWhole
      ? sendShared(request, reply, files, { key, type: fileType, effort: "once", make: write })
      : reply.type(fileType).send(await write());
  });

  const search = {
    operationId: "searchCbs",
    summary: "Nodes by name, id, or address, and networks by organisation",
    tags,
    problems: [400],
    querystring: CbsSearchQuery,
    ...tagged(CbsSearch),
  };
  app.get("/cbs/search", { config: READ_CBS, schema: search }, async (request, reply) => {
    const { q, type, as_of } = request.query;
    const view = await viewAsOf(services, request, as_of);
    const { search: index } = await view.browsing();
    const all = withField("q", () => index.search(q, { type, limit: Math.max(1, view.catalogue.nodeCount) }));
    await networks.open();
    const owners = type === undefined && !isAddressLike(q.trim()) ? networks.view() : null;
    if (isKnown(request, reply, new AddressLookups(view, networks.view()).tag)) return reply.code(304).send();
    const found = owners === null ? null : await inSlices(owners.searching(q, MAX_FOUND_NETWORKS));
    return {
      ...pageOfList(request, settings, all, foundAfter),
      networks: found?.networks ?? [],
      network_count: found?.count ?? 0,
    };
  });
}

function addLists(app: App, services: Services): void {
  const { settings } = services;
  const lists = [
    ["regions", "listCbsRegions"],
    ["services", "listCbsServices"],
    ["providers", "listCbsProviders"],
  ] as const;
  for (const [name, operationId] of lists) {
    const schema = {
      operationId,
      summary: `All ${name}, by type and provider, with their counts`,
      tags,
      problems: [400],
      querystring: CbsListQuery,
      ...tagged(CbsList),
    };
    app.get(`/cbs/${name}`, { config: READ_CBS, schema }, async (request, reply) => {
      const { type, provider, service, region, as_of } = request.query;
      const view = await viewAsOf(services, request, as_of);
      if (isKnown(request, reply, view.tag)) return reply.code(304).send();
      const all = await view.list(name, { type, provider, service, region });
      return pageOfList(request, settings, all, listedAfter);
    });
  }
}

function rangesAfter(list: RangeList, after: string | undefined, limit: number): Part<RangeDocument> {
  const start = after === undefined ? 0 : list.countUpTo(prefixOfCursor(after));
  const items = list.page(start, limit);
  return { items, last: start + limit < list.count ? items.at(-1)!.cidr : null };
}

/**
 * Results have no order except their relevance.
 * @throws Problem (400) if the node is no longer found: there may be a new catalogue
 */
function foundAfter(all: readonly CatalogueNode[], after: string | undefined, limit: number): Part<CatalogueNode> {
  const at = all.findIndex(({ id }) => id === after);
  if (after !== undefined && at < 0) throw badCursor();
  return partAfter(
    all.slice(at + 1),
    () => true,
    ({ id }) => id,
    limit,
  );
}

/** The list is ordered by type, then provider, then key, none of which contains a line break. */
function listedAfter(all: readonly ListItem[], after: string | undefined, limit: number): Part<ListItem> {
  const [type, provider, key] = after?.split("\n") ?? ["", "", ""];
  if (type === undefined || provider === undefined || key === undefined) throw badCursor();
  return partAfter(
    all,
    (item) => compareListItems(item, { type, provider, key }) > 0,
    (item) => [item.type, item.provider, item.key].join("\n"),
    limit,
  );
}
