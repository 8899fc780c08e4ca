import { type TSchema, Type } from "typebox";
import type { Prefix } from "../../../address/address.ts";
import { browse, compareListItems, type ListItem } from "../../../cbs/browse.ts";
import { type CatalogueNode, sourceKey } from "../../../cbs/catalogue.ts";
import type { CatalogueTree } from "../../../cbs/catalogue-tree.ts";
import type { RangeDocument, RangeList } from "../../../cbs/ranges.ts";
import type { App } from "../../app-type.ts";
import { encoded, joined } from "../../../service/encoded.ts";
import { isKnown } from "../../http/entity-tags.ts";
import { tagOf } from "../../../service/rules/tags.ts";
import { inSlices } from "../../../turns/in-slices.ts";
import type { LookupWriter } from "../../../service/datasets/lookup-writer.ts";
import { chooseType } from "../../http/media-types.ts";
import type { Metrics } from "../../../service/usage/metrics.ts";
import { addressesBytes, READ_CBS } from "../../operation.ts";
import {
  badCursor,
  cursorPageOf,
  extentOf,
  pageOf,
  type Part,
  partAfter,
  prefixOfCursor,
  rejectCursor,
} from "../../http/page.ts";
import { notFound } from "../../problem.ts";
import { readPrefix, readPrefixes, withField } from "../../../service/rules/read-address.ts";
import { MAX_AT_ONCE, sendJson, streamJson } from "../../http/reply.ts";
import {
  CbsBulk,
  CbsBulkBody,
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
} from "../../schemas/cbs.ts";
import type { Services } from "../../../service/services.ts";
import { sendShared } from "../../http/shared-file.ts";
import { CONDITIONAL } from "../../openapi/documented-headers.ts";

const tags = ["Common Business Services"];

/** What is sent by an operation whose answer changes with the catalogue only. */
function tagged<Schema extends TSchema>(answer: Schema) {
  return {
    response: { 200: answer, 304: Type.Null() },
    requestHeaders: CONDITIONAL,
    responseHeaders: { ETag: "changes with the catalogue" },
  };
}

/**
 * Which services addresses belong to, and what the catalogue holds. Each answer comes from one generation of the
 * catalogue.
 */
export function addCbsRoutes(app: App, services: Services): void {
  addLookups(app, services);
  addNodes(app, services);
  addLists(app, services);
}

function addLookups(app: App, { catalogue, metrics, settings }: Services): void {
  const lookup = {
    operationId: "lookupCbs",
    summary: "Which services an address or prefix belongs to",
    tags,
    problems: [400],
    querystring: CbsLookupQuery,
    ...tagged(CbsLookup),
  };
  app.get("/cbs/lookup", { config: READ_CBS, schema: lookup }, (request, reply) => {
    const { ip } = request.query;
    const view = catalogue.view();
    const { json, found } = view.writer.write(readPrefix(ip), ip);
    metrics.countLookups("cbs", 1, found ? 1 : 0);
    if (isKnown(request, reply, view.tag)) return reply.code(304).send();
    return sendJson(reply, json);
  });

  const bulk = {
    operationId: "bulkLookupCbs",
    summary: "Which services many addresses or prefixes belong to",
    tags,
    problems: [400, 413, 415],
    body: CbsBulkBody(settings.bulkAddresses),
    response: { 200: CbsBulk },
    bodyExample: { ips: ["1.1.1.1", "203.0.113.0/24"] },
  };
  app.post(
    "/cbs/lookup",
    { config: { ...READ_CBS, bodyBytes: addressesBytes(settings) }, schema: bulk },
    (request, reply) => {
      const { writer } = catalogue.view();
      const prefixes = readPrefixes(request.body.ips);
      const texts = lookupTexts(writer, prefixes, metrics);
      return prefixes.size <= MAX_AT_ONCE ? sendJson(reply, [...texts].join("")) : streamJson(reply, joined(texts));
    },
  );
}

