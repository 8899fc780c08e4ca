import type { Socket } from "node:net";
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { Problem } from "../problem.ts";
import type { Services } from "../services.ts";
import { answerProblem } from "./problems.ts";

declare module "fastify" {
  interface FastifyInstance {
    /** Called when a body has arrived, before it is read. @throws Problem (503) when there is more to do than can be done */
    checkBusy(): void;
  }
}

/** How often the delay of the event loop is read, in milliseconds. */
const SAMPLE = 250;
const RESOLUTION = 10;

/** Refuses requests that are too long, and when there is more to do than can be done, all but those that ask for the server's health. */
export function limitRequests(app: FastifyInstance, { settings, metrics, isClosing }: Services): void {
  const delay = watchEventLoop(app);
  const turn = new TurnClock();
  const underWay = new RequestsUnderWay(app);
  app.addHook("onRequest", (request, reply, done) => {
    if (isClosing()) reply.header("connection", "close");
    underWay.add(request.raw.socket);
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

/** Counts requests by their connections: a listener for every response, to learn of those that are given up, would cost as much as a lookup. */
class RequestsUnderWay {
  count = 0;
  readonly #bySocket = new WeakMap<Socket, { count: number }>();

  constructor(app: FastifyInstance) {
    app.addHook("onResponse", (request, _reply, done) => {
      const own = this.#bySocket.get(request.raw.socket);
      if (own !== undefined && own.count > 0) this.#end(own, 1);
      done();
    });
  }

  add(socket: Socket): void {
    let own = this.#bySocket.get(socket);
    if (own === undefined) {
      const added = (own = { count: 0 });
      this.#bySocket.set(socket, added);
      socket.once("close", () => this.#end(added, added.count));
    }
    own.count++;
    this.count++;
  }

  #end(own: { count: number }, requests: number): void {
    own.count -= requests;
    this.count -= requests;
  }
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

/** Gives up requests whose bodies do not arrive in time. For streams see the operation. */
export function limitBodyTime(app: FastifyInstance, { settings }: Services): void {
  const timers = new WeakMap<FastifyRequest, NodeJS.Timeout>();
  app.addHook("preParsing", (request, reply, payload, done) => {
    const hasBody = request.headers["content-length"] !== undefined || request.headers["transfer-encoding"] !== undefined;
    if (hasBody && request.route.config.streams !== true) {
      const timer = setTimeout(() => {
        // Answered here: the body's stream cannot be ended with an error but by hanging up.
        answerProblem(new Problem("request-timeout", `the body did not arrive within ${settings.bodyTimeout} s`), request, reply.header("connection", "close"));
      }, settings.bodyTimeout * 1000);
      timers.set(request, timer.unref());
      reply.raw.once("close", () => clearTimeout(timer));
    }
    done(null, payload);
  });
  app.addHook("preValidation", (request, _reply, done) => {
    clearTimeout(timers.get(request));
    done();
  });
}
