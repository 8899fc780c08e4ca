import type { Socket } from "node:net";
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Prefix } from "../../address/address.ts";
import { isAddress } from "../../address/parse-address.ts";
import { parsePrefix, prefixContains } from "../../address/prefix.ts";
import { FairShare } from "../http/fair-share.ts";
import { Problem } from "../problem.ts";
import { originOf } from "../../service/access/rate-limits.ts";
import type { Services } from "../../service/services.ts";
import { prefixesIn, type Settings } from "../../service/settings.ts";
import { callerOf, PATIENCE } from "./bodies.ts";
import { waitedForTurn } from "./pipelining.ts";
import { TOO_BUSY } from "./shed-answers.ts";

declare module "fastify" {
  interface FastifyInstance {
    /**
     * Called when a body has arrived, before it is parsed.
     * @throws Problem (503) if the server is overloaded
     */
    checkBusy(): void;
  }

  interface FastifyRequest {
    /** Whether it counts as work: started and not yet responded to. */
    isWorkedOn: boolean;
  }

  interface FastifyContextConfig {
    /** Served even if its caller has not read other responses yet, because it asks about the server's health. */
    readonly isHealth?: boolean;
    /**
     * Whether serving it takes hardly more processor time than rejecting it. It may wait for longer, as its client would
     * ask again at once.
     */
    readonly isCheap?: boolean;
  }
}

/** Milliseconds between two readings of the event loop's delay. */
const SAMPLE = 250;
const RESOLUTION = 10;
/** A longer response counts until it has been read, unless its bytes are shared with others. */
const LONG_ANSWER = 64 << 10;

/**
 * Rejects requests that are too long, and operations if the server is overloaded. Work is what has been started and not
 * responded to: neither bodies that have not arrived nor responses that have not been read. No caller gets more than a
 * fair share of it, of connections, or of unread responses.
 */
export function limitRequests(app: FastifyInstance, services: Services): void {
  const { settings, metrics } = services;
  const delay = watchEventLoop(app);
  const turn = new TurnClock();
  const work = new FairShare(settings.concurrentRequests);
  const unread = new FairShare(settings.bodyMemory);
  watchConnections(app, services);
  app.decorateRequest("isWorkedOn", false);
  app.addHook("onRequest", (request, reply, done) => {
    if (app.connections.isClosing) reply.header("connection", "close");
    if (request.url.length > settings.urlBytes)
      return done(new Problem("uri-too-long", `the path and its query are longer than ${settings.urlBytes} bytes`));
    const isBusy =
      delay() > settings.eventLoopDelay ||
      turn.elapsed(request.raw.socket) + waitedForTurn(request.raw.socket) > permittedWait(request, settings) ||
      work.used >= settings.concurrentRequests;
    if (!isBusy || request.route.config.scope === undefined) return done();
    app.shed(request, reply);
  });
  // Expensive requests may have arrived between the headers of this one and the end of its body.
  app.decorate("checkBusy", () => {
    if (turn.elapsed() <= settings.eventLoopDelay) return;
    metrics.shed.inc();
    throw TOO_BUSY;
  });
  app.addHook("preValidation", (request, _reply, done) => {
    const { scope, isHealth } = request.route.config;
    if (isHealth === true || request.is404) return done();
    const caller = callerOf(request);
    if (!unread.hasRoom(caller)) return done(unreadAnswers());
    if (scope === undefined) return done();
    if (!work.take(caller, 1)) {
      metrics.shed.inc();
      return done(TOO_BUSY);
    }
    request.isWorkedOn = true;
    done();
  });
  app.addHook("onSend", (request, reply, payload, done) => {
    if (request.isWorkedOn) work.give(callerOf(request), 1);
    request.isWorkedOn = false;
    const bytes = typeof payload === "string" ? payload.length : request.answerBytes;
    if (bytes > LONG_ANSWER) countUntilRead(unread, request, reply.raw, bytes);
    done();
  });
}

