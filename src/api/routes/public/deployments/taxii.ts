import type { FastifyReply, FastifyRequest } from "fastify";
import type { TaxiiCredential } from "../../../../store/records/credential.ts";
import { tooManyRequests } from "../../../../service/service-error.ts";
import type { Services } from "../../../../service/services.ts";
import { type Collection, collectionNamed } from "../../../../service/taxii/collections.ts";
import type { App } from "../../../app-type.ts";
import { redact } from "../../../http/redact.ts";
import { notFound, Problem, PROBLEMS } from "../../../problem.ts";
import { problemOf } from "../../../problem-of.ts";
import { FROZEN_DAYS } from "../../../../service/deployments/frozen-feeds.ts";
import { collectionIn, readErrorOf, STIX_TYPE, TAXII_TYPE } from "./taxii-collection.ts";
import { addTaxiiObjects } from "./taxii-objects.ts";

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
      within.addHook("onRoute", (route) => {
        route.config = { ...route.config, operation: "readTaxii" };
      });
      within.setErrorHandler((error: Error, request, reply) => answerTaxiiError(error, request, reply));
      within.setNotFoundHandler((request, reply) =>
        answerTaxiiError(notFound("there is nothing at this TAXII path; start at /taxii2/"), request, reply),
      );
      within.addHook("onRequest", (request, _reply, admitted) => admitted(rejection(request, services)));
      addAbout(within, services);
      addCollections(within, services);
      addTaxiiObjects(within, services);
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
  { access: { failureLimits }, settings }: Pick<Services, "access" | "settings">,
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

function credentialOf(
  { headers, now }: FastifyRequest,
  { access: { credentials } }: Services,
): TaxiiCredential | undefined {
  const coded = /^Basic +([A-Za-z0-9+/=]+)$/i.exec(headers.authorization ?? "")?.[1] ?? "";
  const [, user = "", password = ""] = /^([^:]*):(.*)$/s.exec(Buffer.from(coded, "base64").toString()) ?? [];
  const found = credentials.findValid("taxii", password, now);
  return user === found?.start ? found : undefined;
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

/** The server, its API root, and the status of requests, which other servers process asynchronously. */
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
    const documents = collections.map((each) => collectionDocument(each, readErrorOf(each, now, memory) === undefined));
    return sendTaxii(reply, JSON.stringify({ collections: documents }));
  });
  app.get("/api/collections/:collection", async (request, reply) => {
    const found = collectionIn(request, memory);
    const canRead = readErrorOf(found, request.now, memory) === undefined;
    return sendTaxii(reply, JSON.stringify(collectionDocument(found, canRead)));
  });
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
