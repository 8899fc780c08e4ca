import type { Socket } from "node:net";
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { FastifyInstance, FastifyReply } from "fastify";
import { Problem } from "../problem.ts";
import type { Services } from "../services.ts";
import { answerProblem } from "./problems.ts";

declare module "fastify" {
  interface FastifyInstance {
    /** Called when a body has arrived, before it is read. @throws Problem (503) when there is more to do than can be done */
    checkBusy(): void;
  }
}

/** How often the delay of the event loop is read, and bodies are looked at that have not arrived, in milliseconds. */
const SAMPLE = 250;
const RESOLUTION = 10;

/**
 * Refuses requests that are too long, and when there is more to do than can be done, all but those that ask for the server's health. Gives up those
 * whose bodies do not arrive in time; for streams see the operation.
 */
export function limitRequests(app: FastifyInstance, { settings, metrics, isClosing }: Services): void {
  const delay = watchEventLoop(app);
  const turn = new TurnClock();
  const underWay = new RequestsUnderWay(app, settings.bodyTimeout);
  app.addHook("onRequest", (request, reply, done) => {
    if (isClosing()) reply.header("connection", "close");
    underWay.add(request.raw.socket, reply);
    if (request.url.length > settings.urlBytes) return done(new Problem("uri-too-long", `the path and its query are longer than ${settings.urlBytes} bytes`));
    const isBusy = underWay.count > settings.concurrentRequests || delay() > settings.eventLoopDelay || turn.elapsed() > settings.eventLoopDelay;
    if (!isBusy || request.route.config.door === undefined) return done();
    metrics.shed.inc();
    done(tooBusy());
  });
  // Between the head of a request and the end of its body others may have come that take long.
  app.decorate("checkBusy", () => {
    if (turn.elapsed() <= settings.eventLoopDelay) return;
    metrics.shed.inc();
    throw tooBusy();
  });
}

function tooBusy(): Problem {
  return new Problem("service-unavailable", "the server has more to do than it can; try again in 1 s", { headers: { "retry-after": "1" } });
}

/**
 * How long the event loop has been at requests without a turn: all that have arrived are worked off in one, however many they are, and the last of
 * them would wait for all the others.
 */
class TurnClock {
  #startedAt = 0;
  readonly #end = (): void => void (this.#startedAt = 0);

  /** In milliseconds. */
  elapsed(): number {
    const now = performance.now();
    if (this.#startedAt !== 0) return now - this.#startedAt;
    this.#startedAt = now;
    setImmediate(this.#end);
    return 0;
  }
}

interface Connection {
  /** Requests under way. */
  count: number;
  /** The answer to the last request, the only one whose body may still be arriving; undefined when that is known to have arrived. */
  last: FastifyReply | undefined;
  /** When it came: in samples. */
  since: number;
}

/** At the socket itself: to look it up in a WeakMap, twice a request, takes a tenth of the request's time. */
const CONNECTION = Symbol("connection");
type CountedSocket = Socket & { [CONNECTION]?: Connection };

/**
 * Counts requests, and times their bodies, by their connections: a listener for every response, to learn of those that are given up, and a timer for
 * every body would cost as much as a lookup.
 */
class RequestsUnderWay {
  count = 0;
  readonly #connections = new Set<Connection>();
  #samples = 0;

  /** `bodyTimeout` in seconds. */
  constructor(app: FastifyInstance, bodyTimeout: number) {
    app.addHook("onResponse", (request, _reply, done) => {
      const connection = (request.raw.socket as CountedSocket)[CONNECTION];
      if (connection !== undefined && connection.count > 0) this.#end(connection, 1);
      done();
    });
    const timer = setInterval(() => this.#giveUpLateBodies(bodyTimeout), SAMPLE).unref();
    app.addHook("onClose", () => clearInterval(timer));
  }

  add(socket: CountedSocket, reply: FastifyReply): void {
    const connection = socket[CONNECTION] ?? this.#addConnection(socket);
    connection.count++;
    connection.last = reply;
    connection.since = this.#samples;
    this.count++;
  }

  #addConnection(socket: CountedSocket): Connection {
    const connection: Connection = { count: 0, last: undefined, since: 0 };
    socket[CONNECTION] = connection;
    this.#connections.add(connection);
    socket.once("close", () => {
      this.#connections.delete(connection);
      this.#end(connection, connection.count);
    });
    return connection;
  }

  #end(connection: Connection, requests: number): void {
    connection.count -= requests;
    this.count -= requests;
  }

  #giveUpLateBodies(bodyTimeout: number): void {
    this.#samples++;
    const last = this.#samples - (bodyTimeout * 1000) / SAMPLE;
    for (const connection of this.#connections) {
      const reply = connection.last;
      if (reply === undefined) continue;
      if (!isBodyArriving(reply)) connection.last = undefined;
      else if (connection.since < last) giveUp(reply, bodyTimeout);
    }
  }
}

/** A body that is read as a stream counts as arrived. */
function isBodyArriving({ request, raw, sent }: FastifyReply): boolean {
  return !sent && !raw.destroyed && !request.raw.complete && request.body === undefined;
}

/** Answers here: the body's stream cannot be ended with an error but by hanging up. */
function giveUp(reply: FastifyReply, bodyTimeout: number): void {
  answerProblem(new Problem("request-timeout", `the body did not arrive within ${bodyTimeout} s`), reply.request, reply.header("connection", "close"));
}

/** Gives the delay of the event loop in milliseconds: the lesser mean of the last two samples, since one long step, such as loading a catalogue, is no overload. */
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
