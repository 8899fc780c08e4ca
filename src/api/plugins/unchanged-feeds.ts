import type { IncomingMessage, ServerResponse } from "node:http";
import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import type { SentFeed } from "../../service/deployments/sent-feeds.ts";
import { isLongWithoutPlan } from "../../service/deployments/frozen-feeds.ts";
import type { Services } from "../../service/services.ts";
import { secondOf } from "../../time/second-of.ts";
import { readCodedTag, takesCoding } from "../http/content-coding.ts";
import { hasBody, hasOneHost, noteResponse } from "./framing.ts";
import { READ_FEED } from "../operation.ts";
import { logRequest } from "./logging.ts";
import { requestId } from "./request-ids.ts";
import { SAFE_HEADERS } from "./safe-headers.ts";

const SECOND = 1000;
const VARY = "Accept-Encoding";
const CACHE_CONTROL = "private, no-cache";

/**
 * Most devices request a list that they already have. Such requests are answered here, before the framework and its
 * hooks, which would take three times as long as the rest; the headers, the log line and the record of the pull are the
 * same. Any request that is unusual in any way takes the ordinary path.
 */
export function respondNotModified(app: FastifyInstance, services: Services, log: Logger): void {
  const { server } = app;
  const handle = server.listeners("request").at(-1) as (request: IncomingMessage, response: ServerResponse) => void;
  server.off("request", handle).on("request", (request: IncomingMessage, response: ServerResponse) => {
    const feed = unchangedFeed(request, app, services);
    if (feed === undefined) handle.call(server, request, response);
    else answer(app, { request, response, feed }, services, log);
  });
}

/** The requested file, if the client already has it and nothing else about the request has to be checked. */
function unchangedFeed(request: IncomingMessage, app: FastifyInstance, services: Services): SentFeed | undefined {
  const { url = "", method } = request;
  const feed = services.publishing.sentFeeds.find(url);
  if (feed === undefined || (method !== "GET" && method !== "HEAD")) return undefined;
  if (app.connections.isClosing || !isStillSent(feed, services)) return void services.publishing.sentFeeds.forget(url);
  return isUsual(request, services) && isKnownTo(request, feed) ? feed : undefined;
}

/** Every change of a deployment replaces its object. */
function isStillSent({ deployment, generation, until }: SentFeed, services: Services): boolean {
  const { memory, now } = services;
  const { lists } = services.publishing;
  const { id } = deployment;
  const isSame = memory.deploymentById(id) === deployment && lists.served(id)?.published.generation === generation;
  return isSame && now() < until && !isLongWithoutPlan(deployment, memory, now());
}

function isUsual(request: IncomingMessage, { settings }: Services): boolean {
  const { headers, httpVersion, url = "" } = request;
  const isForwarded = settings.trustProxy !== "";
  const isPlain = httpVersion === "1.1" && headers.upgrade === undefined && headers.expect === undefined;
  return isPlain && !isForwarded && url.length <= settings.urlBytes && !hasBody(request) && hasOneHost(request);
}

function isKnownTo({ headers }: IncomingMessage, { tag }: SentFeed): boolean {
  const known = headers["if-none-match"];
  if (known === undefined) return false;
  if (known === tag) return takesCoding({ headers }, undefined);
  const { plain, coding } = readCodedTag(known);
  return plain === tag && coding !== undefined && takesCoding({ headers }, coding);
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly feed: SentFeed;
}

function answer(app: FastifyInstance, { request, response, feed }: Exchange, services: Services, log: Logger): void {
  const startedAt = performance.now();
  const { socket, headers, method = "", url = "" } = request;
  const id = requestId(request);
  const at = services.now();
  app.connections.answer(socket, response);
  noteResponse(socket, response);
  const { settings } = services;
  const { failureLimits } = services.access;
  const address = socket.remoteAddress ?? "";
  response.writeHead(304, {
    "x-request-id": id,
    ...failureLimits.peek(address, settings.failuresPerMinute).headers,
    ...SAFE_HEADERS,
    vary: VARY,
    "last-modified": dateOf(feed.changedAt, at),
    etag: headers["if-none-match"],
    "cache-control": CACHE_CONTROL,
  });
  response.end();
  const agent = headers["user-agent"] ?? "";
  services.publishing.pulls.add({
    deploymentId: feed.deployment.id,
    at,
    file: feed.file,
    address,
    agent,
    status: 304,
    bytes: 0,
  });
  const elapsed = performance.now() - startedAt;
  services.metrics.observe(READ_FEED, 304, elapsed / SECOND);
  services.metrics.traffic.addRequest(at, 304, elapsed);
  logRequest(log, { id, method, url, address, operation: READ_FEED, status: 304, elapsed });
}

/**
 * Last-Modified has whole seconds, and the list may change again within the current one. Until that second is over, the
 * date sent is one second earlier, so a later list gets a different date. Rspamd relies on the date alone.
 */
export function dateOf(changedAt: number, now: number): string {
  const second = secondOf(changedAt);
  return new Date(now < second + SECOND ? second - SECOND : second).toUTCString();
}
