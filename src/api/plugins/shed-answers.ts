import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "pino";
import type { Services } from "../../service/services.ts";
import { safePath } from "../http/redact.ts";
import { Problem } from "../problem.ts";
import { continueBody, holdBody } from "./pipelining.ts";
import { leaveInOrder } from "./early-answers.ts";
import { bodyOfProblem } from "./problems.ts";

declare module "fastify" {
  interface FastifyInstance {
    /**
     * Responds to a request that the overloaded server does not serve, and counts it. Only for hooks that run before the
     * body is read, which must not call `done` then.
     */
    shed(request: FastifyRequest, reply: FastifyReply): void;
  }

  interface FastifyRequest {
    /** Whether it was rejected by `shed`: such requests have no line of their own in the log. */
    isShed: boolean;
  }
}

/** Milliseconds covered by one log line about shed requests. */
const LOG_PERIOD = 1000;

/** Created once: an error records its stack, which takes longer than the rest of the response. */
export const TOO_BUSY = new Problem("service-unavailable", "the server is overloaded; try again in 1 s", {
  headers: { "retry-after": "1" },
});

/**
 * Lets an overloaded server say so at a fraction of the usual cost: without the error handler, the serializer, the send
 * hooks and a log line. The response is the one that they would have sent.
 */
export function rejectWhenOverloaded(app: FastifyInstance, { metrics, memory }: Services, log: Logger): void {
  const report = new ShedReport(log);
  app.addHook("onClose", () => report.write());
  app.decorateRequest("isShed", false);
  app.decorate("shed", (request: FastifyRequest, reply: FastifyReply) => {
    metrics.shed.inc();
    report.count();
    request.isShed = true;
    const { type, text } = bodyOfProblem(TOO_BUSY, safePath(request.url), request.id);
    if (!reply.hasHeader("ratelimit-limit")) reply.headers(app.addressWindow(request.ip));
    if (request.caller !== undefined) reply.header("x-sequence", String(memory.sequence));
    leaveInOrder(request, reply);
    reply.headers(TOO_BUSY.details.headers!);
    reply.header("content-type", type).header("content-length", Buffer.byteLength(text));
    reply.hijack();
    const { socket } = request.raw;
    holdBody(socket);
    // By then `node:http` ignores the parts of its body.
    reply.raw.once("finish", () => continueBody(socket, true));
    reply.raw.writeHead(TOO_BUSY.status, reply.getHeaders() as Record<string, string>).end(text);
  });
}

/** Logs how many requests were shed, in one line per second. */
class ShedReport {
  readonly #log: Logger;
  #count = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(log: Logger) {
    this.#log = log;
  }

  count(): void {
    this.#count++;
    this.#timer ??= setTimeout(() => this.write(), LOG_PERIOD).unref();
  }

  write(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#count > 0) this.#log.warn({ shed: this.#count }, "the server is overloaded: requests were rejected");
    this.#count = 0;
  }
}
