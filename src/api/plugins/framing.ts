import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { Problem, type ProblemKind } from "../problem.ts";
import type { SocketAnswers } from "./socket-answers.ts";

/**
 * Stored at the socket itself, as in `limits.ts`: the response to its last request, which shows what a later error of
 * the parser is about.
 */
const LAST = Symbol("last response");
type KnownSocket = Duplex & { [LAST]?: ServerResponse };

/** Unbound sends a port after @, as it is configured; otherwise @ would follow the name of a user. */
const HOST = /^[A-Za-z0-9.\-_~!$&'()*+,;=%:[\]]*(@\d{1,5})?$/;
const CLOSE = { headers: { connection: "close" } } as const;

/**
 * Rejects requests that another program could interpret differently, or as a different number of requests, and closes
 * the connection, so that nothing after them can be taken for a request. The parser has already rejected most of them
 * (RFC 9112, sections 2 to 7).
 */
export function rejectAmbiguousRequests(app: FastifyInstance, answers: SocketAnswers): void {
  app.addHook("onRequest", (request, reply, done) => {
    const { raw } = request;
    noteResponse(raw.socket, reply.raw);
    // What follows a request for another protocol is not read as HTTP.
    if (raw.headers.upgrade !== undefined) reply.header("connection", "close");
    const reason = ambiguityOf(request);
    done(reason === undefined ? undefined : new Problem("validation-error", reason, CLOSE));
  });
  app.server.on("checkExpectation", (request: IncomingMessage) =>
    answers.answer(request.socket, "expectation-failed", "the server supports Expect: 100-continue only", { request }),
  );
  app.server.on("connect", (request: IncomingMessage, socket: Duplex) =>
    answers.answer(socket, "method-not-allowed", "the server is not a proxy: CONNECT is not supported", {
      request: { url: "", headers: request.headers },
    }),
  );
}

/** Keeps the response to the last request of a connection. */
export function noteResponse(socket: Duplex, response: ServerResponse): void {
  (socket as KnownSocket)[LAST] = response;
}

/** Whether the request has a body, judged by its headers. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;
}

/** Whether there is one Host header, with a name. */
export function hasOneHost(raw: IncomingMessage): boolean {
  return hostCount(raw) === 1 && HOST.test(raw.headers.host ?? "");
}

function ambiguityOf({ raw, originalUrl }: FastifyRequest): string | undefined {
  const { headers, httpVersion } = raw;
  const { host = "" } = headers;
  const coding = headers["transfer-encoding"];
  if (httpVersion !== "1.1" && httpVersion !== "1.0") return `HTTP/${httpVersion} is not supported; send HTTP/1.1`;
  if (coding !== undefined && httpVersion === "1.0")
    return "HTTP/1.0 has no Transfer-Encoding; send Content-Length, or HTTP/1.1";
  if (coding !== undefined && coding.toLowerCase() !== "chunked") return "the Transfer-Encoding is not chunked";
  const hosts = hostCount(raw);
  if (hosts > 1) return "there is more than one Host header";
  if (hosts === 0 && httpVersion === "1.1") return "the Host header is missing";
  if (!HOST.test(host)) return "the Host header is not a host name";
  const authority = /^https?:\/\/([^/?#]*)/i.exec(originalUrl)?.[1];
  return authority === undefined || authority.toLowerCase() === host.toLowerCase()
    ? undefined
    : "the request's target and its Host header name different hosts";
}

/** The parser keeps only the first one. */
function hostCount({ rawHeaders }: IncomingMessage): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]!.length === 4 && rawHeaders[at]!.toLowerCase() === "host") count++;
  return count;
}

/** The path of a target in absolute form, as in requests to proxies. */
export function withoutAuthority({ url = "/" }: IncomingMessage): string {
  if (url.startsWith("/")) return url;
  const path = url.replace(/^https?:\/\/[^/?#]*/i, "");
  return path === "" || path.startsWith("?") ? `/${path}` : path;
}

/**
 * For data that cannot be read as a request, or as the rest of one: a response is sent after those to earlier requests,
 * and the connection is closed.
 */
export function answerClientError(answers: SocketAnswers): (error: ClientError, socket: Duplex) => void {
  return (error, socket) => {
    if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
    const last = (socket as KnownSocket)[LAST];
    const isOfLast = last !== undefined && !last.req.complete;
    // A response has already been sent, although the request had not arrived in full.
    if (isOfLast && last.writableEnded) return endWith(socket, last);
    // The client must not mistake the response for a complete one.
    if (isOfLast && last.headersSent) return void socket.destroy();
    const reject = (): void =>
      answers.answer(
        socket,
        ...rejectionOf(error),
        isOfLast ? { response: last } : { packet: error.rawPacket as Buffer | undefined },
      );
    if (last === undefined || isOfLast || last.writableFinished) return reject();
    last.once("close", reject);
  };
}

/** As the parser passes it. */
interface ClientError extends Error {
  readonly code?: string;
  /** What the parser was reading. */
  readonly rawPacket?: unknown;
}

function endWith(socket: Duplex, last: ServerResponse): void {
  if (last.writableFinished) socket.end();
  else last.once("close", () => socket.end());
}

function rejectionOf({ code }: ClientError): [kind: ProblemKind, detail: string] {
  if (code === "HPE_HEADER_OVERFLOW")
    return ["header-fields-too-large", "the request line and headers are longer than the server accepts"];
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return ["request-timeout", "the request did not arrive in time"];
  return ["validation-error", "this is not an HTTP/1.1 request"];
}