/** A map from each address to its document. */
function* lookupTexts(
  writer: LookupWriter,
  prefixes: ReadonlyMap<string, Prefix>,
  metrics: Metrics,
): Generator<string> {
  let start = "{";
  for (const [text, prefix] of prefixes) {
    const { json, found } = writer.write(prefix, text);
    metrics.countLookups("cbs", 1, found ? 1 : 0);
    yield `${start}${JSON.stringify(text)}:${json}`;
    start = ",";
  }
  yield prefixes.size === 0 ? "{}" : "}";
}

function addNodes(app: App, services: Services): void {
  const { catalogue, settings, files } = services;
  const node = {
    operationId: "getCbsNode",
    summary: "A node of the catalogue and its children",
    tags,
    problems: [400, 404],
    querystring: CbsNodeQuery,
    ...tagged(CbsNode),
  };
  app.get("/cbs/node", { config: READ_CBS, schema: node }, (request, reply) => {
    const { tree, tag } = catalogue.view();
    const id = knownId(app, tree, request.query.id);
    return isKnown(request, reply, tag) ? reply.code(304).send() : browse(tree, id);
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
    const view = catalogue.view();
    const { family, aggregate, source, page, page_size, cursor } = request.query;
    if (type !== "application/json") rejectCursor(request);
    const id = knownId(app, view.tree, request.query.id);
    const isWhole = type !== "application/json" && page === undefined && page_size === undefined;
    const { offset, limit } = isWhole ? { offset: 0, limit: Infinity } : extentOf(request.query);
    const selection = { family, aggregate, source: knownSource(view.tree, source) };
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
    summary: "Nodes by name, id, or address",
    tags,
    problems: [400],
    querystring: CbsSearchQuery,
    ...tagged(CbsSearch),
  };
  app.get("/cbs/search", { config: READ_CBS, schema: search }, (request, reply) => {
    const { q, type, cursor } = request.query;
    const view = catalogue.view();
    const all = withField("q", () => view.search.search(q, { type, limit: Math.max(1, view.catalogue.nodeCount) }));
    if (isKnown(request, reply, view.tag)) return reply.code(304).send();
    if (cursor !== undefined)
      return cursorPageOf(request, settings, all.length, (after, most) => foundAfter(all, after, most));
    const { offset, limit } = extentOf(request.query);
    return pageOf(request, settings, all.slice(offset, offset + limit), all.length);
  });
}

function addLists(app: App, { catalogue, settings }: Services): void {
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
      const { type, provider, service, region } = request.query;
      const view = catalogue.view();
      if (isKnown(request, reply, view.tag)) return reply.code(304).send();
      const all = await view.list(name, { type, provider, service, region });
      if (request.query.cursor !== undefined)
        return cursorPageOf(request, settings, all.length, (after, most) => listedAfter(all, after, most));
      const { offset, limit } = extentOf(request.query);
      return pageOf(request, settings, all.slice(offset, offset + limit), all.length);
    });
  }
}

function rangesAfter(list: RangeList, after: string | undefined, limit: number): Part<RangeDocument> {
  const start = after === undefined ? 0 : list.countUpTo(prefixOfCursor(after));
  const items = list.page(start, limit);
  return { items, last: start + limit < list.count ? items.at(-1)!.cidr : null };
}

/**
 * What is found has no order but that of how well it fits.
 * @throws Problem (400) where the node is not found any more: another catalogue may have come
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

/** The list is by type, then provider, then key, which hold no line end. */
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

/** The source, if the catalogue has one of this key. @throws Problem (404) */
function knownSource({ catalogue }: CatalogueTree, source: string | undefined): string | undefined {
  const keys = catalogue.metadata.sources.map(sourceKey);
  if (source === undefined || keys.includes(source)) return source;
  throw notFound(
    `the catalogue has no source ${JSON.stringify(source)}; the node of the catalogue itself lists its sources`,
  );
}

/** The id, if there is such a node. @throws Problem (404) */
function knownId({ prefix }: App, tree: CatalogueTree, id: string | undefined): string | undefined {
  if (id === undefined || tree.has(id)) return id;
  throw notFound(
    `the catalogue has no node ${JSON.stringify(id)}; ids look like /cdn/cloudflare, and ${prefix}/cbs/search finds them by name`,
  );
}
