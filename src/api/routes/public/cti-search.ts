import { formatPrefix } from "../../../address/prefix.ts";
import { countedField } from "../../../cti/search/field-names.ts";
import type { FieldValues } from "../../../cti/search/count-values.ts";
import type { FoundRows } from "../../../cti/search/cti-search.ts";
import { OPERATORS, SEARCH_FIELDS, type SearchField } from "../../../cti/search/search-fields.ts";
import { type FoundThreats as Found, readQuery, searchThreats } from "../../../service/datasets/search-threats.ts";
import { invalid } from "../../../service/service-error.ts";
import type { Services } from "../../../service/services.ts";
import { inSlices } from "../../../turns/in-slices.ts";
import type { App } from "../../app-type.ts";
import { LINES } from "../../plugins/line-bodies.ts";
import { chooseType } from "../../http/media-types.ts";
import { extentOf, pageOf } from "../../http/page.ts";
import { sendJson, streamOf } from "../../http/reply.ts";
import { READ_CTI } from "../../operation.ts";
import { CountThreatValues, FoundThreats, SearchFields, SearchThreatsQuery, ThreatValues } from "../../schemas/cti.ts";

const tags = ["Threat intelligence"];
/** Documents that are written at a time: less than a millisecond. */
const STEP = 32;
const DEFAULT_VALUES = 10;

/** Searching what feeds say, in the query language of the vendor's builders. */
export function addCtiSearch(app: App, services: Services): void {
  addSearch(app, services);
  addFacets(app, services);
  addFields(app);
}

function addSearch(app: App, services: Services): void {
  const schema = {
    operationId: "searchThreats",
    summary: "The addresses and prefixes whose documents match a query, in order",
    description: `Such as \`classification:"malicious" AND (country:CN OR port IN (23, 2323)) AND last_seen:7d\`, or \`rdns:"*.example.com"\`. Where a document says nothing about the AS or the country, the networks of the service do. With Accept: ${LINES}, all documents are sent, one per line, whatever the page.`,
    tags,
    problems: [400, 406],
    querystring: SearchThreatsQuery,
    response: { 200: FoundThreats },
    otherTypes: [LINES],
  };
  app.get("/cti/search", { config: READ_CTI, schema }, async (request, reply) => {
    const {
      q,
      extended = false,
      page,
      page_size,
    } = request.query as {
      q: string;
      extended?: boolean;
      page?: number;
      page_size?: number;
    };
    const query = readQuery(q);
    const type = chooseType(request, reply, ["application/json", LINES]);
    const result = await searchThreats(services.data, query, services.now());
    const { count, unavailable } = result.found;
    services.metrics.countLookups("cti", 1, count > 0 ? 1 : 0);
    if (type === LINES) return reply.type(LINES).send(streamOf(linesOf(result, extended)));
    const { offset, limit } = extentOf({ page, page_size });
    const items = await inSlices(writing(result, { offset, limit, extended }));
    const envelope = JSON.stringify({ ...pageOf(request, services.settings, [], count), unavailable });
    return sendJson(
      reply,
      envelope.replace('"items":[]', () => `"items":[${items.join(",")}]`),
    );
  });
}

interface Extent {
  readonly offset: number;
  readonly limit: number;
  readonly extended: boolean;
}

/** Some of the documents as JSON. */
function* writing(found: Found, { offset, limit, extended }: Extent): Generator<undefined, string[], undefined> {
  const items: string[] = [];
  if (limit === 0) return items;
  for (const row of found.found.rows(offset)) {
    items.push(documentAt(found, row, extended));
    if (items.length === limit) break;
    if (items.length % STEP === 0) yield;
  }
  return items;
}

function* linesOf(found: Found, extended: boolean): Generator<string, void, undefined> {
  let lines: string[] = [];
  for (const row of found.found.rows()) {
    lines.push(documentAt(found, row, extended), "\n");
    if (lines.length < 2 * STEP) continue;
    yield lines.join("");
    lines = [];
  }
  yield lines.join("");
}

function documentAt({ view, search }: Found, row: number, extended: boolean): string {
  const prefix = search.prefixAt(row);
  const ip = formatPrefix(prefix);
  const match = view.dataset.table.get(prefix);
  return extended ? JSON.stringify(view.dataset.extendedDocumentOf(ip, match)) : view.document(ip, match);
}

function addFacets(app: App, services: Services): void {
  const schema = {
    operationId: "countThreatValues",
    summary: "The most frequent values of fields among what a query matches",
    description: "Without a query, among all documents. A document with several values counts for each.",
    tags,
    problems: [400],
    body: CountThreatValues,
    response: { 200: ThreatValues },
    bodyExample: { q: 'classification:"malicious"', fields: ["tag", "src.geo.country.code"] },
  };
  app.post("/cti/search::facets", { config: READ_CTI, schema }, async (request) => {
    const {
      q,
      fields: names,
      limit = DEFAULT_VALUES,
    } = request.body as { q?: string; fields: string[]; limit?: number };
    const query = q === undefined ? null : readQuery(q);
    const fields = names.map(readField);
    const { found } = await searchThreats(services.data, query, services.now());
    services.metrics.countLookups("cti", 1, found.count > 0 ? 1 : 0);
    const facets = [];
    for (const field of fields) {
      const { values, distinct } = await inSlices(counting(found, field, limit));
      const counts = values.map(({ value, count }) => ({ value: String(value), count }));
      facets.push({ field: field.name, distinct, values: counts });
    }
    const missing = fields.filter(({ isAvailable }) => !isAvailable).map(({ name }) => name);
    return { count: found.count, unavailable: [...new Set([...found.unavailable, ...missing])], facets };
  });
}

function counting(found: FoundRows, field: SearchField, limit: number): Generator<undefined, FieldValues, undefined> {
  return found.counting(field, limit);
}

/** @throws ServiceError "invalid" */
function readField(name: string, index: number): SearchField {
  const field = countedField(name);
  if (typeof field === "string") throw invalid({ [`fields[${index}]`]: [field] });
  return field;
}

function addFields(app: App): void {
  const schema = {
    operationId: "listSearchFields",
    summary: "The fields of the query language, with their operators",
    tags,
    response: { 200: SearchFields },
  };
  const fields = SEARCH_FIELDS.map(({ name, aliases, type, isAvailable, ignoresCase, values }) => ({
    name,
    aliases,
    type,
    // A relative time is no operator of its own: it is a value after ":".
    operators: OPERATORS[type].filter((operator) => operator !== "within"),
    is_available: isAvailable,
    ignores_case: ignoresCase,
    values,
  }));
  app.get("/cti/search::fields", { config: READ_CTI, schema }, () => fields);
}
