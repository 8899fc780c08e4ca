import type { FastifyReply, FastifyRequest } from "fastify";
import { identityOf, indicatorsIn, type IndicatorVersion } from "../../../../store/records/indicator.ts";
import { encoded, joined } from "../../../../service/encoded.ts";
import { invalid } from "../../../../service/service-error.ts";
import type { Services } from "../../../../service/services.ts";
import type { Collection } from "../../../../service/taxii/collections.ts";
import {
  nextOf,
  type ObjectQuery,
  type QueryParameters,
  readObjectQuery,
} from "../../../../service/taxii/object-query.ts";
import { PagesAhead } from "../../../../service/taxii/pages-ahead.ts";
import { formatMicroseconds, manifestEntry, stixObject } from "../../../../service/taxii/stix-object.ts";
import { inSlices } from "../../../../turns/in-slices.ts";
import type { App } from "../../../app-type.ts";
import { compress, MIN_COMPRESSED } from "../../../http/compress.ts";
import { chooseCoding, type Coding, setCoding, vary } from "../../../http/content-coding.ts";
import { notFound } from "../../../problem.ts";
import { collectionIn, readErrorOf, STIX_TYPE, TAXII_TYPE } from "./taxii-collection.ts";

/** What a page says about each version, and under which property. */
interface PageForm {
  readonly name: "objects" | "manifest" | "versions";
  /** Whether the path names an object: a page without any is 404 then. */
  readonly isOfOne: boolean;
  write(version: IndicatorVersion, collection: Collection): string;
}

const OBJECTS: PageForm = {
  name: "objects",
  isOfOne: false,
  write: (version, { organisationId, kind }) => stixObject(version, { identity: identityOf(organisationId), kind }),
};
const MANIFEST: PageForm = { name: "manifest", isOfOne: false, write: (version) => manifestEntry(version, STIX_TYPE) };
const VERSIONS: PageForm = { name: "versions", isOfOne: true, write: (version) => `"${versionTime(version)}"` };

/** What collections hold, in pages. */
export function addTaxiiObjects(app: App, services: Services): void {
  const objects = "/api/collections/:collection/objects";
  const ahead = new PagesAhead<Page>();
  const answer = (request: FastifyRequest, reply: FastifyReply, query: ObjectQuery, form: PageForm) =>
    answerPage({ request, reply, services, ahead }, query, form);
  app.get(objects, async (request, reply) => answer(request, reply, readQuery(request), OBJECTS));
  app.get("/api/collections/:collection/manifest", async (request, reply) =>
    answer(request, reply, readQuery(request), MANIFEST),
  );
  app.get(`${objects}/:object`, async (request, reply) =>
    answer(request, reply, readQuery(request, { id: objectIn(request) }), { ...OBJECTS, isOfOne: true }),
  );
  app.get(`${objects}/:object/versions`, async (request, reply) =>
    answer(request, reply, readQuery(request, { id: objectIn(request), allVersions: true }), VERSIONS),
  );
  app.post(objects, async () => {});
  app.delete(`${objects}/:object`, async () => {});
}

function readQuery(
  { query, params }: FastifyRequest,
  only: Omit<Parameters<typeof readObjectQuery>[1], "collection"> = {},
): ObjectQuery {
  const collection = (params as { readonly collection: string }).collection.toLowerCase();
  return readObjectQuery(query as QueryParameters, { ...only, collection });
}

function objectIn({ params }: FastifyRequest): string {
  const { object } = params as { readonly object: string };
  if (object.includes(",")) throw invalid({ object: ["must be one id; use match[id] for several"] });
  return object;
}

/** A page as it is sent. */
interface Page {
  readonly bytes: Buffer;
  readonly coding: Coding | undefined;
  /** The microseconds at which its first and its last version were added; undefined if it has none. */
  readonly first: number | undefined;
  readonly last: number | undefined;
  readonly more: boolean;
}

interface PageRequest {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly services: Services;
  readonly ahead: PagesAhead<Page>;
}

/**
 * A client that receives a page with more to follow will request the next one, which is prepared while the client
 * reads.
 */