/** Milliseconds that a request may wait for its turn. */
function permittedWait({ route }: FastifyRequest, { eventLoopDelay }: Settings): number {
  return route.config.isCheap === true ? PATIENCE * eventLoopDelay : eventLoopDelay;
}

/** If the connection closes before the response is sent, the share is released here. */
function countUntilRead(unread: FairShare, request: FastifyRequest, answer: FastifyReply["raw"], bytes: number): void {
  if (answer.destroyed) return;
  const caller = callerOf(request);
  unread.force(caller, bytes);
  answer.once("close", () => unread.give(caller, bytes));
}

function unreadAnswers(): Problem {
  return new Problem("service-unavailable", "the server is overloaded; read the responses that have been sent", {
    headers: { "retry-after": "1" },
  });
}

/**
 * How long the event loop has been processing requests in the current turn: everything that has arrived is processed in
 * one turn, however much it is, and the last request would wait for all the others. With more than 1,024 ready
 * connections, the loop polls the system several times before the turn ends. A connection that appears a second time
 * shows that it has polled again; what arrived then has not waited since the turn began.
 */
class TurnClock {
  #startedAt = 0;
  /** Counts the polls within turns. */
  #round = 0;
  readonly #end = (): void => void (this.#startedAt = 0);

  /** In milliseconds, for the poll that delivered the connection's request. */
  elapsed(socket?: RoundSocket): number {
    const now = performance.now();
    if (this.#startedAt === 0) {
      setImmediate(this.#end);
      this.#begin(now);
    } else if (socket !== undefined && socket[ROUND] === this.#round) {
      this.#begin(now);
    }
    if (socket !== undefined) socket[ROUND] = this.#round;
    return now - this.#startedAt;
  }

  #begin(now: number): void {
    this.#startedAt = now;
    this.#round++;
  }
}

/** Stored at the socket itself: a lookup in a WeakMap takes a tenth of the request's time. */
const ROUND = Symbol("round");
type RoundSocket = Socket & { [ROUND]?: number };

/**
 * Gives each address, except trusted proxies, a fair share of the connections, and closes those that are idle or whose
 * responses are not read.
 */
function watchConnections(app: FastifyInstance, { settings, metrics }: Services): void {
  const share = new FairShare(settings.connections);
  const proxies = prefixesIn(settings.trustProxy).map((text) => parsePrefix(text));
  app.server.on("connection", (socket: Socket) => {
    const address = socket.remoteAddress ?? "";
    if (isIn(proxies, address)) return;
    const origin = originOf(address);
    if (!share.take(origin, 1)) {
      metrics.refusedConnections.inc();
      return void socket.destroy();
    }
    socket.once("close", () => share.give(origin, 1));
  });
  // Nothing has been received or sent for as long as an idle connection is kept or a response may stall. Requests in
  // progress may take longer.
  app.server.on("timeout", (socket: Socket) => {
    if (!app.connections.isBusy(socket) || socket.writableLength > 0) socket.destroy();
  });
}

function isIn(prefixes: readonly Prefix[], address: string): boolean {
  return (
    prefixes.length > 0 && isAddress(address) && prefixes.some((prefix) => prefixContains(prefix, parsePrefix(address)))
  );
}

/**
 * Returns the delay of the event loop in milliseconds: the smaller mean of the last two samples, since a single long
 * step, such as loading a catalogue, is not an overload.
 */
function watchEventLoop(app: FastifyInstance): () => number {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION });
  let [before, last] = [0, 0];
  const timer = setInterval(() => {
    // A timer of 10 ms that fires after 10 ms has no delay.
    [before, last] = [last, histogram.count === 0 ? 0 : Math.max(0, histogram.mean / 1e6 - RESOLUTION)];
    histogram.reset();
  }, SAMPLE).unref();
  app.addHook("onListen", (done) => {
    histogram.enable();
    done();
  });
  app.addHook("onClose", () => {
    clearInterval(timer);
    histogram.disable();
  });
  return () => Math.min(before, last);
}
