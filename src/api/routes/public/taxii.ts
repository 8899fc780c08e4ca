import type { FastifyReply, FastifyRequest } from "fastify";
import { isSameDigest } from "../../../store/api-key.ts";
import { identityOf, type IndicatorVersion } from "../../../store/indicator.ts";
import type { TaxiiCredential } from "../../../store/taxii-credential.ts";
import { joined } from "../../../service/encoded.ts";
import { invalid, tooManyRequests } from "../../../service/service-error.ts";
import type { Services } from "../../../service/services.ts";
import { isActivePlan, noPlan } from "../../../service/access/plans.ts";
import { type Collection, collectionNamed } from "../../../service/taxii/collections.ts";
import { nextOf, type ObjectQuery, type Parameters, readObjectQuery } from "../../../service/taxii/object-query.ts";
import { formatMicroseconds, manifestEntry, stixObject } from "../../../service/taxii/stix-object.ts";
import { digestOfTaxiiPassword } from "../../../service/taxii/taxii-password.ts";
import type { App } from "../../app-type.ts";
import { redact } from "../../http/redact.ts";
import { streamOf } from "../../http/reply.ts";
import { notFound, Problem, PROBLEMS } from "../../problem.ts";
import { problemOf } from "../../problem-of.ts";
import { FROZEN_DAYS } from "../../../service/deployments/frozen-feeds.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** What a TAXII client has signed in with. */
    taxii: TaxiiCredential;
  }
}

/** Of TAXII's messages. */
const TAXII_TYPE = "application/taxii+json;version=2.1";
/** Of the objects in them. */
const STIX_TYPE = "application/stix+json;version=2.1";
const API_ROOT = "/taxii2/api/";
/** Bytes of a request's body: none is ever read. */
const MAX_CONTENT_LENGTH = 1;
const DAY = 86_400_000;

/**
 * A TAXII 2.1 server: rulesets, deployments and the dataset of threat intelligence as collections of STIX indicators,
 * for credentials of their own. It is read only. Errors have TAXII's form.
 */
export function addTaxiiRoutes(app: App, services: Services): void {
  void app.register(
    (context, _options, done) => {
      const within = context as unknown as App;
      within.decorateRequest("taxii");
      within.setErrorHandler((error: Error, request, reply) => answerTaxiiError(error, request, reply));
      within.setNotFoundHandler((request, reply) =>
        answerTaxiiError(notFound("TAXII has nothing at this path; begin at /taxii2/"), request, reply),
      );
      within.addHook("onRequest", (request, _reply, admitted) => admitted(rejection(request, services)));
      addAbout(within, services);
      addCollections(within, services);
      addObjects(within, services);
      done();
    },
    { prefix: "/taxii2" },
  );
}

/** Unexpected errors are logged, as everywhere. */
function answerTaxiiError(error: Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const problem = problemOf(error);
  if (problem.status >= 500 && problem.kind !== "service-unavailable")
    request.log.error({ request_id: request.id, err: error }, "unexpected error");
  const { fields } = error as { fields?: Readonly<Record<string, readonly string[]>> };
  const message = {
    title: PROBLEMS[problem.kind].title,
    description: problem.message,
    error_id: request.id,
    error_code: problem.kind,
    http_status: String(problem.status),
    ...(fields === undefined ? {} : { details: fields }),
  };
  reply.code(problem.status).headers(problem.details.headers ?? {});
  return sendTaxii(reply, redact(JSON.stringify(message)));
}

/** As bytes: a string would have a charset appended to its type. */
function sendTaxii(reply: FastifyReply, json: string): FastifyReply {
  return reply.type(TAXII_TYPE).send(Buffer.from(json));
}

/** The problem that rejects a request: its credentials, the media types it names, or that it would write. */
function rejection(request: FastifyRequest, services: Services): Error | undefined {
  const { memory } = services;
  const credential = credentialOf(request, services);
  if (credential === undefined) return unknownCredential(request, services);
  request.taxii = credential;
  request.identity = { kind: "key", id: credential.id };
  const until = memory.plan(credential.organisationId, "edl")?.until ?? null;
  if (until !== null && request.now >= until + FROZEN_DAYS * DAY)
    return new Problem("permission-denied", `the plan of the organisation ended more than ${FROZEN_DAYS} days ago`);
  if (!acceptsTaxii(request.headers.accept))
    return new Problem("not-acceptable", `the Accept header does not allow ${TAXII_TYPE}`);
  const isRead = request.method === "GET" || request.method === "HEAD";
  if (isRead || request.is404) return undefined;
  if (request.method === "POST" && !isTaxii(request.headers["content-type"] ?? ""))
    return new Problem("unsupported-media-type", `the body's Content-Type must be ${TAXII_TYPE}`);
  return new Problem("permission-denied", "the collection cannot be written; change its ruleset instead");
}

