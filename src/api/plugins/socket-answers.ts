import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Logger } from "pino";
import { Problem, type ProblemKind } from "../problem.ts";
import { safePath } from "../http/redact.ts";
import type { Services } from "../../service/services.ts";
import { bodyOfProblem } from "./problems.ts";
import { requestId } from "./request-ids.ts";
import { SAFE_HEADERS } from "./safe-headers.ts";

/** An `import` of the module would run all its lazy parts, an HTTP client among them, at every start. */
const { STATUS_CODES } = process.getBuiltinModule("node:http");

/** What a response is about, as far as it could be read. */
interface Subject {
  readonly request?: Pick<IncomingMessage, "url" | "headers"> | undefined;
  /** The response that the framework would have sent. */
  readonly response?: ServerResponse | undefined;
  /** The data at which the parser gave up. */
  readonly packet?: Buffer | undefined;
}

/**
 * Responds where there is no response object: with the headers of every response, and a line in the log. The connection
 * is closed.
 */
export class SocketAnswers {
  readonly #services: Services;
  readonly #log: Logger;

  constructor(services: Services, log: Logger) {
    this.#services = services;
    this.#log = log;
  }

  answer(socket: Duplex, kind: ProblemKind, detail: string, { request, response, packet }: Subject = {}): void {
    if (!socket.writable) return void socket.destroy();
    const id = requestId(request ?? response?.req ?? { headers: {} });
    const path = safePath(request?.url ?? response?.req.url ?? targetIn(packet));
    const problem = new Problem(kind, detail);
    const { type, text } = bodyOfProblem(problem, path, id);
    const address = (socket as Socket).remoteAddress ?? "";
    const { settings } = this.#services;
    const { failureLimits } = this.#services.access;
    const headers = {
      "Content-Type": type,
      "Content-Length": Buffer.byteLength(text),
      Connection: "close",
      "X-Request-Id": id,
      ...failureLimits.peek(address, settings.failuresPerMinute).headers,
      ...SAFE_HEADERS,
    };
    const lines = [
      `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ];
    socket.end(`${lines.join("\r\n")}\r\n\r\n${text}`);
    this.#log.info(
      { request_id: id, path, address, operation: "none", status: problem.status, reason: detail },
      "request",
    );
  }
}

/** The path of a request line that could be read although what follows it could not; "" if there is none. */
function targetIn(packet: Buffer | undefined): string {
  return /^[A-Z]{1,20} (\/[!-~]*)/.exec(packet?.toString("latin1", 0, MAX_LINE) ?? "")?.[1] ?? "";
}

/** Characters of a packet that are searched for a path. */
const MAX_LINE = 8192;
