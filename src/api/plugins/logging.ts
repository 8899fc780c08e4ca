import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { LogController } from "fastify";
import { type DestinationStream, type Logger, pino, stdSerializers } from "pino";
import { redact, safePath } from "../http/redact.ts";
import type { Services } from "../../service/services.ts";

/**
 * Writes lines of JSON, with the `number` of the process if the server has several. Only what `logRequests` names is
 * logged of a request; errors are logged without keys.
 */
export function createLog(level: string, destination: DestinationStream, number?: number): Logger {
  return pino(
    {
      level,
      base: number === undefined ? null : { process: number },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      serializers: { err: withoutKeys },
    },
    destination,
  );
}

function withoutKeys(error: Error): object {
  const { type, message, stack } = stdSerializers.err(error);
  return { type, message: redact(message), stack: redact(stack ?? "") };
}

/** The framework's own lines are not written: they would show URLs with their queries. */
export function silentFramework(): LogController {
  return new LogController({ disableRequestLogging: true });
}

/** Adds an observation for a response, and a line unless the request was shed. */
export type Observe = (request: FastifyRequest, reply: FastifyReply) => void;

export function observing({ metrics, now }: Services, log: Logger): Observe {
  return (request, reply) => {
    const { statusCode: status, elapsedTime } = reply;
    // A request whose path cannot be read has no route.
    const { schema, config } = request.route ?? {};
    const operation = schema?.operationId ?? config?.operation ?? "none";
    const time = request.isFollowing ? 0 : elapsedTime;
    metrics.observe(operation, status, time / 1000);
    // The dashboard requests these figures, and would otherwise count itself.
    if (config?.scope === "public" || config?.operation !== undefined)
      metrics.traffic.addRequest(request.now || now(), status, time);
    if (request.isShed) return;
    const { id, method, url, ip: address, identity } = request;
    logRequest(log, { id, method, url, address, operation, status, elapsed: elapsedTime, identity });
  };
}

/** Observes every response but those to requests for which the framework runs no hooks. */
export function logRequests(app: FastifyInstance, observe: Observe): void {
  app.decorateRequest("isFollowing", false);
  app.addHook("onResponse", (request, reply, done) => {
    observe(request, reply);
    done();
  });
}

interface LoggedRequest {
  readonly id: string;
  readonly method: string;
  readonly url: string;
  readonly address: string;
  readonly operation: string;
  readonly status: number;
  /** Milliseconds. */
  readonly elapsed: number;
  readonly identity?: FastifyRequest["identity"];
}

/** The line of a response. */
export function logRequest(log: Logger, request: LoggedRequest): void {
  if (!log.isLevelEnabled("info")) return;
  const { id: request_id, method, url, address, operation, status, elapsed, identity } = request;
  log.info(
    {
      request_id,
      method,
      path: safePath(url),
      address,
      operation,
      status,
      ms: Math.round(elapsed * 100) / 100,
      ...(identity === undefined ? {} : { [identity.kind]: identity.id }),
    },
    "request",
  );
}
