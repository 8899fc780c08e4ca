import type { Socket } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";
import { AddressError } from "../../../../address/address-error.ts";
import type { Prefix } from "../../../../address/address.ts";
import { parsePrefix } from "../../../../address/prefix.ts";
import type { Delivery } from "../../../../service/bouncers/bouncers.ts";
import {
  type DecisionContext,
  type DecisionFilter,
  decisionText,
  scenarioOfDeployment,
  streamParts,
  wantedBy,
} from "../../../../service/bouncers/decisions.ts";
import type { Receipt } from "../../../../service/bouncers/receipts.ts";
import { droppedIn } from "../../../../service/bouncers/usage-metrics.ts";
import { joined } from "../../../../service/encoded.ts";
import { invalid, tooManyRequests } from "../../../../service/service-error.ts";
import type { Services } from "../../../../service/services.ts";
import type { Settings } from "../../../../service/settings.ts";
import type { Credential } from "../../../../store/records/credential.ts";
import type { App } from "../../../app-type.ts";
import { redact } from "../../../http/redact.ts";
import { sendJson, streamJson } from "../../../http/reply.ts";
import { Problem } from "../../../problem.ts";
import { problemOf } from "../../../problem-of.ts";
import { FROZEN_DAYS } from "../../../../service/deployments/frozen-feeds.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The bouncer's key, in requests of bouncers. */
    bouncer: Credential<"bouncer">;
  }
}

const DAY = 86_400_000;
/** Seconds after which a bouncer may ask again for what is not there yet. */
const RETRY_AFTER = 5;

/**
 * What CrowdSec's local API offers to bouncers: they enforce a deployment unchanged. Each has a key of its own, which
 * is valid nowhere else. Errors have their form, `{"message": ...}`.
 */
export function addBouncerRoutes(app: App, services: Services): void {
  void app.register(
    (context, _options, done) => {
      const within = context as unknown as App;
      within.decorateRequest("bouncer");
      within.setErrorHandler((error: Error, request, reply) => answerMessage(error, request, reply));
      within.addHook("onRequest", (request, _reply, admitted) => admitted(admit(request, services)));
      addStream(within, services);
      addLookup(within, services);
      addUsageMetrics(within, services);
      done();
    },
    { prefix: "/v1" },
  );
}

/** Unexpected errors are logged, as everywhere. */
function answerMessage(error: Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const problem = problemOf(error);
  if (problem.status >= 500 && problem.kind !== "service-unavailable")
    request.log.error({ request_id: request.id, err: error }, "unexpected error");
  const { fields } = error as { fields?: Readonly<Record<string, readonly string[]>> };
  const about = Object.entries(fields ?? {}).map(([name, texts]) => `${name}: ${texts.join(", ")}`);
  const message = about.length === 0 ? problem.message : about.join("; ");
  reply.code(problem.status).headers(problem.details.headers ?? {});
  return sendJson(reply, redact(JSON.stringify({ message })));
}

/** The problem that rejects the request. Bouncers take 403 for a wrong key. */
function admit(request: FastifyRequest, services: Services): Error | undefined {
  const { settings, memory } = services;
  const { credentials, failureLimits } = services.access;
  const bouncer = credentials.findValid("bouncer", String(request.headers["x-api-key"] ?? ""), request.now);
  if (bouncer === undefined) {
    const window = failureLimits.take(request.ip, settings.failuresPerMinute);
    return window.isExceeded
      ? tooManyRequests("too many requests without a valid bouncer key came from this address", window.retryAfter)
      : new Problem("permission-denied", "access forbidden: not a valid bouncer key of a deployment");
  }
  request.bouncer = bouncer;
  request.identity = { kind: "key", id: bouncer.id };
  const until = memory.plan(bouncer.organisationId, "edl")?.until ?? null;
  return until !== null && request.now >= until + FROZEN_DAYS * DAY
    ? new Problem("permission-denied", `the plan of the organisation ended more than ${FROZEN_DAYS} days ago`)
    : undefined;
}

function addStream(app: App, services: Services): void {
  const { settings } = services;
  const { bouncers } = services.publishing;
  app.get("/decisions/stream", { config: { operation: "streamDecisions" } }, async (request, reply) => {
    const { bouncer, now } = request;
    const filter = filterIn(request);
    receiptOfLast(request);
    const delivery = await bouncers.deliver(bouncer, {
      isStartup: isStartup(request),
      isHead: request.method === "HEAD",
      now,
      agent: request.headers["user-agent"] ?? "",
    });
    if (delivery === undefined) throw notYet();
    const context = contextOf(bouncer, now, settings);
    if (request.method !== "HEAD") whenSent(request, reply, delivery, services);
    const parts = joined(streamParts(delivery, filter, context));
    return sendWhole(reply, parts);
  });
}

function contextOf(
  { deploymentId }: Credential<"bouncer">,
  now: number,
  { bouncerDuration }: Settings,
): DecisionContext {
  return { now, lasts: bouncerDuration, scenario: scenarioOfDeployment(deploymentId) };
}

/**
 * Short responses have their length: clients that stop reading at the end of the JSON, as go-cs-bouncer does, then know
 * that there is no more, and keep the connection.
 */
function sendWhole(reply: FastifyReply, parts: Generator<string>): FastifyReply {
  const first = parts.next();
  const second = first.done === true ? first : parts.next();
  if (second.done === true) return sendJson(reply, first.value ?? "");
  return streamJson(
    reply,
    (function* () {
      yield first.value;
      yield second.value;
      yield* parts;
    })(),
  );
}