async function answerPage(
  { request, reply, services, ahead }: PageRequest,
  query: ObjectQuery,
  form: PageForm,
): Promise<FastifyReply> {
  const { memory } = services;
  const { indicators, pulls } = services.publishing;
  const collection = collectionIn(request, memory);
  const refused = readErrorOf(collection, request.now, memory);
  if (refused !== undefined) throw refused;
  // The first page brings the collection up to date. What is added during paging comes after the last page, or at the
  // next poll.
  if (!query.isFurtherPage) await indicators.follow(collection);
  const coding = chooseCoding(request);
  const keyOf = (after: number): string =>
    JSON.stringify([request.taxii.id, collection.id, form.name, coding, { ...query, isFurtherPage: true, after }]);
  const make = (after: number): Promise<Page> => makePage(collection, { ...query, after }, { form, coding }, services);
  const made = query.isFurtherPage ? await ahead.take(keyOf(query.after)) : undefined;
  const page = made ?? (await make(query.after));
  // Only if no parameter can have filtered it out.
  if (form.isOfOne && page.last === undefined && Object.keys(request.query as object).length === 0)
    throw notFound("the collection has no object with this id");
  if (collection.source === "deployment") notePull(request, collection.id, pulls);
  const { more, last } = page;
  if (more) ahead.prepare(keyOf(last!), () => make(last!));
  return sendPage(request, reply, page);
}

/** @throws ServiceError "unavailable" */
async function makePage(
  collection: Collection,
  query: ObjectQuery,
  { form, coding }: { readonly form: PageForm; readonly coding: Coding | undefined },
  { store, publishing: { taxii } }: Services,
): Promise<Page> {
  const { filters: _filters, isFurtherPage: _isFurtherPage, ...wanted } = query;
  const text = await taxii.run({ who: collection.organisationId, isKnown: true }, () =>
    store.read("indicators", collection.id, { ...wanted, limit: query.limit + 1 }),
  );
  const found = indicatorsIn(text);
  const versions = found.slice(0, query.limit);
  const [first, last] = [versions[0]?.[0], versions.at(-1)?.[0]];
  const more = found.length > query.limit;
  const start = `{"more":${more}${more ? `,"next":"${nextOf(query, last!)}"` : ""}`;
  const bytes = await inSlices(encoded(joined(textsOf(start, versions, form, collection))));
  return { ...(await coded(bytes, coding)), first, last, more };
}

function* textsOf(
  start: string,
  versions: readonly IndicatorVersion[],
  { name, write }: PageForm,
  collection: Collection,
): Generator<string> {
  yield `${start},"${name === "manifest" ? "objects" : name}":[`;
  for (const [index, version] of versions.entries())
    yield index === 0 ? write(version, collection) : `,${write(version, collection)}`;
  yield "]}";
}

async function coded(bytes: Buffer, coding: Coding | undefined): Promise<Pick<Page, "bytes" | "coding">> {
  if (coding === undefined || bytes.length < MIN_COMPRESSED) return { bytes, coding: undefined };
  return { bytes: await compress(bytes, coding, "once"), coding };
}

function sendPage(request: FastifyRequest, reply: FastifyReply, { bytes, coding, first, last }: Page): FastifyReply {
  if (first !== undefined) reply.header("x-taxii-date-added-first", formatMicroseconds(first));
  if (last !== undefined) reply.header("x-taxii-date-added-last", formatMicroseconds(last));
  if (coding !== undefined) {
    vary(reply, "Accept-Encoding");
    setCoding(reply, coding);
  }
  request.answerBytes = bytes.length;
  return reply.type(TAXII_TYPE).send(bytes);
}

/** Clients read many pages and come back often: one such request a minute is listed among the pulls. */
const NOTE_EVERY = 60_000;

function notePull(
  { now, ip, headers }: FastifyRequest,
  deploymentId: string,
  pulls: Services["publishing"]["pulls"],
): void {
  if (now - (pulls.lastOf(deploymentId) ?? 0) < NOTE_EVERY) return;
  const agent = headers["user-agent"] ?? "";
  pulls.add({ deploymentId, at: now, file: "taxii2", address: ip, agent, status: 200, bytes: 0 });
}

function versionTime([, , , , , , modified]: IndicatorVersion): string {
  return new Date(modified).toISOString();
}
