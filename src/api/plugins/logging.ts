import type { FastifyInstance, FastifyRequest } from "fastify";
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

/** An observation for every response, and a line unless the request was shed. */
export function logRequests(app: FastifyInstance, { metrics, now }: Services, log: Logger): void {
  app.decorateRequest("isFollowing", false);
  app.addHook("onResponse", (request, reply, done) => {
    const { statusCode: status, elapsedTime } = reply;
    const { schema, config } = request.route ?? {};
    const operation = schema?.operationId ?? config?.operation ?? "none";
    const time = request.isFollowing ? 0 : elapsedTime;
    metrics.observe(operation, status, time / 1000);
    // The dashboard requests these figures, and would otherwise count itself.
    if (config?.scope === "public" || config?.operation !== undefined)
      metrics.traffic.addRequest(request.now || now(), status, time);
    if (request.isShed) return done();
    const { id, method, url, ip: address, identity } = request;
    logRequest(log, { id, method, url, address, operation, status, elapsed: elapsedTime, identity });
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
