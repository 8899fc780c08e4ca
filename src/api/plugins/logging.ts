import type { FastifyInstance } from "fastify";
import { LogController } from "fastify";
import { type DestinationStream, type Logger, pino, stdSerializers } from "pino";
import { redact, safePath } from "../http/redact.ts";
import type { Services } from "../../service/services.ts";

/**
 * Writes lines of JSON. Nothing of a request is logged but what `logRequests` names; errors are logged without keys.
 */
export function createLog(level: string, destination: DestinationStream): Logger {
  return pino(
    { level, base: null, timestamp: () => `,"time":"${new Date().toISOString()}"`, serializers: { err: withoutKeys } },
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

/** A line and an observation for every response. */
export function logRequests(app: FastifyInstance, { metrics, now }: Services, log: Logger): void {
  app.addHook("onResponse", (request, reply, done) => {
    const { statusCode: status, elapsedTime } = reply;
    const operation = request.route?.schema?.operationId ?? "none";
    metrics.observe(operation, status, elapsedTime / 1000);
    // The dashboard asks for these figures, and would see itself.
    if (request.route?.config.scope === "public") metrics.traffic.addRequest(request.now || now(), status, elapsedTime);
    if (!log.isLevelEnabled("info")) return done();
    const { id: request_id, method, url, ip: address, asker } = request;
    log.info(
      {
        request_id,
        method,
        path: safePath(url),
        address,
        operation,
        status,
        ms: Math.round(elapsedTime * 100) / 100,
        ...(asker === undefined ? {} : { [asker.kind]: asker.id }),
      },
      "request",
    );
    done();
  });
}