function unknownCredential(
  request: FastifyRequest,
  { failureLimits, settings }: Pick<Services, "failureLimits" | "settings">,
): Error {
  const window = failureLimits.take(request.ip, settings.failuresPerMinute);
  if (window.isExceeded)
    return tooManyRequests(
      "too many TAXII requests without valid credentials came from this address",
      window.retryAfter,
    );
  return new Problem("authentication-required", "TAXII needs the user name and the password of a TAXII credential", {
    headers: { "www-authenticate": 'Basic realm="taxii", charset="UTF-8"' },
  });
}

function credentialOf({ headers }: FastifyRequest, { memory }: Services): TaxiiCredential | undefined {
  const coded = /^Basic +([A-Za-z0-9+/=]+)$/i.exec(headers.authorization ?? "")?.[1] ?? "";
  const [, user = "", password = ""] = /^([^:]*):(.*)$/s.exec(Buffer.from(coded, "base64").toString()) ?? [];
  const digest = digestOfTaxiiPassword(password);
  const found = digest === undefined ? undefined : memory.taxiiCredentialByDigest(digest);
  if (found === undefined || found.revokedAt !== null) return undefined;
  return user === found.start && isSameDigest(digest!, found.digest) ? found : undefined;
}

/** Without a version, the only one is meant. */
function acceptsTaxii(accept = "*/*"): boolean {
  return accept.split(",").some((range) => {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    if (parameters.some((each) => /^q=0(\.0*)?$/.test(each))) return false;
    return type === "*/*" || type === "application/*" || isTaxii(range);
  });
}

function isTaxii(text: string): boolean {
  const [type, ...parameters] = text.split(";").map((part) => part.trim().toLowerCase());
  const version = parameters.find((each) => each.startsWith("version="));
  return type === "application/taxii+json" && (version === undefined || /^version="?2\.1"?$/.test(version));
}

/** The server, its API root, and requests that other servers take some time for. */
function addAbout(app: App, { settings }: Services): void {
  const base = settings.baseUrl.replace(/\/+$/, "");
  const root = `${base}${API_ROOT}`;
  app.get("/", async (_request, reply) =>
    sendTaxii(reply, JSON.stringify({ title: "ipsieve", default: root, api_roots: [root] })),
  );
  const about = { title: "ipsieve", versions: [TAXII_TYPE], max_content_length: MAX_CONTENT_LENGTH };
  app.get("/api", async (_request, reply) => sendTaxii(reply, JSON.stringify(about)));
  app.get("/api/status/:status", async () => {
    throw notFound("unknown status; this server takes no objects");
  });
}

function addCollections(app: App, { memory }: Services): void {
  app.get("/api/collections", async ({ taxii, now }, reply) => {
    const collections = taxii.collections.map((id) => collectionNamed(memory, taxii.organisationId, id));
    const documents = collections.map((each) => collectionDocument(each, refusal(each, now, memory) === undefined));
    return sendTaxii(reply, JSON.stringify({ collections: documents }));
  });
  app.get("/api/collections/:collection", async (request, reply) => {
    const found = collectionIn(request, memory);
    const canRead = refusal(found, request.now, memory) === undefined;
    return sendTaxii(reply, JSON.stringify(collectionDocument(found, canRead)));
  });
}

/** Why a collection cannot be read now; undefined if it can. */
function refusal(collection: Collection, now: number, memory: Services["memory"]): Error | undefined {
  if (!collection.isActive) return new Problem("permission-denied", "the deployment is not active");
  const needsPlan =
    collection.source === "dataset" && !isActivePlan(memory.plan(collection.organisationId, "cti"), now);
  return needsPlan ? noPlan("cti") : undefined;
}

function collectionDocument({ id, title, description }: Collection, canRead: boolean): object {
  return {
    id,
    title,
    ...(description === "" ? {} : { description }),
    can_read: canRead,
    can_write: false,
    media_types: [STIX_TYPE],
  };
}

/** Unknown and not chosen for the credential are the same. @throws Problem (404) */
function collectionIn({ params, taxii }: FastifyRequest, memory: Services["memory"]): Collection {
  const id = (params as { readonly collection: string }).collection.toLowerCase();
  if (taxii.collections.includes(id)) return collectionNamed(memory, taxii.organisationId, id);
  throw notFound("unknown collection; /taxii2/api/collections/ lists those of the credential");
}

