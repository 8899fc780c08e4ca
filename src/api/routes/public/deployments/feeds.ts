import type { FastifyReply, FastifyRequest } from "fastify";
import { FROZEN_DAYS, isLongWithoutPlan } from "../../../../service/deployments/frozen-feeds.ts";
import { isSameDigest } from "../../../../store/records/api-key.ts";
import type { Deployment } from "../../../../store/records/deployment.ts";
import { digestOfToken } from "../../../../service/access/secret-token.ts";
import { tooManyRequests } from "../../../../service/service-error.ts";
import {
  type FeedFile,
  fileName,
  filesOf,
  mediaTypeOf,
  partsOf,
  readFileName,
} from "../../../../service/deployments/feed-files.ts";
import type { SentFeed } from "../../../../service/deployments/sent-feeds.ts";
import type { ServedList } from "../../../../service/deployments/published-lists.ts";
import type { Publishing } from "../../../../service/areas/publishing.ts";
import type { Services } from "../../../../service/services.ts";
import { secondOf } from "../../../../time/second-of.ts";
import type { App } from "../../../app-type.ts";
import { compress, MIN_COMPRESSED } from "../../../http/compress.ts";
import { chooseCoding, setCoding, vary } from "../../../http/content-coding.ts";
import { isKnown } from "../../../http/entity-tags.ts";
import { dateOf } from "../../../plugins/unchanged-feeds.ts";
import { READ_FEED } from "../../../operation.ts";
import { notFound, Problem } from "../../../problem.ts";

/** Seconds after which a device may ask again for what is not there yet. */
const RETRY_AFTER = 5;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Where feeds are served from. */
export interface FeedServices extends Pick<Services, "memory"> {
  readonly publishing: Pick<Publishing, "feedBytes"> & {
    readonly feedTokens: Pick<Publishing["feedTokens"], "find" | "endOf">;
    readonly lists: Pick<Publishing["lists"], "served">;
    readonly pulls: Pick<Publishing["pulls"], "add">;
    readonly sentFeeds?: Publishing["sentFeeds"];
  };
}

export interface FeedParameters {
  /** The token of a deployment, or its id: then with a password. */
  readonly credential: string;
  /** undefined: the URL ends before it. */
  readonly file?: string;
}

/**
 * The files that devices pull. A firewall whose credentials are rejected stops enforcing: 401 and 403 are
 * only for credentials that are known to be wrong, 410 for deployments that are gone for good, and everything else that
 * keeps a list from being served is 503, after which devices keep what they have.
 */
export function addFeedRoutes(app: App, services: Services): void {
  for (const path of ["/feeds/:credential", "/feeds/:credential/:file"])
    app.get(path, { config: { operation: READ_FEED } }, async (request, reply) => {
      const { credential } = request.params as FeedParameters;
      return serveFeed(request, reply, deploymentOf(request, credential, services), services);
    });
}

/** The file in the path, of a deployment whose credentials the request has. @throws Problem (403, 404, 410, 503) */
export async function serveFeed(
  request: FastifyRequest,
  reply: FastifyReply,
  deployment: Deployment,
  services: FeedServices,
): Promise<FastifyReply> {
  const { file: name = "" } = request.params as FeedParameters;
  const { send, bytes } = await answer(request, reply, { deployment, name }, services).catch((error: unknown) => {
    note(request, deployment, { status: error instanceof Problem ? error.status : 500, bytes: 0 }, services);
    throw error;
  });
  note(request, deployment, { status: reply.statusCode, bytes }, services);
  return send;
}

function isId(credential: string): boolean {
  return UUID.test(credential.toLowerCase());
}

/** The deployment that the token or password opens; undefined for any other. */
export function findFeed(
  request: FastifyRequest,
  credential: string,
  services: Pick<FeedServices, "memory" | "publishing">,
): Deployment | undefined {
  return isId(credential)
    ? byPassword(request, credential.toLowerCase(), services)
    : services.publishing.feedTokens.find(credential, request.now);
}

/** @throws Problem (401, 403), ServiceError "too-many-requests" */
function deploymentOf(request: FastifyRequest, credential: string, services: Services): Deployment {
  const isById = isId(credential);
  const found = findFeed(request, credential, services);
  if (found !== undefined) return found;
  const { settings } = services;
  const { failureLimits } = services.access;
  const window = failureLimits.take(request.ip, settings.failuresPerMinute);
  if (window.isExceeded)
    throw tooManyRequests(
      "too many requests for feeds without valid credentials came from this address",
      window.retryAfter,
    );
  if (!isById) throw new Problem("permission-denied", "unknown feed; copy its URL again from the deployment");
  throw new Problem("authentication-required", "the feed needs the deployment's password", {
    headers: { "www-authenticate": 'Basic realm="feeds", charset="UTF-8"' },
  });
}