/** The receipt of the last response on a connection, and the key that it was for. */
const onConnections = new WeakMap<Socket, { readonly receipt: Receipt; readonly bouncer: string }>();

/**
 * A client that asks again on the same connection has read the whole response before. Proxies do so, too, for clients
 * that may not have read it.
 */
function receiptOfLast({ raw, bouncer, headers }: FastifyRequest): void {
  const last = onConnections.get(raw.socket);
  const isForwarded = ["via", "forwarded", "x-forwarded-for", "x-real-ip"].some((name) => headers[name] !== undefined);
  if (last?.bouncer !== bouncer.id || isForwarded) return;
  if (last.receipt.sentAt !== undefined) last.receipt.isRead = true;
}

/** What becomes of a response: what did not arrive for certain is sent again. */
function whenSent(
  request: FastifyRequest,
  reply: FastifyReply,
  delivery: Delivery,
  { publishing: { pulls } }: Services,
): void {
  const { bouncer, now } = request;
  const { receipt } = delivery;
  if (receipt !== undefined) follow(request, reply, receipt);
  const isEmpty = delivery.added.size === 0 && delivery.removed.length === 0;
  reply.raw.once("close", () => {
    if (!reply.raw.writableFinished || reply.raw.statusCode !== 200) return;
    const isNoted = now - (pulls.lastOf(bouncer.deploymentId) ?? 0) < NOTE_EVERY;
    if (isEmpty && isNoted) return;
    pulls.add({
      deploymentId: bouncer.deploymentId,
      at: now,
      file: "decisions/stream",
      address: request.ip,
      agent: request.headers["user-agent"] ?? "",
      status: 200,
      bytes: 0,
    });
  });
}

function follow({ raw: { socket }, bouncer, now }: FastifyRequest, { raw }: FastifyReply, receipt: Receipt): void {
  const isFirst = !onConnections.has(socket);
  onConnections.set(socket, { receipt, bouncer: bouncer.id });
  raw.once("finish", () => {
    if (raw.statusCode === 200) receipt.sentAt = now;
  });
  // Linux resets a connection that is closed before everything is read.
  if (isFirst)
    socket.once("close", (isFailed) => {
      onConnections.get(socket)!.receipt.isBroken = isFailed;
    });
}

/** Bouncers ask every few seconds, and mostly get nothing: one such request a minute is listed among the pulls. */
const NOTE_EVERY = 60_000;

function addLookup(app: App, { publishing: { bouncers }, settings }: Services): void {
  app.get("/decisions", { config: { operation: "readDecisions" } }, async (request, reply) => {
    const where = prefixIn(request);
    // Clients send a request without an address to check that the server is available.
    if (where === undefined) return sendJson(reply, "null");
    const { now } = request;
    const covering = await bouncers.covering(request.bouncer, where, now);
    if (covering === undefined) throw notYet();
    const isWanted = wantedBy(filterIn(request));
    const context = contextOf(request.bouncer, now, settings);
    const texts = [...covering]
      .filter(([prefix]) => isWanted(prefix))
      .map(([prefix, end]) => decisionText(prefix, end, context));
    return sendJson(reply, texts.length === 0 ? "null" : `[${texts.join(",")}]`);
  });
}

/** Every half hour, bouncers report what they have dropped since their last report. */
function addUsageMetrics(app: App, { store, memory }: Services): void {
  app.post("/usage-metrics", { config: { operation: "reportBouncerUsage" } }, async (request, reply) => {
    const { deploymentId } = request.bouncer;
    const deployment = memory.deploymentById(deploymentId);
    if (deployment === undefined) throw notYet();
    const counts = droppedIn(request.body, deployment);
    if (counts.length > 0) await store.record("blocked", { deploymentId, at: request.now, counts });
    return sendJson(reply.code(201), "{}");
  });
}

function notYet(): Problem {
  return new Problem("service-unavailable", "the list has not been built yet; try again soon", {
    headers: { "retry-after": String(RETRY_AFTER) },
  });
}

/** @throws ServiceError "invalid" */
function parameter({ query }: FastifyRequest, name: string): string | undefined {
  const value = (query as Readonly<Record<string, string | string[] | undefined>>)[name];
  if (Array.isArray(value)) throw invalid({ [name]: ["is given more than once"] });
  return value === "" ? undefined : value;
}

/** @throws ServiceError "invalid" */
function isStartup(request: FastifyRequest): boolean {
  const text = parameter(request, "startup") ?? "false";
  if (text !== "true" && text !== "false") throw invalid({ startup: ["must be true or false"] });
  return text === "true";
}

/** @throws ServiceError "invalid" */
function filterIn(request: FastifyRequest): DecisionFilter {
  const setIn = (name: string): ReadonlySet<string> | undefined => {
    const names = parameter(request, name)?.split(",");
    return names && new Set(names.map((each) => each.trim().toLowerCase()));
  };
  return { scopes: setIn("scopes") ?? setIn("scope"), origins: setIn("origins") ?? setIn("origin") };
}

/** @throws ServiceError "invalid" */
function prefixIn(request: FastifyRequest): Prefix | undefined {
  const [ip, range] = [parameter(request, "ip"), parameter(request, "range")];
  const [name, text] = ip === undefined ? ["range", range] : ["ip", ip];
  if (text === undefined) return undefined;
  try {
    return parsePrefix(text, "mask");
  } catch (error) {
    throw error instanceof AddressError ? invalid({ [name]: [error.message] }) : error;
  }
}