function addObjects(app: App, services: Services): void {
  const objects = "/api/collections/:collection/objects";
  app.get(objects, (request, reply) => answerObjects(request, reply, services));
  app.get("/api/collections/:collection/manifest", async (request, reply) => {
    const page = await pageOf(request, readObjectQuery(request.query as Parameters), services);
    return sendPage(reply, page, { name: "objects", write: (version) => manifestEntry(version, STIX_TYPE) });
  });
  app.get(`${objects}/:object`, (request, reply) => answerObjects(request, reply, services, objectIn(request)));
  app.get(`${objects}/:object/versions`, async (request, reply) => {
    const query = readObjectQuery(request.query as Parameters, { id: objectIn(request), allVersions: true });
    const page = await pageOf(request, query, services);
    rejectUnknown(page, request);
    return sendPage(reply, page, { name: "versions", write: (version) => `"${versionTime(version)}"` });
  });
  app.post(objects, async () => {});
  app.delete(`${objects}/:object`, async () => {});
}

function objectIn({ params }: FastifyRequest): string {
  const { object } = params as { readonly object: string };
  if (object.includes(",")) throw invalid({ object: ["must be one id; use match[id] for several"] });
  return object;
}

async function answerObjects(
  request: FastifyRequest,
  reply: FastifyReply,
  services: Services,
  id?: string,
): Promise<FastifyReply> {
  const query = readObjectQuery(request.query as Parameters, id === undefined ? {} : { id });
  const page = await pageOf(request, query, services);
  if (id !== undefined) rejectUnknown(page, request);
  const context = { identity: identityOf(page.collection.organisationId), kind: page.collection.kind };
  return sendPage(reply, page, { name: "objects", write: (version) => stixObject(version, context) });
}

/** Only where no parameter may have left it out. @throws Problem (404) */
function rejectUnknown({ versions }: Page, { query }: FastifyRequest): void {
  if (versions.length === 0 && Object.keys(query as object).length === 0)
    throw notFound("the collection has no object with this id");
}

interface Page {
  readonly collection: Collection;
  readonly query: ObjectQuery;
  readonly versions: readonly IndicatorVersion[];
  readonly more: boolean;
}

/** @throws Problem (403, 404), ServiceError "unavailable" */
async function pageOf(request: FastifyRequest, query: ObjectQuery, services: Services): Promise<Page> {
  const { memory, store, indicators, taxii } = services;
  const collection = collectionIn(request, memory);
  const refused = refusal(collection, request.now, memory);
  if (refused !== undefined) throw refused;
  await indicators.follow(collection);
  const { filters: _filters, ...wanted } = query;
  const found = await taxii.run({ who: collection.organisationId, isKnown: true }, () =>
    store.read("indicators", collection.id, { ...wanted, limit: query.limit + 1 }),
  );
  if (collection.source === "deployment") notePull(request, collection.id, services.pulls);
  return { collection, query, versions: found.slice(0, query.limit), more: found.length > query.limit };
}

/** Clients read many pages and come back often: one such request a minute is listed among the pulls. */
const NOTE_EVERY = 60_000;

function notePull({ now, ip, headers }: FastifyRequest, deploymentId: string, pulls: Services["pulls"]): void {
  if (now - (pulls.lastOf(deploymentId) ?? 0) < NOTE_EVERY) return;
  const agent = headers["user-agent"] ?? "";
  pulls.add({ deploymentId, at: now, file: "taxii2", address: ip, agent, status: 200, bytes: 0 });
}

function sendPage(
  reply: FastifyReply,
  { query, versions, more }: Page,
  { name, write }: { readonly name: string; readonly write: (version: IndicatorVersion) => string },
): FastifyReply {
  const [first, last] = [versions[0], versions.at(-1)];
  if (first !== undefined && last !== undefined) {
    reply.header("x-taxii-date-added-first", formatMicroseconds(first[0]));
    reply.header("x-taxii-date-added-last", formatMicroseconds(last[0]));
  }
  const next = more ? `,"next":"${nextOf(query, last![0])}"` : "";
  const texts = function* (): Generator<string> {
    yield `{"more":${more}${next},"${name}":[`;
    for (const [index, version] of versions.entries()) yield index === 0 ? write(version) : `,${write(version)}`;
    yield "]}";
  };
  return reply.type(TAXII_TYPE).send(streamOf(joined(texts())));
}

function versionTime([, , , , , , modified]: IndicatorVersion): string {
  return new Date(modified).toISOString();
}