/** Any name of a user is accepted: a deployment has only one password. */
function byPassword(
  { headers }: FastifyRequest,
  id: string,
  { memory }: Pick<FeedServices, "memory">,
): Deployment | undefined {
  const coded = /^Basic +([A-Za-z0-9+/=]+)$/i.exec(headers.authorization ?? "")?.[1] ?? "";
  const text = Buffer.from(coded, "base64").toString();
  const digest = digestOfToken(text.slice(text.indexOf(":") + 1));
  const deployment = memory.deploymentById(id);
  const expected = deployment?.password ?? null;
  return expected !== null && isSameDigest(digest, expected) ? deployment : undefined;
}

interface Answer {
  readonly send: FastifyReply;
  readonly bytes: number;
}

/** @throws Problem (403, 404, 410, 503) */
async function answer(
  request: FastifyRequest,
  reply: FastifyReply,
  { deployment, name }: { readonly deployment: Deployment; readonly name: string },
  services: FeedServices,
): Promise<Answer> {
  checkState(request, deployment, services);
  const list = services.publishing.lists.served(deployment.id);
  if (list === undefined)
    throw new Problem("service-unavailable", "the list has not been built yet; try again soon", {
      headers: { "retry-after": String(RETRY_AFTER) },
    });
  const file = readFileName(name, deployment, list.published.chunks);
  if (file === undefined) {
    const [part = "combined"] = partsOf(deployment.definition);
    const [one] = filesOf(part, list.published.chunks);
    throw notFound(
      `the feed has no such file; ${fileName(one!, deployment)} is one of its files, and the deployment lists them all`,
    );
  }
  return sendFile(request, reply, { deployment, list, file }, services);
}

/** @throws Problem (403, 410) */
function checkState({ now }: FastifyRequest, deployment: Deployment, { memory }: FeedServices): void {
  if (deployment.deletedAt !== null) throw new Problem("gone", "the deployment has been deleted");
  if (!deployment.definition.active) throw new Problem("permission-denied", "the deployment is not active");
  if (isLongWithoutPlan(deployment, memory, now))
    throw new Problem("permission-denied", `the plan of the organisation ended more than ${FROZEN_DAYS} days ago`);
}

async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { deployment, list, file }: { readonly deployment: Deployment; readonly list: ServedList; readonly file: FeedFile },
  services: FeedServices,
): Promise<Answer> {
  const { feedBytes } = services.publishing;
  const requested = { deployment, list, file, now: request.now };
  const { tag, changedAt, until } = await feedBytes.state(requested);
  remember(request, { deployment, generation: list.published.generation, tag, changedAt, until }, services);
  vary(reply, "Accept-Encoding");
  reply.header("last-modified", dateOf(changedAt, request.now));
  if (isKnown(request, reply, tag) || isUnmodified(request, changedAt))
    return { send: reply.code(304).send(), bytes: 0 };
  const { bytes } = await feedBytes.file(requested);
  const type = mediaTypeOf(file, deployment.definition);
  reply.type(type === BINARY ? type : `${type}; charset=utf-8`);
  const coding = bytes.length < MIN_COMPRESSED ? undefined : chooseCoding(request);
  if (coding === undefined) return { send: reply.send(bytes), bytes: bytes.length };
  const coded = await feedBytes.coded(requested, coding, () => compress(bytes, coding, "once"));
  setCoding(reply, coding);
  return { send: reply.send(coded.bytes), bytes: coded.bytes.length };
}

/** Remembered for the next request of the same URL, most likely from a device that has the file by then. */
function remember(
  request: FastifyRequest,
  { deployment, until, ...state }: Omit<SentFeed, "file">,
  { publishing: { feedTokens, sentFeeds } }: FeedServices,
): void {
  const { credential, file = "" } = request.params as FeedParameters;
  // The server without the database keeps none, and a password has to be checked each time.
  if (sentFeeds === undefined || isId(credential)) return;
  sentFeeds.remember(request.originalUrl, {
    ...state,
    deployment,
    file: nameToRecord(file),
    until: Math.min(until, feedTokens.endOf(credential, deployment)),
  });
}

/**
 * Only where there is no If-None-Match (RFC 9110, section 13.1.3), and only for the very date that was sent with the
 * list: a later one may be from before the clock was set back, and the list have changed since.
 */
function isUnmodified({ headers }: FastifyRequest, changedAt: number): boolean {
  if (headers["if-none-match"] !== undefined) return false;
  return Date.parse(headers["if-modified-since"] ?? "") === secondOf(changedAt);
}

function note(
  request: FastifyRequest,
  { id }: Deployment,
  { status, bytes }: { readonly status: number; readonly bytes: number },
  { publishing: { pulls } }: FeedServices,
): void {
  const { file = "" } = request.params as FeedParameters;
  pulls.add({
    deploymentId: id,
    at: request.now,
    file: nameToRecord(file),
    address: request.ip,
    agent: request.headers["user-agent"] ?? "",
    status,
    bytes: request.method === "HEAD" ? 0 : bytes,
  });
}

function nameToRecord(file: string): string {
  return file.slice(0, MAX_FILE_NAME);
}

const MAX_FILE_NAME = 100;
/** The file is binary. */
const BINARY = "application/octet-stream";
